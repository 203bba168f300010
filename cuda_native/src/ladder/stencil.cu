// SPDX-License-Identifier: Apache-2.0
// The ladder of `stencil`. Each kernel's comment ends with the reason for the next. docs/ladder.md has the figures.
//
// One thread per element in all of them. The text launches whole blocks without a guard: unless n is a multiple
// of the block, the last one reads in[] and writes out[] beyond their ends. What it read there it even uses: the
// text zeroes the halo beyond n but not the tile itself, so the last k valid elements come out wrong.
#include <twofold/backends/arithmetic.hpp>
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/ladder/stencil.hpp>
#include <twofold/cuda_native/stencil.hpp>

#include <string>

namespace twofold::cuda_native::ladder::stencil {
namespace {

// Rung 1, global memory. 2 k + 1 loads per element, of which 2 k have been loaded by neighbours before.
// The caches catch most of that; the load instructions remain. The window is clipped before the loop, where the
// text asks about both ends again for each of its elements.
// Next: keep what neighbours share where the block can reach it quickly.
template <class T>
__global__ void global_memory_kernel(const T* in, T* out, std::size_t n, std::size_t k) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::size_t first = i < k ? 0 : i - k;
  const std::size_t last = n - 1 - i < k ? n - 1 : i + k;
  T sum = 0;
  for (std::size_t j = first; j <= last; ++j) sum = backends::add(sum, in[j]);
  out[i] = sum;
}

/// Copies the elements start - k ... start + blockDim.x + k - 1 to the tile, zeros outside 0 ... n - 1.
/// The text lets the first k threads load both halos, so for k beyond the block some of it stays unset.
/// Here the threads walk the tile until it is full, whatever k is.
template <class T>
__device__ __forceinline__ void load_tile(T* tile, const T* in, std::size_t n, std::size_t k) {
  const std::size_t start = static_cast<std::size_t>(blockIdx.x) * blockDim.x;
  for (std::size_t j = threadIdx.x; j < blockDim.x + 2 * k; j += blockDim.x) {
    const std::size_t shifted = start + j;  // k more than the element's index, which may be negative
    tile[j] = shifted >= k && shifted - k < n ? in[shifted - k] : T(0);
  }
}

/// The window of this thread's element; only a thread with an element writes.
template <class T>
__device__ __forceinline__ void store_window(const T* tile, T* out, std::size_t n, std::size_t k) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  for (std::size_t j = 0; j <= 2 * k; ++j) sum = backends::add(sum, tile[threadIdx.x + j]);
  out[i] = sum;
}

// Rung 2, static shared memory: 1 + 2 k / 256 loads per element in place of 2 k + 1, and no bank conflicts, since
// neighbouring threads read neighbouring words. (The text counts 3 loads per thread for any k; it is 3 in the
// threads that load a halo and 1 in the others, and more than 3 once k exceeds the block.)
// Next: the tile's size is compiled in, so it must be the largest that anybody may ask for, and k beyond it fails.
template <class T>
__global__ void static_shared_kernel(const T* in, T* out, std::size_t n, std::size_t k) {
  __shared__ T tile[threads + 2 * static_radius];
  load_tile(tile, in, n, k);
  __syncthreads();  // the tile is full; all threads get here, the guard comes after
  store_window(tile, out, n, k);
}

// Rung 3, dynamic shared memory: the launch says how much. Up to 48 KiB it just works; beyond, a kernel has to opt
// in, up to the device's limit; beyond that no launch succeeds, and the text does not look.
// Next: shared memory is read 2 k + 1 times per element, so time grows with k all the same. The tuned kernel
// shares sums, not only elements: its cost per element does not depend on k.
template <class T>
__global__ void dynamic_shared_kernel(const T* in, T* out, std::size_t n, std::size_t k) {
  extern __shared__ __align__(8) unsigned char tile_bytes[];
  T* const tile = reinterpret_cast<T*>(tile_bytes);
  load_tile(tile, in, n, k);
  __syncthreads();  // the tile is full; all threads get here, the guard comes after
  store_window(tile, out, n, k);
}

constexpr std::size_t bytes_per_element = 4;

std::size_t opt_in_bytes() {
  int device = 0, bytes = 0;
  backends::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  backends::check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                       "shared memory per block");
  return static_cast<std::size_t>(bytes);
}

std::size_t largest_dynamic_radius() { return (opt_in_bytes() / bytes_per_element - threads) / 2; }

template <class T>
unsigned checked_grid(const char* name, const T* in, const T* out, std::size_t n) {
  static_assert(sizeof(T) == bytes_per_element);
  cuda_native::detail::expects_operand(name, in, n, "in");
  cuda_native::detail::expects_operand(name, out, n, "out");
  return cuda_native::detail::grid_of(name, n / threads + (n % threads != 0));
}

}  // namespace

template <element T>
void global_memory(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle stream) {
  const char* const name = "cuda_native::ladder::stencil::global_memory";
  const unsigned blocks = checked_grid(name, in, out, n);
  if (n == 0) return;
  cuda_native::detail::launch(name, global_memory_kernel<T>, blocks, threads, 0, stream, in, out, n, k);
}

template <element T>
void static_shared(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle stream) {
  const char* const name = "cuda_native::ladder::stencil::static_shared";
  backends::expects(fits_static(k), name, [&] {
    return "radius " + std::to_string(k) + " exceeds the " + std::to_string(static_radius) +
           " that its tile was compiled for";
  });
  const unsigned blocks = checked_grid(name, in, out, n);
  if (n == 0) return;
  cuda_native::detail::launch(name, static_shared_kernel<T>, blocks, threads, 0, stream, in, out, n, k);
}

template <element T>
void dynamic_shared(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle stream) {
  const char* const name = "cuda_native::ladder::stencil::dynamic_shared";
  backends::expects(fits_dynamic(k), name, [&] {
    return "radius " + std::to_string(k) + " needs more shared memory than the " +
           std::to_string(opt_in_bytes()) +
           " bytes that a block of this device can have; the largest radius is " +
           std::to_string(largest_dynamic_radius());
  });
  const unsigned blocks = checked_grid(name, in, out, n);
  if (n == 0) return;
  const std::size_t bytes = (threads + 2 * k) * sizeof(T);
  if (bytes > 48 * 1024) {
    // The limit, not `bytes`: the attribute is the kernel's, and another host thread may be launching a larger tile.
    backends::check_cuda(
        cudaFuncSetAttribute(dynamic_shared_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(opt_in_bytes())),
        name);
  }
  cuda_native::detail::launch(name, dynamic_shared_kernel<T>, blocks, threads, bytes, stream, in, out, n, k);
}

template <element T>
void tuned(const T* in, T* out, std::size_t n, std::size_t k, workspace& scratch, stream_handle stream) {
  cuda_native::stencil<T>(in, n, k, out, scratch, stream);
}

bool fits_dynamic(std::size_t k) { return k <= largest_dynamic_radius(); }

template void global_memory<float>(const float*, float*, std::size_t, std::size_t, workspace&, stream_handle);
template void static_shared<float>(const float*, float*, std::size_t, std::size_t, workspace&, stream_handle);
template void dynamic_shared<float>(const float*, float*, std::size_t, std::size_t, workspace&,
                                    stream_handle);
template void global_memory<std::int32_t>(const std::int32_t*, std::int32_t*, std::size_t, std::size_t,
                                          workspace&, stream_handle);
template void static_shared<std::int32_t>(const std::int32_t*, std::int32_t*, std::size_t, std::size_t,
                                          workspace&, stream_handle);
template void dynamic_shared<std::int32_t>(const std::int32_t*, std::int32_t*, std::size_t, std::size_t,
                                           workspace&, stream_handle);
template void tuned<float>(const float*, float*, std::size_t, std::size_t, workspace&, stream_handle);
template void tuned<std::int32_t>(const std::int32_t*, std::int32_t*, std::size_t, std::size_t, workspace&,
                                  stream_handle);

}  // namespace twofold::cuda_native::ladder::stencil
