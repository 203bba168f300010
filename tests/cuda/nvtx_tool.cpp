// SPDX-License-Identifier: Apache-2.0
// What a profiler does, as far as the test of names needs it: a library that NVTX loads because
// NVTX_INJECTION64_PATH names it, and that keeps the names of the ranges.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

struct {
  std::vector<std::string> names;
  int depth = 0;
} seen;

int push(const char* name) {
  seen.names.emplace_back(name);
  return seen.depth++;
}

int pop() { return --seen.depth; }

}  // namespace

extern "C" {

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

/// The ranges begun since the last call; `open` is how many have not ended.
void take_ranges(std::vector<std::string>* names, int* open) {
  *names = std::move(seen.names);
  seen.names.clear();
  *open = seen.depth;
}
}
