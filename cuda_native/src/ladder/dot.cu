// SPDX-License-Identifier: Apache-2.0
// The ladder of `dot`, from partial sums that the host finishes to the tuned kernel. Each kernel's comment ends
// with the reason for the next. docs/ladder.md walks it with figures.
//
// In all of them the grid is fixed and every element has an owner. The text gives each thread k = N / (threads *
// blocks) elements: the remainder is dropped, and for N < threads * blocks the result is 0.
// A thread adds in a register and writes its slot once. The text's kernels say `+=` on a slot, of shared memory
// never set to 0: the sum then starts from whatever was there.
#include <twofold/cuda_native/detail/fold.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/ladder/dot.hpp>

#include <vector>

namespace twofold::cuda_native::ladder::dot {
namespace {

template <class T>
using sum_of = default_sum_t<T>;

template <class T>
__device__ __forceinline__ sum_of<T> add_product(sum_of<T> sum, T x, T y) {
  return backends::multiply_add(static_cast<sum_of<T>>(x), static_cast<sum_of<T>>(y), sum);
}

__device__ __forceinline__ std::size_t global_thread() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::size_t all_threads() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

// Rung 1, a contiguous slice per thread. What a CPU programmer writes first: thread t adds elements t * slice to
// (t + 1) * slice - 1. The slice is rounded up, so the last ones are short or empty and nothing is dropped.
// Next: at any moment the 32 threads of a warp read addresses a slice apart, each load touching 32 sectors to
// use 4 bytes of each.
template <class T>
__global__ void slices_kernel(const T* x, const T* y, std::size_t n, sum_of<T>* partial_sums) {
  const std::size_t slice = (n + all_threads() - 1) / all_threads();
  const std::size_t wanted = global_thread() * slice;
  const std::size_t first = wanted < n ? wanted : n;
  const std::size_t last = n - first < slice ? n : first + slice;
  sum_of<T> sum = 0;
  for (std::size_t i = first; i < last; ++i) sum = add_product(sum, x[i], y[i]);
  partial_sums[global_thread()] = sum;
}

template <class T>
__device__ __forceinline__ sum_of<T> strided_sum(const T* x, const T* y, std::size_t n) {
  sum_of<T> sum = 0;
  for (std::size_t i = global_thread(); i < n; i += all_threads()) sum = add_product(sum, x[i], y[i]);
  return sum;
}

// Rung 2, coalesced: thread t adds elements t, t + total, t + 2 total ... The warp's 32 loads fall into the same
// four 32-byte sectors, and the remainder needs no special case.
// Next: 65536 partial sums travel to the host, which adds them one by one.
template <class T>
__global__ void strided_kernel(const T* x, const T* y, std::size_t n, sum_of<T>* partial_sums) {
  partial_sums[global_thread()] = strided_sum(x, y, n);
}

// Rung 3, shared memory: the block's partial sums meet in shared memory, thread 0 adds them, and the host gets
// one value per block. The barrier is reached by all threads. In the text it stands inside `if (inIndex < N)`, where
// the threads of a ragged tail never arrive: undefined behaviour, a hang on some hardware and a race on other.
// Next: thread 0 makes 255 dependent additions while 255 threads wait.
template <class T>
__global__ void shared_serial_kernel(const T* x, const T* y, std::size_t n, sum_of<T>* block_sums) {
  __shared__ sum_of<T> values[threads];
  values[threadIdx.x] = strided_sum(x, y, n);
  __syncthreads();  // all slots are written
  if (threadIdx.x == 0) {
    sum_of<T> sum = 0;
    for (unsigned t = 0; t < threads; ++t) sum = backends::add(sum, values[t]);
    block_sums[blockIdx.x] = sum;
  }
}

// Rung 4, a tree in shared memory: 8 dependent additions in place of 255.
// Next: each level costs a barrier of the block and a trip through shared memory; and the host still has to wait,
// copy and add.
template <class T>
__global__ void shared_tree_kernel(const T* x, const T* y, std::size_t n, sum_of<T>* block_sums) {
  __shared__ sum_of<T> values[threads];
  values[threadIdx.x] = strided_sum(x, y, n);
  for (unsigned width = threads / 2; width > 0; width /= 2) {
    __syncthreads();  // the upper half is written
    if (threadIdx.x < width)
      values[threadIdx.x] = backends::add(values[threadIdx.x], values[threadIdx.x + width]);
  }
  if (threadIdx.x == 0) block_sums[blockIdx.x] = values[0];
}

// Rung 5, shuffles and the last block: the library's collectives (detail/warp.cuh, detail/block.cuh) fold 256
// values with five shuffles, one barrier and three shuffles more. The block that arrives last finishes, so no host.
// Next: one 4-byte load in flight per thread and operand does not fill the memory system, and the order of additions
// depends on the grid. The tuned kernel loads 16 bytes, many at a time, in fold order 1.
template <class T>
__global__ void shuffle_tree_kernel(const T* x, const T* y, std::size_t n, sum_of<T>* block_sums,
                                    unsigned* arrived, sum_of<T>* result) {
  static_assert(blocks == threads, "the last block folds one value per thread");
  __shared__ cuda_native::detail::block_scratch<sum_of<T>, threads> scratch;
  sum_of<T> sum = cuda_native::detail::block_fold<threads>(strided_sum(x, y, n), scratch);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
  if (!cuda_native::detail::last_to_arrive(arrived, 1, gridDim.x)) return;  // the same answer in all threads
  sum = cuda_native::detail::block_fold<threads>(block_sums[threadIdx.x], scratch);
  if (threadIdx.x == 0) *result = sum;
}

template <class T>
void expects_operands(const char* name, const T* x, const T* y, std::size_t n, const void* result) {
  cuda_native::detail::expects_operand(name, x, n, "x");
  cuda_native::detail::expects_operand(name, y, n, "y");
  cuda_native::detail::expects_result(name, result);
}

/// Runs `kernel`, which writes `count` partial sums, and lets the host add them, as the text does. (It calls
/// cudaThreadSynchronize, which CUDA has removed; and it adds into `*ris`, which its function calls `res`.)
template <class T, class Kernel>
void finish_on_host(const char* name, Kernel kernel, std::size_t count, const T* x, const T* y, std::size_t n,
                    sum_of<T>* result, workspace& scratch, stream_handle stream) {
  expects_operands(name, x, y, n, result);
  backends::refuse_capture(stream, name);
  auto* const partial_sums = static_cast<sum_of<T>*>(scratch.at_least(count * sizeof(sum_of<T>), 0).partials);
  cuda_native::detail::launch(name, kernel, blocks, threads, 0, stream, x, y, n, partial_sums);
  std::vector<sum_of<T>> on_host(count);
  backends::check_cuda(cudaMemcpyAsync(on_host.data(), partial_sums, count * sizeof(sum_of<T>),
                                       cudaMemcpyDeviceToHost, stream),
                       name);
  backends::wait_for(stream, name);
  sum_of<T> sum = 0;
  for (const sum_of<T> partial : on_host) sum = backends::add(sum, partial);
  backends::check_cuda(cudaMemcpyAsync(result, &sum, sizeof sum, cudaMemcpyHostToDevice, stream), name);
  backends::wait_for(stream, name);  // `sum` lives on this stack
}

}  // namespace

template <element T>
void host_slices(const T* x, const T* y, std::size_t n, sum_of<T>* result, workspace& scratch,
                 stream_handle stream) {
  finish_on_host("cuda_native::ladder::dot::host_slices", slices_kernel<T>, std::size_t{blocks} * threads, x,
                 y, n, result, scratch, stream);
}
template <element T>
void host_strided(const T* x, const T* y, std::size_t n, sum_of<T>* result, workspace& scratch,
                  stream_handle stream) {
  finish_on_host("cuda_native::ladder::dot::host_strided", strided_kernel<T>, std::size_t{blocks} * threads,
                 x, y, n, result, scratch, stream);
}
template <element T>
void shared_serial(const T* x, const T* y, std::size_t n, sum_of<T>* result, workspace& scratch,
                   stream_handle stream) {
  finish_on_host("cuda_native::ladder::dot::shared_serial", shared_serial_kernel<T>, blocks, x, y, n, result,
                 scratch, stream);
}
template <element T>
void shared_tree(const T* x, const T* y, std::size_t n, sum_of<T>* result, workspace& scratch,
                 stream_handle stream) {
  finish_on_host("cuda_native::ladder::dot::shared_tree", shared_tree_kernel<T>, blocks, x, y, n, result,
                 scratch, stream);
}
template <element T>
void shuffle_tree(const T* x, const T* y, std::size_t n, sum_of<T>* result, workspace& scratch,
                  stream_handle stream) {
  const char* const name = "cuda_native::ladder::dot::shuffle_tree";
  expects_operands(name, x, y, n, result);
  const auto memory = scratch.at_least(blocks * sizeof(sum_of<T>), 1);
  cuda_native::detail::launch(name, shuffle_tree_kernel<T>, blocks, threads, 0, stream, x, y, n,
                              static_cast<sum_of<T>*>(memory.partials), memory.counters, result);
}
template <element T>
void tuned(const T* x, const T* y, std::size_t n, sum_of<T>* result, workspace& scratch,
           stream_handle stream) {
  cuda_native::dot<sum_of<T>>(x, y, n, result, scratch, stream);
}

template void host_slices<float>(const float*, const float*, std::size_t, float*, workspace&, stream_handle);
template void host_strided<float>(const float*, const float*, std::size_t, float*, workspace&, stream_handle);
template void shared_serial<float>(const float*, const float*, std::size_t, float*, workspace&,
                                   stream_handle);
template void shared_tree<float>(const float*, const float*, std::size_t, float*, workspace&, stream_handle);
template void shuffle_tree<float>(const float*, const float*, std::size_t, float*, workspace&, stream_handle);
template void tuned<float>(const float*, const float*, std::size_t, float*, workspace&, stream_handle);
template void host_slices<std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t, std::int64_t*,
                                        workspace&, stream_handle);
template void host_strided<std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t, std::int64_t*,
                                         workspace&, stream_handle);
template void shared_serial<std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t,
                                          std::int64_t*, workspace&, stream_handle);
template void shared_tree<std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t, std::int64_t*,
                                        workspace&, stream_handle);
template void shuffle_tree<std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t, std::int64_t*,
                                         workspace&, stream_handle);
template void tuned<std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t, std::int64_t*,
                                  workspace&, stream_handle);

}  // namespace twofold::cuda_native::ladder::dot
