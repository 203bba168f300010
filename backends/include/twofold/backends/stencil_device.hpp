// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_tile_device.hpp>

#include <cstddef>

/// @file
/// What the teams of a GPU do for window sums whose cost does not depend on the radius, the same for the portable and
/// the native kernels. Teams and their tiles are those of stencil_tile_device.hpp.

namespace twofold::backends {
namespace stencil_device {

/// Threads of a team, one per chunk, and the teams that an SM should hold at once: what they leave a thread is 72
/// registers for 4-byte results, 80 in the kernel for short blocks, which spills with fewer, and 128 for 8-byte ones.
/// On one H200, 2^28 floats, k = 256: 527 us, with teams of 192 five at a time 531, of 160 five at a time 553.
template <class R>
inline constexpr unsigned team_size = 128;
template <unsigned Block, class R>
inline constexpr unsigned teams_at_once = sizeof(R) == 8   ? 4
                                          : Block == chunk ? 7
                                                           : 6;
/// Up to this size of a tile so many fit into 228 KiB, and then nothing larger is faster (k = 1000: 599 us, with 192 five
/// at a time 624). Longer windows want larger teams for their longer tiles: the native and the portable kernel have
/// their own, as Kokkos' scratch memory ends at 48 KiB.
template <class R>
inline constexpr std::size_t most_tile_bytes = sizeof(R) == 8 ? 46000 : 31000;
/// For long windows, a multiple of the kept nodes' 32 chunks: small, as the teams wait for each other's barriers less.
/// k = 100000: 1175 us, with teams of 256 four at a time 1229 us.
template <class R>
inline constexpr unsigned long_team_size = sizeof(R) == 4 ? 128 : 64;
template <class R>
inline constexpr unsigned long_teams_at_once = sizeof(R) == 4 ? 8 : 7;

/// Writes the running sums of a chunk, from the start of each block on. Returns the last: the chunk's sum where a
/// block is a chunk.
template <unsigned Block, class R>
TWOFOLD_FUNCTION R run_forward(const R (&v)[chunk], R* slots) {
  constexpr unsigned V = pack_size<R>;
  R run{};
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; q += V) {
    pack<R> p;
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < V; ++u)
      p.element[u] = run = (q + u) % Block == 0 ? v[q + u] : add(run, v[q + u]);
    store_pack(slots + q, p);
  }
  return run;
}
/// The same in place.
template <unsigned Block, class R>
TWOFOLD_FUNCTION R run_forward(R* slots) {
  R v[chunk];
  read_chunk(v, slots);
  return run_forward<Block>(v, slots);
}

/// The same backwards, in registers: each element becomes the sum from itself to the end of its block.
template <unsigned Block, class R>
TWOFOLD_FUNCTION void run_backward(R (&v)[chunk]) {
  TWOFOLD_UNROLL
  for (unsigned q = chunk - 1; q-- > 0;) {
    if (q % Block != Block - 1) v[q] = add(v[q + 1], v[q]);
  }
}

template <class R>
TWOFOLD_FUNCTION R sum_of_chunk(const R (&v)[chunk]) {
  R run = v[0];
  TWOFOLD_UNROLL
  for (unsigned q = 1; q < chunk; ++q) run = add(run, v[q]);
  return run;
}

/// The tree over 32 neighbours.
template <class R>
TWOFOLD_FUNCTION R sum_of_nodes(R (&v)[chunk]) {
  TWOFOLD_UNROLL
  for (unsigned count = chunk / 2; count > 0; count /= 2) {
    TWOFOLD_UNROLL
    for (unsigned q = 0; q < chunk / 2; ++q) {
      if (q < count) v[q] = add(v[2 * q], v[2 * q + 1]);
    }
  }
  return v[0];
}

/// Nodes of `chunks` chunks and of the levels up to `top` above them.
TWOFOLD_FUNCTION constexpr unsigned node_room(unsigned chunks, int top) {
  unsigned room = chunks;
  for (int level = 1; level <= top; ++level) {
    chunks = chunks / 2 + 1;
    room += chunks;
  }
  return room;
}

/// The nodes of one level, as stencil_order::node_level has them, in the gaps behind a tile's chunks: they need no
/// memory of their own, and node j is in bank j as it would be side by side. A few hundred bytes a team decide how much
/// of an SM's memory is left as L1, which has to hold the lines that loads have in flight.
template <class R>
struct gap_level {
  R* slots;
  unsigned before;  // nodes of the levels below
  unsigned count;
  index first;

  TWOFOLD_FUNCTION R& node(unsigned b) const {
    constexpr unsigned V = pack_size<R>;
    const unsigned j = before + b;
    return slots[j / V * chunk_step<R> + chunk + j % V];
  }
  TWOFOLD_FUNCTION R operator[](index b) const {
    const auto at = static_cast<std::uint64_t>(b - first);
    return at < count ? node(static_cast<unsigned>(at)) : absent<R>();
  }
  TWOFOLD_FUNCTION gap_level above() const {
    const index up = first >> 1;
    return {slots, before + count, static_cast<unsigned>(((first + count - 1) >> 1) - up + 1), up};
  }
};

/// Elements of a tile of `chunks` chunks with `nodes` nodes in its gaps.
template <class R>
TWOFOLD_FUNCTION constexpr unsigned tile_room(unsigned chunks, unsigned nodes) {
  const unsigned gaps = (nodes + pack_size<R> - 1) / pack_size<R>;
  return (chunks > gaps ? chunks : gaps) * chunk_step<R>;
}

/// The level above, by the team; needs a barrier before and after.
template <class Team, class Level>
TWOFOLD_FUNCTION void build_above(const Team& team, const Level& level) {
  const auto up = level.above();
  for (unsigned b = team.rank(); b < up.count; b += team.size()) {
    const index left = 2 * (up.first + b);
    up.node(b) = add(level[left], level[left + 1]);
  }
}

/// x - x is 0 for numbers, and not a number for the rest.
template <class R>
TWOFOLD_FUNCTION bool all_are_numbers(R a, R b, R c, R d, R e) {
  if constexpr (std::is_floating_point_v<R>) {
    const R zero = (a - a) + (b - b) + (c - c) + (d - d) + (e - e);
    return zero == zero;
  } else {
    return true;
  }
}

/// Finishes the chunk of the calling thread: `v` holds the sums to the end of the block, the slots of the team's
/// chunks and those behind the sums from the start of the block; `ends` is the chunk 2k / 32 chunks on, and the first
/// window ends at its element rest = Odd + `even`, a multiple of a pack. With two blocks a chunk, `blocks` are those
/// behind its first and its second.
template <unsigned Block, unsigned Odd, class R>
TWOFOLD_FUNCTION void join(R (&v)[chunk], const R* ends, unsigned even,
                           stencil_order::between_ends<R> blocks) {
  constexpr unsigned V = pack_size<R>;
  const R begin = v[0], second = v[chunk - Block];
  const auto in_next = [even](unsigned q) { return even + q / V * V >= chunk; };
  const auto pack_of = [&](unsigned q) { return load_pack(ends + even + q + (in_next(q) ? V : 0)); };
  pack<R> p = pack_of(0);
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) {
    const unsigned at = q + Odd;
    if (q > 0 && at % V == 0) p = pack_of(at);
    R between;
    if constexpr (Block == chunk) {
      between = in_next(at) ? blocks.sum_of_next : blocks.sum;
    } else {
      // A window has no block between, or the one behind that where it begins.
      between = !in_next(q % Block + Odd) ? absent<R>() : q < Block ? blocks.sum : blocks.sum_of_next;
    }
    v[q] = add(add(v[q], between), p.element[at % V]);
  }
  // Running sums keep what is no number. So five of them tell whether a result can be none, all others need no look.
  if (!all_are_numbers(begin, second, blocks.sum, blocks.sum_of_next, p.element[(chunk - 1 + Odd) % V])) {
    TWOFOLD_UNROLL
    for (unsigned q = 0; q < chunk; ++q) v[q] = canonical(v[q]);
  }
}

template <unsigned Block, class R>
TWOFOLD_FUNCTION void join(R (&v)[chunk], const R* ends, unsigned rest,
                           stencil_order::between_ends<R> blocks) {
  if constexpr (pack_size<R> == 4) {  // rest is even
    if (rest % 4 != 0) return join<Block, 2>(v, ends, rest - 2, blocks);
  }
  join<Block, 0>(v, ends, rest, blocks);
}

// ---- windows that fit on chip with the team's chunks: one pass ---------------------------------------

/// Chunks that a team needs beyond its own.
TWOFOLD_FUNCTION constexpr unsigned reach(index k) {
  return static_cast<unsigned>((2 * k + stencil_order::chunk - 1) / stencil_order::chunk);
}

/// Chunks whose results a team of `size` threads has. Where the windows reach a little further, a few threads have
/// none, so that none has to take a second chunk while the others wait.
TWOFOLD_FUNCTION constexpr unsigned own_chunks(index k, unsigned size) {
  return reach(k) <= size / 8 ? size - reach(k) : size;
}

/// Teams of `size` threads for n results.
TWOFOLD_FUNCTION constexpr index team_count(index n, index k, unsigned size) {
  const index chunks = stencil_order::chunk_of(n - 1 - k) - stencil_order::chunk_of(-k) + 1;
  return (chunks + own_chunks(k, size) - 1) / own_chunks(k, size);
}

template <class R>
TWOFOLD_FUNCTION constexpr std::size_t one_pass_bytes(index k, unsigned size) {
  const unsigned chunks = size + reach(k);
  return std::size_t{tile_room<R>(chunks, node_room(chunks, stencil_order::top_level(k)))} * sizeof(R);
}

/// 16-byte loads of a thread before it uses the first: a chunk.
template <class T>
inline constexpr unsigned packs_in_flight = chunk / pack_size<T>;

/// Team `rank` of the league: results whose windows begin in its chunks.
template <unsigned Block, class R, class Team, class In, class Out>
TWOFOLD_FUNCTION void one_pass(const Team& team, const In& in, const Out& out, index n, index k,
                               index league_rank, R* memory) {
  constexpr unsigned step = chunk_step<R>;
  const unsigned rest = static_cast<unsigned>(2 * k) % chunk, whole = static_cast<unsigned>(2 * k) / chunk;
  const unsigned own = own_chunks(k, team.size()), chunks = own + reach(k);
  using T = std::remove_cvref_t<decltype(*in(0))>;
  const index first_chunk = stencil_order::chunk_of(-k) + league_rank * own;
  R* const slots = memory;
  R* const mine = slots + team.rank() * step;
  const gap_level<R> level{slots, 0, chunks, first_chunk};

  load_tile<packs_in_flight<T>>(team, in, n, first_chunk * chunk, chunks * chunk, slots);
  team.barrier();  // the elements are there

  R v[chunk];
  read_chunk(v, mine);
  const R sum = run_forward<Block>(v, mine);
  if constexpr (Block == chunk) level.node(team.rank()) = sum;
  for (unsigned c = team.rank() + team.size(); c < chunks; c += team.size()) {
    const R behind = run_forward<Block>(slots + c * step);
    if constexpr (Block == chunk) level.node(c) = behind;
  }
  run_backward<Block>(v);
  team.barrier();  // the running sums and the nodes are there

  stencil_order::between_ends<R> between{};
  if constexpr (Block == chunk) {
    auto below = level;
    for (unsigned w = whole; w > 1; w /= 2) {
      build_above(team, below);
      below = below.above();
      team.barrier();  // this level is there for the next, and for all
    }
    const index begin = first_chunk + team.rank() + 1;
    between = stencil_order::sums_of_chunks<R>(begin, begin + whole - 1, level, level, {});
  } else if (team.rank() < own) {
    // The second block of this chunk, and the first of the next.
    between = {mine[chunk - 1], mine[step + chunk / 2 - 1]};
  }
  if (team.rank() < own) join<Block>(v, slots + (team.rank() + whole) * step, rest, between);
  write_results(team, v, slots, own * chunk, out, n, first_chunk * chunk + k);
}

// ---- longer windows: sums of 1024 elements in a first pass, then the ends of the windows --------------

template <class R>
TWOFOLD_FUNCTION constexpr std::size_t kept_bytes() {
  return (std::size_t{long_team_size<R>} * chunk_step<R> + slot<R>(long_team_size<R>)) * sizeof(R);
}

/// The kept nodes of the lowest level, one per 32 threads of the team.
template <class R, class Team, class In>
TWOFOLD_FUNCTION void keep_nodes(const Team& team, const In& in, index n, index league_rank, R* memory,
                                 R* kept) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr unsigned step = chunk_step<R>;
  R* const slots = memory;
  R* const sums = memory + team.size() * step;
  const index first_chunk = league_rank * team.size();
  load_tile<packs_in_flight<T>>(team, in, n, first_chunk * chunk, team.size() * chunk, slots);
  team.barrier();  // the elements are there
  R v[chunk];
  read_chunk(v, slots + team.rank() * step);
  sums[slot<R>(team.rank())] = sum_of_chunk(v);
  team.barrier();  // the chunks' sums are there
  const index node = first_chunk / stencil_order::kept_chunks + team.rank();
  if (team.rank() < team.size() / chunk && node < stencil_order::kept_count(n)) {
    read_chunk(v, sums + team.rank() * step);
    kept[node] = sum_of_nodes(v);
  }
}

/// Nodes that a team takes to build the levels above, and how many levels that gives.
inline constexpr unsigned built_nodes = 512;
inline constexpr int built_levels = 9;
inline constexpr unsigned build_team_size = 256;

/// Builds up to `levels` <= 9 levels above `level`, which is whole.
template <class R, class Team>
TWOFOLD_FUNCTION void build_kept(const Team& team, stencil_order::node_level<R> level, int levels,
                                 index league_rank, R* memory) {
  index first = league_rank * built_nodes;
  for (unsigned e = team.rank(); e < built_nodes; e += team.size()) memory[e] = level[first + e];
  unsigned count = built_nodes;
  for (; levels > 0; --levels) {
    level = level.above();
    first /= 2;
    count /= 2;
    team.barrier();  // the level below is there
    R sum{};
    if (team.rank() < count) sum = add(memory[2 * team.rank()], memory[2 * team.rank() + 1]);
    team.barrier();  // and read
    if (team.rank() < count) {
      memory[team.rank()] = sum;
      if (first + team.rank() < level.count) level.nodes[first + team.rank()] = sum;
    }
  }
}

/// Chunks of the ends of a team's windows, from the start of the kept node where the first ends.
template <class R>
inline constexpr unsigned end_chunks = long_team_size<R> + chunk;

/// Nodes below the kept level where a team's windows begin, and where they end.
template <class R>
inline constexpr unsigned begin_nodes = node_room(long_team_size<R>, stencil_order::kept_level - 1);
template <class R>
inline constexpr unsigned end_nodes = node_room(end_chunks<R>, stencil_order::kept_level - 1);

/// Whether the gaps of the second pass' tile have room for both; the gaps of 8-byte chunks are two elements.
template <class R>
inline constexpr bool nodes_in_gaps = begin_nodes<R> + end_nodes<R> <= end_chunks<R> * pack_size<R>;

/// Bytes that a team of the second pass needs: the larger stream, and the nodes below the kept level of both.
template <class R>
TWOFOLD_FUNCTION constexpr std::size_t two_pass_bytes() {
  const unsigned beside = nodes_in_gaps<R> ? 0 : begin_nodes<R> + end_nodes<R>;
  return (std::size_t{end_chunks<R>} * chunk_step<R> + beside) * sizeof(R);
}

/// Teams of the second pass: they begin at a kept node.
template <class R>
TWOFOLD_FUNCTION constexpr index two_pass_teams(index n, index k) {
  const index first = stencil_order::chunk_of(-k) & ~(stencil_order::kept_chunks - 1);
  const index chunks = stencil_order::chunk_of(n - 1 - k) - first + 1;
  return (chunks + long_team_size<R> - 1) / long_team_size<R>;
}

template <class R, class Team, class In, class Out>
TWOFOLD_FUNCTION void two_pass(const Team& team, const In& in, const Out& out, index n, index k,
                               index league_rank, R* memory, stencil_order::node_level<R> kept) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr unsigned step = chunk_step<R>;
  const unsigned rest = static_cast<unsigned>(2 * k % chunk);
  const index whole = 2 * k / chunk;
  const index begin_chunk =
      (stencil_order::chunk_of(-k) & ~(stencil_order::kept_chunks - 1)) + league_rank * team.size();
  const index end_chunk = (begin_chunk + whole) & ~(stencil_order::kept_chunks - 1);
  const unsigned before = static_cast<unsigned>(begin_chunk + whole - end_chunk);
  const unsigned ends = team.size() + 1 + before;
  R* const slots = memory;
  const auto level_of = [slots](unsigned before_it, unsigned count, index first) {
    if constexpr (nodes_in_gaps<R>) {
      return gap_level<R>{slots, before_it, count, first};
    } else {
      return stencil_order::node_level<R>{slots + end_chunks<R> * step + before_it, first, count};
    }
  };
  const auto at_begin = level_of(0, team.size(), begin_chunk);
  const auto at_end = level_of(begin_nodes<R>, ends, end_chunk);

  // Where the windows begin.
  load_tile<packs_in_flight<T>>(team, in, n, begin_chunk * chunk, team.size() * chunk, slots);
  team.barrier();  // the elements are there
  R v[chunk];
  read_chunk(v, slots + team.rank() * step);
  at_begin.node(team.rank()) = sum_of_chunk(v);
  run_backward<chunk>(v);
  team.barrier();  // and read

  // Where they end; with v kept, registers are scarce.
  load_tile<packs_in_flight<T> / 2>(team, in, n, end_chunk * chunk, ends * chunk, slots);
  team.barrier();  // the elements are there
  for (unsigned c = team.rank(); c < ends; c += team.size())
    at_end.node(c) = run_forward<chunk>(slots + c * step);
  team.barrier();  // the running sums and the nodes are there

  auto b = at_begin, e = at_end;
  for (int level = 1; level < stencil_order::kept_level; ++level) {
    build_above(team, b);
    build_above(team, e);
    b = b.above();
    e = e.above();
    team.barrier();  // this level is there for the next, and for all
  }
  const index begin = begin_chunk + team.rank() + 1;
  const auto between = stencil_order::sums_of_chunks<R>(begin, begin + whole - 1, at_begin, at_end, kept);
  join<chunk>(v, slots + (team.rank() + before) * step, rest, between);
  write_results(team, v, slots, team.size() * chunk, out, n, begin_chunk * chunk + k);
}

}  // namespace stencil_device
}  // namespace twofold::backends
