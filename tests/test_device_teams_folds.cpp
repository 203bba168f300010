// SPDX-License-Identifier: Apache-2.0
// What teams of GPU threads do for folds of matrix lines, by fibers.
#include "support/fiber_team.hpp"
#include "support/line_sums.hpp"

#include <twofold/backends/line_folds.hpp>

#include <optional>

namespace {

namespace b = twofold::backends;

using fibers::placed;
using fibers::run_teams;

/// One level of many folds: `count` lines of shape.n elements along them, or as many places across shape.n lines.
template <class T>
struct fold_level {
  const T* data;
  std::size_t pitch, count;
  b::fold_shape shape;
  fibers::order who_first;
  std::optional<unsigned> log_width = {};  // of strips, else what the plan takes

  template <class Run>
  void with_rows(const Run& run) const {
    if (shape.rows == 1) return run.template operator()<1>();
    if (shape.rows == twofold::fold_order::short_rows)
      return run.template operator()<twofold::fold_order::short_rows>();
    run.template operator()<twofold::fold_order::long_rows>();
  }

  /// Chunk c at place p to out[c * out_pitch + p].
  void across(T* out, std::size_t out_pitch) const {
    const auto run = [&]<unsigned Rows, unsigned E>() {
      const auto plan = log_width ? b::across_plan::with_width(count, E, shape, *log_width)
                                  : b::across_plan::of(count, E, shape);
      const auto write = [&](std::size_t place, std::size_t chunk, T value) {
        out[chunk * out_pitch + place] = value;
      };
      run_teams<b::across_team_size, T>(
          static_cast<std::int64_t>(plan.teams * shape.chunks), b::across_room<E>, who_first,
          [&](const auto& team, std::int64_t rank, T* nodes) {
            b::fold_across_team<Rows, E>(team, data, pitch, count, shape, plan,
                                         static_cast<std::size_t>(rank), nodes, write);
          });
    };
    const bool packed = b::lines_in_packs(data, pitch, shape.n);
    with_rows([&]<unsigned Rows>() {
      packed ? run.template operator()<Rows, b::pack16<T>::size>() : run.template operator()<Rows, 1>();
    });
  }

  static constexpr unsigned along_size = 128;
  static std::int64_t teams_of(std::size_t threads) {
    return static_cast<std::int64_t>((threads + along_size - 1) / along_size);
  }

  /// Chunk c of line l to out[l * chunks + c].
  void along(T* out) const {
    const bool packed = b::lines_in_packs(data, pitch, count);
    if (shape.n <= b::longest_short_line)
      return packed ? along_short_lines<true>(out) : along_short_lines<false>(out);
    with_rows([&]<unsigned Rows>() {
      packed ? along_long_lines<Rows, true>(out) : along_long_lines<Rows, false>(out);
    });
  }

  template <bool Packed>
  void along_short_lines(T* out) const {
    unsigned log = 0;
    while ((4u << log) < shape.lanes) ++log;
    const std::size_t groups = (count + b::short_lines_at_once - 1) / b::short_lines_at_once;
    run_teams<along_size, T>(
        teams_of(groups << log), 0, who_first, [&](const auto& team, std::int64_t rank, T*) {
          const std::size_t item = static_cast<std::size_t>(rank) * along_size + team.rank();
          b::fold_short_lines<Packed, T>(
              data, static_cast<std::ptrdiff_t>(pitch), 1, count, static_cast<unsigned>(shape.n), log,
              item >> log, static_cast<unsigned>(item) & ((1u << log) - 1),
              [&](T value, unsigned distance) { return team.from_neighbour(value, distance); },
              [&](std::size_t line, T value) { out[line] = value; });
        });
  }

  /// 32 threads a chunk.
  template <unsigned Rows, bool Packed>
  void along_long_lines(T* out) const {
    const std::size_t chunks = count * shape.chunks;
    run_teams<along_size, T>(
        teams_of(chunks * 32), 0, who_first, [&](const auto& team, std::int64_t rank, T*) {
          const std::size_t at = (static_cast<std::size_t>(rank) * along_size + team.rank()) / 32;
          const std::size_t line = at < chunks ? at / shape.chunks : 0, chunk = at % shape.chunks;
          const unsigned thread = team.rank() % 32;
          const T folded = b::fold_along<Rows, Packed, T>(
              b::strided<T>{data + line * pitch + chunk * shape.chunk},
              at < chunks ? shape.count_of(chunk) : 0, 4 * thread, shape.lanes / 128, 128,
              [&](T value) { return team.fold_neighbours(value, 1); });
          if (thread == 0 && at < chunks) out[at] = folded;
        });
  }
};

/// All levels, each on the chunk results of the one before.
template <class T>
void fold(bool across, const T* data, std::size_t pitch, std::size_t count, std::size_t n, T* out,
          fibers::order who_first, std::optional<unsigned> log_width = {}) {
  const auto shape = b::fold_shape::of(n);
  const fold_level<T> level{data, pitch, count, shape, who_first, log_width};
  const auto run = [&](T* to, std::size_t to_pitch) {
    across ? level.across(to, to_pitch) : level.along(to);
  };
  if (shape.chunks == 1) return run(out, count);
  const std::size_t next_pitch = across ? (count + 3) / 4 * 4 : shape.chunks;
  placed<T> results(across ? shape.chunks * next_pitch : count * shape.chunks, 0);
  run(results.data(), next_pitch);
  fold<T>(across, results.data(), next_pitch, count, shape.chunks, out, who_first, log_width);
}

template <class T>
void expect_folds(bool across, std::size_t rows, std::size_t columns,
                  std::optional<unsigned> log_width = {}) {
  if (testing::Test::HasFailure()) return;
  const auto m = cases::random_table<T>(rows, columns);
  const auto expected = across ? line_sums::of_columns::expected<T>(m) : line_sums::of_rows::expected<T>(m);
  constexpr std::size_t pack = 16 / sizeof(T);
  // Lines that 16-byte loads can have, and others. Between the lines are guards.
  for (const auto& [offset, pitch] :
       {std::pair{std::size_t{0}, (columns / pack + 1) * pack}, {1, columns + 3}}) {
    placed<T> in(rows * pitch, offset);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) in.data()[i * pitch + j] = m(i, j);
    }
    for (const auto who_first : fibers::both_orders) {
      SCOPED_TRACE(testing::Message()
                   << (across ? "across, " : "along, ") << rows << " x " << columns << " at " << offset
                   << ", pitch " << pitch << (who_first == fibers::order::ascending ? "" : ", descending"));
      placed<T> out(expected.size(), offset);
      fold<T>(across, in.data(), pitch, expected.size(), across ? rows : columns, out.data(), who_first,
              log_width);
      out.expect(expected);
    }
  }
}

template <class T>
class DeviceLineTeams : public testing::Test {};
using elements = testing::Types<float, double, std::int64_t>;
TYPED_TEST_SUITE(DeviceLineTeams, elements);

TYPED_TEST(DeviceLineTeams, FoldAcross) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                                      {1, 70},
                                                                                      {5, 3},
                                                                                      {100, 128},
                                                                                      {129, 7},
                                                                                      {255, 300},
                                                                                      {2048, 6},
                                                                                      {3000, 10},
                                                                                      {9000, 33},
                                                                                      {40000, 5}})
    expect_folds<TypeParam>(true, rows, columns);
}
/// A plan takes wide strips where there are many places alone, more than these tests have.
TYPED_TEST(DeviceLineTeams, FoldAcrossStripsOfAnyWidth) {
  for (unsigned log_width = 0; log_width <= 5; ++log_width) {
    SCOPED_TRACE(testing::Message() << "strips of 2^" << log_width << " threads");
    for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {3, 300}, {129, 257}, {600, 70}, {3000, 150}, {9000, 33}})
      expect_folds<TypeParam>(true, rows, columns, log_width);
  }
}
TYPED_TEST(DeviceLineTeams, FoldAlong) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                                      {5, 3},
                                                                                      {100, 128},
                                                                                      {129, 7},
                                                                                      {3000, 10},
                                                                                      {301, 33},
                                                                                      {5001, 5},
                                                                                      {7, 129},
                                                                                      {10, 3000},
                                                                                      {9, 9000},
                                                                                      {5, 40000}})
    expect_folds<TypeParam>(false, rows, columns);
}
TEST(DeviceLineTeams, FoldAcrossLongChunks) { expect_folds<float>(true, (1u << 21) + 40000, 2); }

}  // namespace
