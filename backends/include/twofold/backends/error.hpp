// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/annotate.hpp>

#include <stdexcept>
#include <string>

namespace twofold {

/// A caller's mistake: what was passed and what was expected.
class precondition_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A failed CUDA call or launch; `code()` is the cudaError_t.
class cuda_error : public std::runtime_error {
 public:
  /// @param code a cudaError_t.
  /// @param what the call, its place, the error's name and text.
  cuda_error(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  /// The cudaError_t.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace backends {

/// Throws precondition_error with "twofold::<where>: <what>" unless `condition` holds.
/// The message is built by `what()` only on failure, so a check costs one branch.
template <class Message>
void expects(bool condition, const char* where, Message&& what) {
  if (!condition) throw precondition_error(std::string("twofold::") + where + ": " + what());
}

}  // namespace backends
}  // namespace twofold
