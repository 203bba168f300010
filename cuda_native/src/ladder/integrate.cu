// SPDX-License-Identifier: Apache-2.0
// The rungs of ladder/integrate.cuh, compiled for the text's function.
#include <twofold/cuda_native/ladder/integrate.cuh>

namespace twofold::cuda_native::ladder::integrate {
namespace {

/// x^2 + 1 with one rounding, on every compiler.
struct square_plus_one {
  TWOFOLD_FUNCTION float operator()(float x) const { return backends::multiply_add(x, x, 1.0f); }
};

}  // namespace

template <unsigned Threads>
void atomic_per_thread(float a, float b, std::size_t n, float* result, workspace& scratch,
                       stream_handle stream) {
  atomic_per_thread<Threads>(square_plus_one{}, a, b, n, result, scratch, stream);
}
template <unsigned Threads>
void warp_shuffle(float a, float b, std::size_t n, float* result, workspace& scratch, stream_handle stream) {
  warp_shuffle<Threads>(square_plus_one{}, a, b, n, result, scratch, stream);
}
template <unsigned Threads>
void shared_dissemination(float a, float b, std::size_t n, float* result, workspace& scratch,
                          stream_handle stream) {
  shared_dissemination<Threads>(square_plus_one{}, a, b, n, result, scratch, stream);
}
template <unsigned Threads>
void block_tree(float a, float b, std::size_t n, float* result, workspace& scratch, stream_handle stream) {
  block_tree<Threads>(square_plus_one{}, a, b, n, result, scratch, stream);
}
void fold_order(float a, float b, std::size_t n, float* result, workspace& scratch, stream_handle stream) {
  fold_order(square_plus_one{}, a, b, n, result, scratch, stream);
}
void tuned(float a, float b, std::size_t n, float* result, workspace& scratch, stream_handle stream) {
  tuned(square_plus_one{}, a, b, n, result, scratch, stream);
}

template void atomic_per_thread<32>(float, float, std::size_t, float*, workspace&, stream_handle);
template void atomic_per_thread<256>(float, float, std::size_t, float*, workspace&, stream_handle);
template void warp_shuffle<32>(float, float, std::size_t, float*, workspace&, stream_handle);
template void warp_shuffle<256>(float, float, std::size_t, float*, workspace&, stream_handle);
template void shared_dissemination<32>(float, float, std::size_t, float*, workspace&, stream_handle);
template void shared_dissemination<256>(float, float, std::size_t, float*, workspace&, stream_handle);
template void block_tree<32>(float, float, std::size_t, float*, workspace&, stream_handle);
template void block_tree<256>(float, float, std::size_t, float*, workspace&, stream_handle);

}  // namespace twofold::cuda_native::ladder::integrate
