// SPDX-License-Identifier: Apache-2.0
// What each call on a GPU asks of CUDA. For the sources of this folder.
#pragma once

#include <twofold/backends/device_workspace.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace twofold::backends::queries {

// What every call asks: the driver answers in 15 ns where the runtime takes 30 to 50. Looked up when first used, so that a
// program that links this library starts where there is no driver. A call that cannot be answered has no entry, or fails:
// the runtime is asked then, and reports what is wrong. Which stream a null handle is, is decided by how this file is
// compiled, for both (cudaEnableDefault).
struct driver_calls {
  decltype(&cuStreamIsCapturing) is_capturing = nullptr;
  decltype(&cuStreamGetId) stream_id = nullptr;
  decltype(&cuCtxGetDevice) device = nullptr;

  static const driver_calls& instance() {
    static const driver_calls calls;
    return calls;
  }

 private:
  driver_calls() {
    find("cuStreamIsCapturing", 10000, is_capturing);
    find("cuStreamGetId", 12000, stream_id);
    find("cuCtxGetDevice", 2000, device);
  }
  template <class Function>
  static void find(const char* name, [[maybe_unused]] unsigned version, Function& function) {
    void* entry = nullptr;
    auto result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &result);
#else
    const cudaError_t status = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &result);
#endif
    if (status != cudaSuccess) (void)cudaGetLastError();
    if (status == cudaSuccess && result == cudaDriverEntryPointSuccess)
      function = reinterpret_cast<Function>(entry);
  }
};

inline int device_now() {
  const driver_calls& driver = driver_calls::instance();
  CUdevice of_context = 0;
  if (driver.device && driver.device(&of_context) == CUDA_SUCCESS) return of_context;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

inline bool is_captured(stream_handle stream) {
  const driver_calls& driver = driver_calls::instance();
  CUstreamCaptureStatus fast{};
  if (driver.is_capturing && driver.is_capturing(stream, &fast) == CUDA_SUCCESS)
    return fast != CU_STREAM_CAPTURE_STATUS_NONE;
  cudaStreamCaptureStatus status{};
  check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

inline unsigned long long id_of(stream_handle stream) {
  const driver_calls& driver = driver_calls::instance();
  unsigned long long id = 0;
  if (driver.stream_id && driver.stream_id(stream, &id) == CUDA_SUCCESS) return id;
  check_cuda(cudaStreamGetId(stream, &id), "cudaStreamGetId");
  return id;
}

// Lets this thread allocate while some stream, of this thread's or another's, is being captured.
class capture_exempt {
 public:
  capture_exempt() { check_cuda(cudaThreadExchangeStreamCaptureMode(&mode_), "stream capture mode"); }
  ~capture_exempt() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace twofold::backends::queries
