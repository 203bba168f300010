// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/error.hpp>
#include <twofold/backends/kokkos/execution.hpp>
#include <twofold/backends/stencil_device.hpp>
#include <twofold/backends/stencil_registers_device.hpp>
#include <twofold/backends/stencil_terms_device.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

/// @file
/// The portable stencil on a GPU: a team per tile, a thread per chunk of 32, or per 16 bytes of results where windows are
/// short.

namespace twofold::portable_engine {

namespace stencil_on_teams {

using stencil_order::index;

using namespace backends;

/// On-chip memory that a team may ask for; Kokkos keeps a little of the 48 KiB for itself.
inline constexpr std::size_t most_bytes = 46000;

/// Where tiles are long, and as many teams as fit. On one H200, 2^28 floats, k = 2000: 717 us, in two passes 809.
template <class R>
inline constexpr unsigned wide_team_size = sizeof(R) == 4 ? 160 : 64;
template <class R>
inline constexpr unsigned wide_teams_at_once = sizeof(R) == 4 ? 5 : 1;

template <unsigned Size, class Member>
struct team_of {
  const Member& member;

  KOKKOS_FUNCTION unsigned rank() const { return static_cast<unsigned>(member.team_rank()); }
  KOKKOS_FUNCTION static constexpr unsigned size() { return Size; }
  KOKKOS_FUNCTION void barrier() const { member.team_barrier(); }
  template <class R>
  KOKKOS_FUNCTION void write(R* to, R value) const {
    *to = value;
  }
  template <class R, unsigned P>
  KOKKOS_FUNCTION void write_pack(R* to, const stencil_device::pack<R, P>& pack) const {
    stencil_device::store_results(to, pack);
  }
};

template <unsigned Block, class R, class In, class Out>
struct one_pass {
  In in;
  Out out;
  index n, k;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, index league_rank, R* memory) const {
    stencil_device::one_pass<Block>(team, in, out, n, k, league_rank, memory);
  }
};

template <class R, class In>
struct keep_nodes {
  In in;
  index n;
  R* kept;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, index league_rank, R* memory) const {
    stencil_device::keep_nodes(team, in, n, league_rank, memory, kept);
  }
};

template <class R>
struct build_kept {
  stencil_order::node_level<R> level;
  int levels;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, index league_rank, R* memory) const {
    stencil_device::build_kept(team, level, levels, league_rank, memory);
  }
};

template <class R, class In, class Out>
struct two_pass {
  In in;
  Out out;
  index n, k;
  stencil_order::node_level<R> kept;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, index league_rank, R* memory) const {
    stencil_device::two_pass(team, in, out, n, k, league_rank, memory, kept);
  }
};

/// No team: a range of work items, one after the other.
template <int K, stencil_device::alignment Lie, class R, class In, class Weights, class Out>
struct short_windows {
  In in;
  Weights weights;
  Out out;
  index n;
  KOKKOS_FUNCTION void operator()(index item) const {
    KOKKOS_IF_ON_DEVICE((stencil_device::short_windows<K, Lie, R>(in, weights, out, n, item);))
    KOKKOS_IF_ON_HOST(((void)item;))
  }
};

template <bool Weighted, class R, class In, class Out, class Weights>
struct direct {
  In in;
  Out out;
  Weights weights;
  index n, k;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, index league_rank, R* memory) const {
    stencil_device::direct<Weighted>(team, in, weights, out, n, k, league_rank, memory);
  }
};

template <unsigned Size, class R, class Exec, class Work>
struct teams {
  Work work;
  std::size_t bytes;
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& member) const {
    // Host compilers need not see the unrolled kernels: they take minutes to compile what never runs.
    KOKKOS_IF_ON_DEVICE((run(member);))
    KOKKOS_IF_ON_HOST(((void)member;))
  }
  template <class Member>
  KOKKOS_FUNCTION void run(const Member& member) const {
    work(team_of<Size, Member>{member}, static_cast<index>(member.league_rank()),
         static_cast<R*>(member.team_scratch(0).get_shmem_aligned(bytes, 16)));
  }
};

/// `TeamsAtOnce` is how many teams a multiprocessor should hold; Kokkos refuses the launch where their scratch memory does
/// not fit, and then a kernel that asks for one is run: on a smaller GPU, and near the longest windows of one pass.
template <unsigned Size, unsigned TeamsAtOnce, class R, class Exec, class Work>
void launch(const char* label, const Exec& exec, const Work& work, index count, std::size_t bytes) {
  expects(count <= 2147483647, label,
          [&] { return "needs " + std::to_string(count) + " teams, more than 2^31 - 1"; });
  const auto run = [&]<unsigned AtOnce>() {
    using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Size, AtOnce>>;
    Kokkos::parallel_for(label,
                         policy(exec, static_cast<int>(count), static_cast<int>(Size))
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes + 16))),
                         teams<Size, R, Exec, Work>{work, bytes});
  };
  if constexpr (TeamsAtOnce > 1) {
    if (teams_fit_at_once(exec, TeamsAtOnce, Size, bytes + 16)) return run.template operator()<TeamsAtOnce>();
  }
  run.template operator()<1>();
}

/// Windows of radius k, at most `longest_in_registers`, of adjacent elements.
template <class R, class Exec, class In, class Weights, class Out>
void in_registers(const char* label, const Exec& exec, const In& in, const Weights& weights, const Out& out,
                  index n, index k) {
  namespace d = stencil_device;
  d::with_radius<Weights>(k, [&]<int K>() {
    d::with_alignment(in, out, [&]<d::alignment Lie>() {
      using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index>,
                                         Kokkos::LaunchBounds<d::short_block_size<K, Weights, R>,
                                                              d::short_blocks_at_once<K, Lie, Weights, R>>>;
      Kokkos::parallel_for(label, policy(exec, 0, d::short_items<K, Lie, Weights>(in, out, n)),
                           short_windows<K, Lie, R, In, Weights, Out>{in, weights, out, n});
    });
  });
}

template <class R, class Exec, class In, class Out>
void sums(const char* label, const Exec& exec, const In& in, const Out& out, index n, index k) {
  namespace d = stencil_device;
  constexpr unsigned size = d::team_size<R>, wide = wide_team_size<R>, long_size = d::long_team_size<R>;
  const auto whole = [&]<unsigned Block, unsigned Size, unsigned AtOnce>() {
    launch<Size, AtOnce, R>(label, exec, one_pass<Block, R, In, Out>{in, out, n, k},
                            d::team_count(n, k, Size), d::one_pass_bytes<R>(k, Size));
  };
  if (k <= stencil_order::longest_direct) {
    if constexpr (d::adjacent<In> && d::adjacent<Out>) {
      in_registers<R>(label, exec, in, d::no_weights{}, out, n, k);
    } else {
      launch<d::direct_team_size, d::direct_teams_at_once<R>, R>(
          label, exec, direct<false, R, In, Out, In>{in, out, in, n, k}, d::direct_teams<false>(out, n),
          d::direct_bytes<false, R>(k));
    }
  } else if (stencil_order::block_size(k) == 16) {
    whole.template operator()<16, size, d::teams_at_once<16, R>>();
  } else if (d::one_pass_bytes<R>(k, size) <= d::most_tile_bytes<R>) {
    whole.template operator()<32, size, d::teams_at_once<32, R>>();
  } else if (d::one_pass_bytes<R>(k, wide) <= most_bytes) {
    whole.template operator()<32, wide, wide_teams_at_once<R>>();
  } else {
    static_assert(d::two_pass_bytes<R>() <= most_bytes && d::kept_bytes<R>() <= most_bytes);
    const device_of device(exec);
    const int top = stencil_order::top_level(k);
    R* const kept = static_cast<R*>(
        workspace_of(stream_of(exec))
            .at_least(static_cast<std::size_t>(stencil_order::kept_total(n, top)) * sizeof(R), 0)
            .partials);
    stencil_order::node_level<R> level{kept, 0, stencil_order::kept_count(n)};
    launch<long_size, d::long_teams_at_once<R>, R>(
        label, exec, keep_nodes<R, In>{in, n, kept},
        (n + long_size * stencil_order::chunk - 1) / (long_size * stencil_order::chunk), d::kept_bytes<R>());
    auto below = level;
    for (int built = stencil_order::kept_level; built < top; built += d::built_levels) {
      const int levels = std::min(top - built, d::built_levels);
      launch<d::build_team_size, 1, R>(label, exec, build_kept<R>{below, levels},
                                       (below.count + d::built_nodes - 1) / d::built_nodes,
                                       d::built_nodes * sizeof(R));
      for (int l = 0; l < levels; ++l) below = below.above();
    }
    launch<long_size, d::long_teams_at_once<R>, R>(label, exec, two_pass<R, In, Out>{in, out, n, k, level},
                                                   d::two_pass_teams<R>(n, k), d::two_pass_bytes<R>());
  }
}

template <class R, class Exec, class In, class Out, class Weights>
void weighted(const char* label, const Exec& exec, const In& in, const Out& out, index n, index k,
              const Weights& weights) {
  namespace d = stencil_device;
  if constexpr (d::adjacent<In> && d::adjacent<Weights> && d::adjacent<Out>) {
    if (k <= d::longest_in_registers<Weights>) return in_registers<R>(label, exec, in, weights, out, n, k);
  }
  launch<d::direct_team_size, d::direct_teams_at_once<R>, R>(
      label, exec, direct<true, R, In, Out, Weights>{in, out, weights, n, k}, d::direct_teams<true>(out, n),
      d::direct_bytes<true, R>(k));
}

}  // namespace stencil_on_teams

}  // namespace twofold::portable_engine
