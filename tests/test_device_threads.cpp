// SPDX-License-Identifier: Apache-2.0
// What GPU threads do in the matrix algorithms, done by a loop over the threads: so that machines without a GPU
// check it too, and sanitizers see it.
#include "support/matrices.hpp"

#include <twofold/backends/line_products.hpp>

namespace {

namespace b = twofold::backends;

// Elements at an offset from a 16-byte boundary, with guards on both sides.
template <class T>
struct room {
  std::vector<T> all;
  T* first;
  room(std::size_t n, std::size_t offset)
      : all(n + 64, cases::guarded<Kokkos::DefaultHostExecutionSpace, T>::guard()) {
    first = all.data() + 16;
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    first += offset;
  }
};

template <unsigned Lines, class Map>
void multiply(const Map& map, bool flat) {
  if (flat) {
    const auto threads = b::flat_threads::of(map, Lines);
    for (std::size_t i = 0; i < threads.total; ++i) b::multiply_flat<Lines>(map, threads, i);
    return;
  }
  const auto alignment = b::alignment_of(map);
  const auto threads = b::product_threads::of(map, Lines, alignment);
  for (std::size_t i = 0; i < threads.total; ++i) {
    switch (alignment) {
      case b::line_alignment::uniform:
        b::multiply_lines<Lines, b::line_alignment::uniform>(map, threads, i);
        break;
      case b::line_alignment::each:
        b::multiply_lines<Lines, b::line_alignment::each>(map, threads, i);
        break;
      case b::line_alignment::apart:
        b::multiply_lines<Lines, b::line_alignment::apart>(map, threads, i);
        break;
    }
  }
}

template <class Map>
void expect_products(std::size_t count, std::size_t length, cases::frame of_in, cases::frame of_out) {
  using T = typename Map::element;
  SCOPED_TRACE(testing::Message() << count << " lines of " << length << ", in at " << of_in.offset << " pad "
                                  << of_in.pad << ", out at " << of_out.offset << " pad " << of_out.pad);
  const std::size_t pitch_in = length + of_in.pad, pitch_out = length + of_out.pad;
  room<T> in(count * pitch_in, of_in.offset), out(count * pitch_out, of_out.offset);
  const auto elements = cases::random_elements<T>(count * length, 1);
  const auto along = cases::random_elements<T>(length, 2), across = cases::random_elements<T>(count, 3);
  // On a 16-byte boundary, and an element behind one.
  room<T> vector(length, count % 2);
  std::copy(along.begin(), along.end(), vector.first);
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t k = 0; k < length; ++k) in.first[l * pitch_in + k] = elements[l * length + k];
  }
  auto expected = out.all;
  const auto behind = static_cast<std::size_t>(out.first - out.all.data());
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t k = 0; k < length; ++k) {
      const T left = Map::reads_in ? elements[l * length + k] : across[l];
      expected[behind + l * pitch_out + k] =
          reference::product(left, Map::reads_along ? along[k] : across[l]);
    }
  }
  const auto untouched = out.all;
  const Map map = Map::on({in.first, count, length, static_cast<std::ptrdiff_t>(pitch_in), 1},
                          {out.first, count, length, static_cast<std::ptrdiff_t>(pitch_out), 1},
                          {vector.first}, {across.data()});
  const auto check = [&]<unsigned Lines>(bool flat) {
    out.all = untouched;
    multiply<Lines>(map, flat);
    EXPECT_EQ(std::memcmp(out.all.data(), expected.data(), expected.size() * sizeof(T)), 0)
        << (flat ? "flat" : "line by line") << ", " << Lines << " a thread";
  };
  check.template operator()<1>(false);
  check.template operator()<2>(false);
  check.template operator()<8>(false);
  if (b::walks_flat(map)) check.template operator()<8>(true);
}

template <class T>
class DeviceThreads : public testing::Test {};
using elements = testing::Types<float, double, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(DeviceThreads, elements);

TYPED_TEST(DeviceThreads, MultiplyLines) {
  using T = TypeParam;
  for (const std::size_t length : {1, 2, 3, 4, 5, 7, 31, 33, 64, 127, 130, 515}) {
    for (const std::size_t count : {1, 2, 8, 9, 301}) {
      for (const auto& of_out : cases::frames()) {
        expect_products<b::outer_lines<T>>(count, length, {0, 0}, of_out);
        for (const auto& of_in : cases::frames()) {
          expect_products<b::scaled_along<T>>(count, length, of_in, of_out);
          expect_products<b::scaled_across<T>>(count, length, of_in, of_out);
        }
      }
    }
  }
}

}  // namespace
