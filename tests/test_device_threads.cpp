// SPDX-License-Identifier: Apache-2.0
// What GPU threads do in matrix products and in folds, done by a loop over the threads: so that machines without a GPU
// check it too, and sanitizers see it.
#include "support/matrices.hpp"

#include <twofold/backends/fold_device.hpp>
#include <twofold/backends/fold_host.hpp>
#include <twofold/backends/line_products.hpp>
#include <twofold/backends/trapezoids.hpp>

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

// ---- folds --------------------------------------------------------------------------------------------

template <class Row>
struct rows_of_team {
  const Row* rows;
  TWOFOLD_FUNCTION Row operator()(unsigned r) const { return rows[r]; }
};

// What the threads of a team make of a chunk, and the tree over them.
template <unsigned Rows, class Source>
typename Source::accumulator fold_by_threads(const Source& source, std::size_t start, std::size_t count) {
  std::vector<typename Source::accumulator> nodes(b::team_threads);
  for (unsigned t = 0; t < b::team_threads; ++t) {
    if constexpr (b::computes_elements<Source>) {
      std::vector<typename Source::row_start> rows;
      for (unsigned r = 0; r < Rows; ++r) rows.push_back(source.row(start + r * twofold::fold_order::lanes));
      nodes[t] = b::fold_thread<Rows, false, b::rows_in_flight<Source, 256>>(
          source, start, count, t, rows_of_team<typename Source::row_start>{rows.data()});
    } else {
      nodes[t] = b::fold_thread<Rows, true, b::rows_in_flight<Source, 256>>(source, start, count, t);
    }
  }
  for (std::size_t m = nodes.size(); m > 1; m /= 2) {
    for (std::size_t k = 0; k < m / 2; ++k) nodes[k] = b::combine(nodes[2 * k], nodes[2 * k + 1]);
  }
  return nodes[0];
}

// Every chunk of n elements.
template <class Source>
void expect_chunks(const Source& source, std::size_t n) {
  using twofold::fold_order::chunk_size;
  constexpr unsigned short_rows = twofold::fold_order::short_rows, long_rows = twofold::fold_order::long_rows;
  for (std::size_t start = 0; start < n; start += chunk_size(n)) {
    const std::size_t count = std::min(chunk_size(n), n - start);
    const auto by_threads = twofold::fold_order::rows_per_chunk(n) == short_rows
                                ? fold_by_threads<short_rows>(source, start, count)
                                : fold_by_threads<long_rows>(source, start, count);
    SCOPED_TRACE(testing::Message() << n << " elements, the chunk at " << start);
    EXPECT_SAME_BITS(source.finish(by_threads),
                     source.finish(b::host::fold_chunk_as_defined(source, start, count)));
  }
}

struct cubic {
  template <class T>
  T operator()(T x) const {
    return x * x * x + T(1);
  }
};

template <class T>
void expect_folds() {
  for (const std::size_t n : {1, 3, 2047, 2048, 2049, 8191, 8192, 8193, 20011}) {
    const auto x = cases::random_elements<T>(n, 1), y = cases::random_elements<T>(n, 2);
    room<T> left(n, 0), right(n, 0);
    std::copy(x.begin(), x.end(), left.first);
    std::copy(y.begin(), y.end(), right.first);
    expect_chunks(b::sum_source<T, T>{{left.first}}, n);
    expect_chunks(b::dot_source<T, T>{{left.first}, {right.first}}, n);
    expect_chunks(b::norm2_source<T, T>{{left.first}}, n);
    expect_chunks(b::trapezoids(cubic{}, T(-0.3), T(1.7), n), n + 1);
  }
  constexpr std::size_t many = (std::size_t{1} << 21) + 9000;  // long chunks
  const auto source = b::trapezoids(cubic{}, T(-0.3), T(1.7), many);
  expect_chunks(source, many + 1);
}

TEST(DeviceThreadsOfFolds, OfFloats) { expect_folds<float>(); }
TEST(DeviceThreadsOfFolds, OfDoubles) { expect_folds<double>(); }

}  // namespace
