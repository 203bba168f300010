// SPDX-License-Identifier: Apache-2.0
#pragma once

// The competitors, behind plain function pointers: no Kokkos, no CUDA header, so that host peers are
// compiled by the host compiler with its own flags and CUDA peers by nvcc.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference.hpp"

struct CUstream_st;

namespace twofold::bench {

using Stream = CUstream_st*;  // a cudaStream_t; null on the host

/// A fold of x (and y, for dot) into *result, enqueued on the stream or done on return.
template <class T, class R>
struct Peer {
  std::string path;
  void (*run)(const T* x, const T* y, std::int64_t n, R* result, Stream stream);
};

/// The trapezoidal rule on [a, b]; the functions that return peers take the integrand, F of integrands.hpp.
template <class R>
struct IntegratePeer {
  std::string path;
  void (*run)(R a, R b, std::int64_t n, R* result, Stream stream);
  long double (*exact)(R a, R b, std::int64_t n) = nullptr;  // of what is no integral
  std::int64_t n_min = 0;
};

/// The same with the value on the host, when the call returns.
template <class T, class R>
struct ValuePeer {
  std::string path;
  std::function<R(const T* x, const T* y, std::int64_t n, Stream stream)> run;
};
template <class R>
struct IntegrateValuePeer {
  std::string path;
  std::function<R(R a, R b, std::int64_t n, Stream stream)> run;
};

/// A product of two operands into a matrix, row-major or column-major: the lines of all matrices lie `pitch` elements apart.
template <class T>
struct MatrixPeer {
  std::string path;
  void (*run)(const T* a, const T* b, T* result, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
              bool row_major, Stream stream);
  bool adds;  // to what the result held, which it reads too
};

/// What the hardware does at best: nothing, and plain traffic.
struct MemoryOps {
  void (*empty)(Stream stream);
  /// Reads all bytes; writes to sink only what no data leads to in practice, so nothing is optimised away.
  void (*read)(const void* from, std::size_t bytes, void* sink, Stream stream);
  void (*fill)(void* to, int byte, std::size_t bytes, Stream stream);
  void (*copy)(void* to, const void* from, std::size_t bytes, Stream stream);
};

template <class T, class R>
std::vector<Peer<T, R>> host_peers(Fold fold);
/// The standard library's; there where oneTBB is, on which they run.
template <class T, class R>
std::vector<Peer<T, R>> std_peers(Fold fold);
void set_std_peer_threads(int threads);
template <class R, class F>
std::vector<IntegratePeer<R>> host_integrate_peers();
MemoryOps host_memory_ops();
std::string host_peer_versions();
/// Libraries with threads of their own use as many as the rest of the run.
void set_host_peer_threads(int threads);

template <class T, class R>
std::vector<Peer<T, R>> device_peers(Fold fold);
template <class R, class F>
std::vector<IntegratePeer<R>> device_integrate_peers();
template <class T, class R>
std::vector<ValuePeer<T, R>> device_value_peers(Fold fold);
template <class R, class F>
std::vector<IntegrateValuePeer<R>> device_integrate_value_peers();
/// CUB's sums with the same bits on every GPU; none where its version has none.
template <class T>
std::vector<Peer<T, T>> gpu_to_gpu_peers(Fold fold);
template <class T, class F>
std::vector<IntegratePeer<T>> gpu_to_gpu_integrate_peers();
std::string gpu_to_gpu_version();
/// The native kernel free to choose its order: what the fold order costs.
template <class T>
std::vector<Peer<T, T>> free_order_peers(Fold fold);
template <class T, class F>
std::vector<IntegratePeer<T>> free_order_integrate_peers();

/// The loop over an integral's elements and nothing else, elements_alone_cuda.cu.
template <class T, class F>
std::vector<IntegratePeer<T>> elements_alone_peers();
template <class T>
std::vector<MatrixPeer<T>> device_outer_product_peers();  // x, y, C
template <class T>
std::vector<MatrixPeer<T>> device_scale_columns_peers();  // M, v, R
MemoryOps device_memory_ops();
std::string device_peer_versions();

}  // namespace twofold::bench
