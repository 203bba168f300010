// SPDX-License-Identifier: Apache-2.0
// Section 6.16 of the text: t values added one after another, or along a tree.
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/sum.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "gpu.hpp"
#include "probes.hpp"

namespace twofold::reference {
namespace {

using cuda_native::detail::launch;

__global__ void atomics_kernel(const float* x, unsigned t, float* total) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < t) atomicAdd(total, x[i]);
}

__global__ void one_thread_kernel(const float* x, unsigned t, float* total) {
  float sum = 0;
#pragma unroll 16
  for (unsigned i = 0; i < t; ++i) sum += x[i];
  *total = sum;
}

}  // namespace

Table serial_vs_tree_table(bool quick) {
  Table table{"serial_vs_tree",
              "Serial against tree: sum of t values",
              {{"values t", ""},
               {"serial steps", ""},
               {"tree steps", ""},
               {"atomics", "us"},
               {"one thread", "us"},
               {"tree", "us"},
               {"atomics / tree", ""}},
              {},
              {"Atomics: one per thread to one address, blocks of 32. One thread: dependent additions in a "
               "register. Tree: "
               "twofold::cuda_native::sum, whose lanes first add their elements in a row. A launch alone "
               "takes a few us.",
               "Steps: dependent additions, t one after another, ceil(log2 t) along the tree. The target is "
               "zeroed for each "
               "sum with atomics; that is part of its time."}};
  cuda_native::workspace scratch;
  for (const unsigned t : {8u, 1000000u}) {
    const std::vector<float> ones(t, 1.0f);
    const Buffer x(t * sizeof(float)), total(sizeof(float));
    check(cudaMemcpyAsync(x.as<void>(), ones.data(), x.bytes(), cudaMemcpyHostToDevice, stream()), "values");
    const auto timed = [&](const char* name, const auto& call) {
      call();
      const float value = value_at(total.as<float>());
      if (value != static_cast<float>(t)) {
        throw std::runtime_error(std::string(name) + ": " + std::to_string(value) + " for " +
                                 std::to_string(t) + " ones");
      }
      return 1e6 * gpu_seconds(call, quick);
    };
    const double atomics = timed("atomics", [&] {
      check(cudaMemsetAsync(total.as<void>(), 0, sizeof(float), stream()), "zero");
      launch("atomics_kernel", atomics_kernel, (t + 31) / 32, 32, 0, stream(), x.as<const float>(), t,
             total.as<float>());
    });
    const double one_thread = timed("one thread", [&] {
      launch("one_thread_kernel", one_thread_kernel, 1, 1, 0, stream(), x.as<const float>(), t,
             total.as<float>());
    });
    const double tree = timed("tree", [&] {
      cuda_native::sum<float>(x.as<const float>(), t, total.as<float>(), scratch, stream());
    });
    table.rows.push_back(
        {std::int64_t{t}, serial_steps(t), tree_steps(t), atomics, one_thread, tree, atomics / tree});
  }
  return table;
}

}  // namespace twofold::reference
