// SPDX-License-Identifier: Apache-2.0
// What teams of GPU threads do for window sums, by fibers: barriers, memory on chip and alignment, without a GPU.
#include "support/fiber_team.hpp"
#include "support/stencil_reference.hpp"

#include <twofold/backends/stencil_device.hpp>
#include <twofold/backends/stencil_registers_device.hpp>
#include <twofold/backends/stencil_terms_device.hpp>

namespace {

namespace b = twofold::backends;
namespace d = twofold::backends::stencil_device;
namespace so = twofold::stencil_order;

using fibers::placed;
using fibers::run_teams;

template <class R, class In, class Out>
struct windows {
  In in;
  Out out;
  so::index n, k;
  fibers::order who_first;

  template <class Weights = d::no_weights>
  void in_registers(const Weights& weights = {}) const {
    d::with_radius<Weights>(k, [&]<int K>() {
      d::with_alignment(in, out, [&]<d::alignment Lie>() {
        for (so::index i = 0; i < d::short_items<K, Lie, Weights>(in, out, n); ++i)
          d::short_windows<K, Lie, R>(in, weights, out, n, i);
      });
    });
  }

  template <bool Weighted>
  void term_by_term(const In& weights) const {
    run_teams<d::direct_team_size, R>(d::direct_teams<Weighted>(out, n),
                                      d::direct_bytes<Weighted, R>(k) / sizeof(R), who_first,
                                      [&](const auto& team, so::index rank, R* memory) {
                                        d::direct<Weighted>(team, in, weights, out, n, k, rank, memory);
                                      });
  }

  template <unsigned Block, unsigned Size>
  void in_one_pass() const {
    run_teams<Size, R>(d::team_count(n, k, Size), d::one_pass_bytes<R>(k, Size) / sizeof(R), who_first,
                       [&](const auto& team, so::index rank, R* memory) {
                         d::one_pass<Block>(team, in, out, n, k, rank, memory);
                       });
  }

  void in_two_passes() const {
    constexpr unsigned size = d::long_team_size<R>;
    const int top = so::top_level(k);
    fibers::chip_memory<R> kept(static_cast<std::size_t>(so::kept_total(n, top)));
    const so::node_level<R> level{kept.data(), 0, so::kept_count(n)};
    run_teams<size, R>((n + size * so::chunk - 1) / (size * so::chunk), d::kept_bytes<R>() / sizeof(R),
                       who_first, [&](const auto& team, so::index rank, R* memory) {
                         d::keep_nodes(team, in, n, rank, memory, kept.data());
                       });
    auto below = level;
    for (int built = so::kept_level; built < top; built += d::built_levels) {
      const int levels = std::min(top - built, d::built_levels);
      run_teams<d::build_team_size, R>((below.count + d::built_nodes - 1) / d::built_nodes, d::built_nodes,
                                       who_first, [&](const auto& team, so::index rank, R* memory) {
                                         d::build_kept(team, below, levels, rank, memory);
                                       });
      for (int l = 0; l < levels; ++l) below = below.above();
    }
    run_teams<size, R>(d::two_pass_teams<R>(n, k), d::two_pass_bytes<R>() / sizeof(R), who_first,
                       [&](const auto& team, so::index rank, R* memory) {
                         d::two_pass(team, in, out, n, k, rank, memory, level);
                       });
    EXPECT_TRUE(kept.end_untouched());
  }
};

template <class T, class R>
using adjacent_windows = windows<R, b::adjacent_elements<const T>, b::adjacent_elements<R>>;

template <class T, class R>
void expect_windows(std::size_t n, std::int64_t radius) {
  if (testing::Test::HasFailure()) return;  // what is wrong once is wrong a thousand times
  const auto x = cases::random_elements<T>(n, n + static_cast<std::size_t>(radius));
  const auto expected = reference::stencil<R>(x, radius);
  const so::index k = so::clamped_radius(static_cast<std::uint64_t>(radius), n);
  const std::size_t offset = (n + static_cast<std::size_t>(radius)) % 8;
  // Both on a boundary; apart; alike, which short windows in registers tell from apart.
  std::vector<std::pair<std::size_t, std::size_t>> offsets{{0, 0}, {offset, offset * 3 % 8}};
  if (k <= so::longest_direct) offsets.emplace_back(offset, offset);
  // At the very end of the memory that there is.
  offsets.emplace_back(fenced::elements<T>::to_the_end(n), fenced::elements<R>::to_the_end(n));
  offsets.emplace_back(fenced::elements<T>::to_the_end(n), 0);
  for (const auto& at : offsets) {
    const std::size_t in_at = at.first, out_at = at.second;
    placed<T> in(x, in_at);
    for (const auto who_first : fibers::both_orders) {
      placed<R> out(n, out_at);
      const auto check = [&](const char* way, const auto& run) {
        SCOPED_TRACE(testing::Message()
                     << way << ", n " << n << ", radius " << radius << ", in at " << in_at << ", out at "
                     << out_at << (who_first == fibers::order::ascending ? ", ascending" : ", descending"));
        out.clear();
        run(adjacent_windows<T, R>{{in.data()}, {out.data()}, static_cast<so::index>(n), k, who_first});
        out.expect(expected);
      };
      const auto one_pass = [&]<unsigned Size>() {
        if (d::one_pass_bytes<R>(k, Size) > 76800) return;  // the largest tile of any kernel
        check("one pass", [](const auto& w) {
          if (so::block_size(w.k) == 16) return w.template in_one_pass<16, Size>();
          w.template in_one_pass<32, Size>();
        });
      };
      if (k <= so::longest_direct) {
        check("term by term", [](const auto& w) { w.template term_by_term<false>(w.in); });
        check("in registers", [](const auto& w) { w.in_registers(); });
        continue;
      }
      // For longer windows the portable and the native kernel have sizes of their own.
      one_pass.template operator()<d::team_size<R>>();
      if constexpr (sizeof(R) == 4) {
        one_pass.template operator()<160>();
        one_pass.template operator()<192>();
      } else {
        one_pass.template operator()<64>();
      }
      if (k >= 16) check("two passes", [](const auto& w) { w.in_two_passes(); });
    }
  }
}

template <class T, class R>
void expect_weighted(std::size_t n, std::size_t k) {
  if (testing::Test::HasFailure()) return;
  const auto x = cases::random_elements<T>(n, 1), w = cases::random_elements<T>(2 * k + 1, 2);
  const auto expected = reference::stencil<R>(x, w);
  placed<T> weights(w, k % 8);
  const std::size_t apart = (n + k) % 8;
  for (const auto& at : {std::pair{n % 8, apart}, std::pair{apart, apart},
                         std::pair{fenced::elements<T>::to_the_end(n), fenced::elements<R>::to_the_end(n)}}) {
    placed<T> in(x, at.first);
    placed<R> out(n, at.second);
    for (const auto who_first : fibers::both_orders) {
      SCOPED_TRACE(testing::Message() << "weighted, n " << n << ", radius " << k << ", in at " << at.first
                                      << ", out at " << at.second);
      const adjacent_windows<T, R> windows{
          {in.data()}, {out.data()}, static_cast<so::index>(n), static_cast<so::index>(k), who_first};
      out.clear();
      windows.template term_by_term<true>({weights.data()});
      out.expect(expected);
      if (windows.k > d::longest_in_registers<b::adjacent_elements<const T>>) continue;
      out.clear();
      windows.in_registers(b::adjacent_elements<const T>{weights.data()});
      out.expect(expected);
    }
  }
}

/// Elements and results that are no neighbours. What lies between the results is guards.
void expect_spread_windows(std::size_t n, std::int64_t k, fibers::order who_first) {
  SCOPED_TRACE(testing::Message() << "spread, n " << n << ", radius " << k);
  const auto x = cases::random_elements<float>(n, 1);
  const auto expected = reference::stencil<float>(x, k);
  placed<float> in(3 * n, 1), out(2 * n, 1);
  std::vector<float> with_gaps(2 * n, placed<float>::guard());
  for (std::size_t i = 0; i < n; ++i) {
    in.data()[3 * i] = x[i];
    with_gaps[2 * i] = expected[i];
  }
  const windows<float, b::spread_elements<const float>, b::spread_elements<float>> w{
      {in.data(), 3}, {out.data(), 2}, static_cast<so::index>(n), k, who_first};
  k <= so::longest_direct ? w.term_by_term<false>(w.in)
  : k < 16                ? w.in_one_pass<16, 128>()
  : k < 1000              ? w.in_one_pass<32, 128>()
                          : w.in_two_passes();
  out.expect(with_gaps);
}

template <class Types>
class DeviceTeams : public testing::Test {};
using elements_and_results =
    testing::Types<std::pair<float, float>, std::pair<double, double>, std::pair<float, double>,
                   std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>,
                   std::pair<std::uint32_t, std::uint64_t>>;
TYPED_TEST_SUITE(DeviceTeams, elements_and_results);

TYPED_TEST(DeviceTeams, WindowSums) {
  using T = typename TypeParam::first_type;
  using R = typename TypeParam::second_type;
  for (const std::int64_t radius : {0,  1,  3,  4,   5,   8,   9,   12,  15,   16,   17,   31,   32,  33,
                                    63, 64, 65, 255, 257, 384, 385, 600, 1000, 1750, 2240, 2944, 6016}) {
    for (const std::size_t n : {1, 33, 6145}) expect_windows<T, R>(n, radius);
  }
  for (const std::int64_t radius : {3, 12, 260, 15000}) expect_windows<T, R>(20011, radius);
}

/// Kept nodes of more levels than one call builds.
TEST(DeviceTeams, WindowSumsOfManyLevels) { expect_windows<float, float>(600000, 530000); }

TEST(DeviceTeams, WindowSumsOfSpreadElements) {
  for (const std::int64_t radius : {3, 12, 40, 1100}) {
    for (const auto who_first : fibers::both_orders) expect_spread_windows(6145, radius, who_first);
  }
}

TYPED_TEST(DeviceTeams, WeightedWindowSums) {
  using T = typename TypeParam::first_type;
  using R = typename TypeParam::second_type;
  for (const std::size_t k : {0, 1, 2, 3, 4, 7, 8, 100, 255, 256, 257, 700}) {
    for (const std::size_t n : {1, 2, 7, 8, 9, 2047, 2048, 5003}) expect_weighted<T, R>(n, k);
  }
  // A team in the middle, whose elements all exist, and any number of terms left over.
  for (const std::size_t k : {3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 21, 29, 32, 256})
    expect_weighted<T, R>(12001, k);
}

}  // namespace
