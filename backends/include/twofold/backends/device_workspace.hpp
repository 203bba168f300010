// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

struct CUstream_st;

namespace twofold {

/// cudaStream_t, without the CUDA headers.
using stream_handle = ::CUstream_st*;

namespace backends {

/// Device memory that folds on one stream need between their blocks: chunk results, and counters that
/// tell which block is the last. The counters are zero between calls: each kernel resets what it used.
///
/// Grows and never shrinks, so that calls allocate nothing once the largest has been seen. Calls that use
/// one workspace must be ordered (one stream, or events between streams). Any number of host threads may
/// issue them. What a captured graph uses stays valid until the workspace is destroyed.
class device_workspace {
 public:
  /// What a call works in.
  struct memory {
    void* partials;            ///< device memory, aligned for every accumulator
    unsigned* counters;        ///< zero between calls
    unsigned multiprocessors;  ///< of the device
  };

  device_workspace();
  ~device_workspace();  // the caller has waited for the work that uses it
  /// The other one is empty afterwards, and may be used.
  device_workspace(device_workspace&&) noexcept;
  /// The memory held before is freed.
  device_workspace& operator=(device_workspace&&) noexcept;

  /// At least `partial_bytes` and `counters`, on the current device. Allocates when that is more than ever
  /// before, without touching any stream of the caller's; so it may be called while a graph is captured.
  /// Throws cuda_error when the device has no memory left.
  memory at_least(std::size_t partial_bytes, std::size_t counters);

  /// Makes later folds and stencils of up to `n` elements of any type allocate nothing.
  void reserve(std::size_t n);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The library's own workspace for a stream of the current device, made on first use. Streams are told
/// apart by their id, not by their handle, which the driver gives out again. While the stream is captured,
/// the graph that is being captured gets a workspace of its own for it and keeps it as long as it lives, so that
/// graphs may be replayed beside each other, and the branches of one graph, which come from several streams, run so. Two
/// executables of one graph share its workspaces and may not run at the same time.
device_workspace& workspace_of(stream_handle stream);

/// Frees the library's own workspaces, those of living graphs excepted. The caller has waited for all work that uses them.
void release_workspaces();

/// A slot of pinned host memory that the device can write: where a host value lands.
class host_slot {
 public:
  /// Its size: room for any result.
  static constexpr std::size_t bytes = 64;
  host_slot();
  ~host_slot();
  host_slot(const host_slot&) = delete;
  host_slot& operator=(const host_slot&) = delete;

  /// The same address on the host and on the device.
  void* address() const noexcept { return address_; }

 private:
  void* address_;
};

/// Makes a device current for a scope, where it is not already.
class current_device {
 public:
  /// Throws cuda_error where there is no such device.
  explicit current_device(int device);
  ~current_device();
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  int previous_ = -1;
};

/// Waits for the stream; throws cuda_error, naming `what`, when the wait reports a failure.
void wait_for(stream_handle stream, const char* what);

/// Whether the word of 4 or 8 bytes at `address` becomes another than `absent` within some 50 microseconds. For words that
/// the device writes.
bool changes_soon(const void* address, std::size_t bytes, std::uint64_t absent);

/// Room for one result that a kernel leaves for the host.
template <class R>
class host_value {
 public:
  /// Room that says that nothing is there yet.
  host_value() {
    if constexpr (tells) *address() = std::bit_cast<R>(absent);
  }
  /// Where the kernel writes it: the same address on the host and on the device.
  R* address() const noexcept { return static_cast<R*>(slot_.address()); }

  /// The result, once the kernel that writes it, the last on `stream`, has written it. Throws as wait_for() does.
  R wait(stream_handle stream, const char* what) const {
    // The end of a kernel is told to the host 2 us after the value that it wrote (one H200). Work that takes so long that
    // this does not count is waited for as the caller has set it: cudaDeviceScheduleBlockingSync and the like.
    if (!tells || !changes_soon(address(), sizeof(R), absent)) wait_for(stream, what);
    return *static_cast<const volatile R*>(address());
  }

 private:
  // A NaN in a result is the canonical one; this is another. Of integers every value may be a result.
  static constexpr bool tells = std::is_floating_point_v<R>;
  using word = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
  static constexpr word absent = static_cast<word>(~word{0});
  host_slot slot_;
};

/// Throws cuda_error where the stream is being captured: the host could only read a value that no graph
/// has computed yet.
void refuse_capture(stream_handle stream, const char* what);

/// Throws cuda_error for any cudaError_t but success: the call, its place, the error's name and text, and
/// for a missing kernel image the architectures that were built and the one at hand.
void check_cuda(int status, const char* what);

}  // namespace backends
}  // namespace twofold
