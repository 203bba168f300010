// SPDX-License-Identifier: Apache-2.0
// cuBLAS on matrices: ger and dgmm. Both are column-major, so a row-major matrix is handed over as its transposed.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "cublas_on.hpp"
#include "peers.hpp"

namespace twofold::bench {
namespace {

/// C + 1 x y^T, which is what ger computes: it has no factor for C, so C is read as well. The transposed of x y^T
/// is y x^T.
template <class T>
void cublas_ger(const T* x, const T* y, T* c, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                bool row_major, Stream stream) {
  if (row_major) {
    std::swap(x, y);
    std::swap(rows, columns);
  }
  const T one = 1;
  const cublasHandle_t handle = cublas_on(stream, CUBLAS_POINTER_MODE_HOST);
  if constexpr (std::is_same_v<T, float>) {
    check(cublasSger_64(handle, rows, columns, &one, x, 1, y, 1, c, pitch), "cublasSger");
  } else {
    check(cublasDger_64(handle, rows, columns, &one, x, 1, y, 1, c, pitch), "cublasDger");
  }
}

/// M diag(v), out of place; of the transposed it is diag(v) from the left.
template <class T>
void cublas_dgmm(const T* m, const T* v, T* r, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                 bool row_major, Stream stream) {
  const cublasSideMode_t side = row_major ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  if (row_major) std::swap(rows, columns);
  const cublasHandle_t handle = cublas_on(stream, CUBLAS_POINTER_MODE_HOST);
  if constexpr (std::is_same_v<T, float>) {
    check(cublasSdgmm_64(handle, side, rows, columns, m, pitch, v, 1, r, pitch), "cublasSdgmm");
  } else {
    check(cublasDdgmm_64(handle, side, rows, columns, m, pitch, v, 1, r, pitch), "cublasDdgmm");
  }
}

}  // namespace

template <class T>
std::vector<MatrixPeer<T>> device_outer_product_peers() {
  return {{"vendor:cublas", cublas_ger<T>, true}};
}

template <class T>
std::vector<MatrixPeer<T>> device_scale_columns_peers() {
  return {{"vendor:cublas", cublas_dgmm<T>, false}};
}

template std::vector<MatrixPeer<float>> device_outer_product_peers();
template std::vector<MatrixPeer<double>> device_outer_product_peers();
template std::vector<MatrixPeer<float>> device_scale_columns_peers();
template std::vector<MatrixPeer<double>> device_scale_columns_peers();

}  // namespace twofold::bench
