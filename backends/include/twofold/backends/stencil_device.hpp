// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// What the teams of a GPU do in a stencil, the same for the portable and the native kernels. A team is
///
///   rank(), size()       of the calling thread; the size is a multiple of 32
///   barrier()            for all of its threads, and for what they wrote to `memory`
///   write(address, v)    a result, which is not read again here; write_pack for aligned neighbours
///
/// Its memory is on chip (shared memory, team scratch memory). Elements are kept there with a gap of one
/// after every 32, so that threads which walk neighbouring chunks use different banks.

namespace twofold::backends {

using stencil_order::index;

/// Elements side by side, the usual case; or `stride` elements apart.
template <class T>
struct adjacent_elements {
  T* data;
  TWOFOLD_FUNCTION T* operator()(index i) const { return data + i; }
  TWOFOLD_FUNCTION unsigned misaligned(unsigned bytes) const {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % bytes / sizeof(T));
  }
};
template <class T>
struct spread_elements {
  T* data;
  std::ptrdiff_t stride;
  TWOFOLD_FUNCTION T* operator()(index i) const { return data + i * stride; }
  TWOFOLD_FUNCTION unsigned misaligned(unsigned) const { return 0; }
};

namespace stencil_device {

inline constexpr unsigned chunk = static_cast<unsigned>(stencil_order::chunk);

/// Threads of a team: one per chunk. Doubles keep twice the registers and memory.
template <class R>
inline constexpr unsigned team_size = sizeof(R) == 4 ? 256 : 128;
/// For long windows, a multiple of the kept nodes' 32 chunks; chosen to stay below 48 KiB.
template <class R>
inline constexpr unsigned long_team_size = sizeof(R) == 4 ? 256 : 96;

/// Where element e is kept, with a gap of one after every `Every`.
template <unsigned Every>
TWOFOLD_FUNCTION constexpr unsigned slot(unsigned e) {
  return e + e / Every;
}

/// Bytes of elements that a thread loads before it uses the first.
inline constexpr unsigned bytes_in_flight = 64;

/// Copies elements first .. first + count - 1 into the slots; those that do not exist are absent.
template <unsigned Every, class R, class Team, class In>
TWOFOLD_FUNCTION void load(const Team& team, const In& in, index n, index first, unsigned count, R* slots) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr unsigned in_flight = bytes_in_flight / sizeof(T);
  const unsigned step = team.size();
  unsigned e = team.rank();
  if (first >= 0 && first + static_cast<index>(count) <= n) {
    TWOFOLD_DO_NOT_UNROLL
    for (; e + (in_flight - 1) * step < count; e += in_flight * step) {
      T v[in_flight];
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < in_flight; ++u) v[u] = *in(first + (e + u * step));
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < in_flight; ++u) slots[slot<Every>(e + u * step)] = static_cast<R>(v[u]);
    }
  }
  TWOFOLD_DO_NOT_UNROLL
  for (; e < count; e += step) {
    const index i = first + static_cast<index>(e);
    slots[slot<Every>(e)] = i >= 0 && i < n ? static_cast<R>(*in(i)) : absent<R>();
  }
}

/// Turns a chunk into its running sums, from the start of each block on. Returns the last: the chunk's sum
/// where a block is a chunk.
template <unsigned Block, class R>
TWOFOLD_FUNCTION R run_forward(R* slots) {
  R run{};
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) {
    run = q % Block == 0 ? slots[q] : add(run, slots[q]);
    slots[q] = run;
  }
  return run;
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
  for (unsigned level = 1; level <= stencil_order::chunk_bits; ++level) {
    TWOFOLD_UNROLL
    for (unsigned q = 0; q < chunk >> level; ++q) v[q] = add(v[2 * q], v[2 * q + 1]);
  }
  return v[0];
}

/// Room for the nodes of `chunks` chunks and of the levels up to `top` above them.
TWOFOLD_FUNCTION constexpr unsigned node_room(unsigned chunks, int top) {
  unsigned room = chunks;
  for (int level = 1; level <= top; ++level) {
    chunks = chunks / 2 + 1;
    room += chunks;
  }
  return room;
}

/// The level above, by the team; needs a barrier before and after.
template <class R, class Team>
TWOFOLD_FUNCTION void build_above(const Team& team, stencil_order::node_level<R> level) {
  const auto up = level.above();
  for (index b = team.rank(); b < up.count; b += team.size()) {
    const index left = 2 * (up.first + b);
    up.nodes[b] = add(level[left], level[left + 1]);
  }
}

/// Finishes the chunk of the calling thread: `v` holds the sums to the end of the block, the slots of the
/// team's chunks and those behind the sums from the start of the block; `to_end` is the slot of the chunk
/// 2k / 32 chunks on. With two blocks a chunk, `blocks` are those behind its first and its second.
template <unsigned Block, class R>
TWOFOLD_FUNCTION void join(R (&v)[chunk], const R* slots, unsigned to_end, unsigned rest,
                           stencil_order::between_ends<R> blocks) {
  constexpr unsigned gap = chunk + 1;
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) {
    const bool next = q + rest >= chunk;
    const R end = slots[to_end + (next ? gap - chunk : 0) + q + rest];
    R between = next ? blocks.sum_of_next : blocks.sum;
    if constexpr (Block == chunk / 2) {
      // A window has no block between, or the one behind that where it begins.
      const bool whole = q % Block + (rest - Block) >= Block;
      between = whole ? (q < Block ? blocks.sum : blocks.sum_of_next) : absent<R>();
    }
    v[q] = canonical(add(add(v[q], between), end));
  }
}

/// Writes the results of the team, which begin at element `first`, through the slots, so that neighbouring
/// threads write neighbouring elements and each full line of memory is written at once.
template <class R, class Team, class Out>
TWOFOLD_FUNCTION void write_results(const Team& team, R (&v)[chunk], R* slots, const Out& out, index n,
                                    index first) {
  constexpr unsigned line_bytes = 128;
  R* const mine = slots + team.rank() * (chunk + 1);
  team.barrier();  // the running sums are all read
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) mine[q] = v[q];
  team.barrier();  // the results are all there
  constexpr unsigned line = line_bytes / sizeof(R);
  const unsigned shift = (static_cast<unsigned>(first & (line - 1)) + out.misaligned(line_bytes)) % line;
  const unsigned count = chunk * team.size();
  const bool inside = first >= 0 && first + static_cast<index>(count) <= n;
  for (unsigned e = team.rank() < shift ? team.rank() + team.size() - shift : team.rank() - shift; e < count;
       e += team.size()) {
    const index i = first + static_cast<index>(e);
    if (inside || (i >= 0 && i < n)) team.write(out(i), slots[slot<chunk>(e)]);
  }
}

// ---- windows that fit on chip with the team's chunks: one pass ---------------------------------------

/// Chunks that a team needs beyond its own.
TWOFOLD_FUNCTION constexpr unsigned reach(index k) {
  return static_cast<unsigned>((2 * k + stencil_order::chunk - 1) / stencil_order::chunk);
}

/// Teams of `size` threads for n results.
TWOFOLD_FUNCTION constexpr index team_count(index n, index k, unsigned size) {
  const index chunks = stencil_order::chunk_of(n - 1 - k) - stencil_order::chunk_of(-k) + 1;
  return (chunks + size - 1) / size;
}

template <class R>
TWOFOLD_FUNCTION constexpr std::size_t one_pass_bytes(index k) {
  const unsigned chunks = team_size<R> + reach(k);
  return (std::size_t{chunks} * (chunk + 1) + node_room(chunks, stencil_order::top_level(k))) * sizeof(R);
}

/// Team `rank` of the league: results whose windows begin in its chunks.
template <unsigned Block, class R, class Team, class In, class Out>
TWOFOLD_FUNCTION void one_pass(const Team& team, const In& in, const Out& out, index n, index k,
                               index league_rank, R* memory) {
  constexpr unsigned gap = chunk + 1;
  const unsigned rest = static_cast<unsigned>(2 * k) % chunk, whole = static_cast<unsigned>(2 * k) / chunk;
  const unsigned chunks = team.size() + reach(k);
  const index first_chunk = stencil_order::chunk_of(-k) + league_rank * team.size();
  R* const slots = memory;
  R* const nodes = memory + chunks * gap;
  R* const mine = slots + team.rank() * gap;

  load<chunk>(team, in, n, first_chunk * chunk, chunks * chunk, slots);
  team.barrier();  // the elements are there

  R v[chunk];
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) v[q] = mine[q];
  const R sum = run_forward<Block>(mine);
  if constexpr (Block == chunk) nodes[team.rank()] = sum;
  for (unsigned c = team.rank() + team.size(); c < chunks; c += team.size()) {
    const R behind = run_forward<Block>(slots + c * gap);
    if constexpr (Block == chunk) nodes[c] = behind;
  }
  run_backward<Block>(v);
  team.barrier();  // the running sums and the nodes are there

  stencil_order::between_ends<R> between{};
  if constexpr (Block == chunk) {
    const stencil_order::node_level<R> level{nodes, first_chunk, chunks};
    auto below = level;
    for (unsigned w = whole; w > 1; w /= 2) {
      build_above(team, below);
      below = below.above();
      team.barrier();  // this level is there for the next, and for all
    }
    const index begin = first_chunk + team.rank() + 1;
    between = stencil_order::sums_of_chunks<R>(begin, begin + whole - 1, level, level, {});
  } else {
    // The second block of this chunk, and the first of the next.
    between = {mine[chunk - 1], mine[gap + chunk / 2 - 1]};
  }
  join<Block>(v, slots, (team.rank() + whole) * gap, rest, between);
  write_results(team, v, slots, out, n, first_chunk * chunk + k);
}

// ---- longer windows: sums of 1024 elements in a first pass, then the ends of the windows --------------

template <class R>
TWOFOLD_FUNCTION constexpr std::size_t kept_bytes() {
  return (std::size_t{long_team_size<R>} * (chunk + 1) + slot<chunk>(long_team_size<R>)) * sizeof(R);
}

/// The kept nodes of the lowest level, one per 32 threads of the team.
template <class R, class Team, class In>
TWOFOLD_FUNCTION void keep_nodes(const Team& team, const In& in, index n, index league_rank, R* memory,
                                 R* kept) {
  constexpr unsigned gap = chunk + 1;
  R* const slots = memory;
  R* const sums = memory + team.size() * gap;
  const index first_chunk = league_rank * team.size();
  load<chunk>(team, in, n, first_chunk * chunk, team.size() * chunk, slots);
  team.barrier();  // the elements are there
  R v[chunk];
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) v[q] = slots[team.rank() * gap + q];
  sums[slot<chunk>(team.rank())] = sum_of_chunk(v);
  team.barrier();  // the chunks' sums are there
  const index node = first_chunk / stencil_order::kept_chunks + team.rank();
  if (team.rank() < team.size() / chunk && node < stencil_order::kept_count(n)) {
    TWOFOLD_UNROLL
    for (unsigned q = 0; q < chunk; ++q) v[q] = sums[team.rank() * gap + q];
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
inline constexpr unsigned end_chunks = long_team_size<R> + chunk + 1;

/// Bytes that a team of the second pass needs: the larger stream, and the nodes below the kept level of both.
template <class R>
TWOFOLD_FUNCTION constexpr std::size_t two_pass_bytes() {
  return (std::size_t{end_chunks<R>} * (chunk + 1) +
          node_room(long_team_size<R>, stencil_order::kept_level - 1) +
          node_room(end_chunks<R>, stencil_order::kept_level - 1)) *
         sizeof(R);
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
  constexpr unsigned gap = chunk + 1;
  const unsigned rest = static_cast<unsigned>(2 * k % chunk);
  const index whole = 2 * k / chunk;
  const index begin_chunk =
      (stencil_order::chunk_of(-k) & ~(stencil_order::kept_chunks - 1)) + league_rank * team.size();
  const index end_chunk = (begin_chunk + whole) & ~(stencil_order::kept_chunks - 1);
  const unsigned before = static_cast<unsigned>(begin_chunk + whole - end_chunk);
  const unsigned ends = team.size() + 1 + before;
  R* const slots = memory;
  const stencil_order::node_level<R> at_begin{memory + end_chunks<R> * gap, begin_chunk, team.size()};
  const stencil_order::node_level<R> at_end{
      at_begin.nodes + node_room(long_team_size<R>, stencil_order::kept_level - 1), end_chunk, ends};

  // Where the windows begin.
  load<chunk>(team, in, n, begin_chunk * chunk, team.size() * chunk, slots);
  team.barrier();  // the elements are there
  R v[chunk];
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; ++q) v[q] = slots[team.rank() * gap + q];
  at_begin.nodes[team.rank()] = sum_of_chunk(v);
  run_backward<chunk>(v);
  team.barrier();  // and read

  // Where they end.
  load<chunk>(team, in, n, end_chunk * chunk, ends * chunk, slots);
  team.barrier();  // the elements are there
  for (unsigned c = team.rank(); c < ends; c += team.size())
    at_end.nodes[c] = run_forward<chunk>(slots + c * gap);
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
  join<chunk>(v, slots, (team.rank() + before) * gap, rest, between);
  write_results(team, v, slots, out, n, begin_chunk * chunk + k);
}

}  // namespace stencil_device
}  // namespace twofold::backends
