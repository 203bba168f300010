// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/arithmetic.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

/// @file
/// Which elements a window sum adds to which, as a function of the window's two ends alone: never of the
/// count, the threads or the device. The specification in prose is docs/algorithms/stencil.md. Changing a
/// number here is a breaking change.
///
/// Radius k up to 8: the terms in ascending order. Beyond: the index line is cut into blocks of 16 (k < 16)
/// or 32 elements, and a window is the rest of the block where it begins, the whole blocks between, and the
/// start of the block where it ends. No subtraction, so no cancellation.

namespace twofold {

/// The pairs of element type T and result type R for which stencils exist: the same type (integers wrap), or
/// a wider one.
template <class T, class R>
concept stencils_in =
    (std::same_as<T, R> &&
     (std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
      std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>)) ||
    (std::same_as<T, float> && std::same_as<R, double>) ||
    (std::same_as<T, std::int32_t> && std::same_as<R, std::int64_t>) ||
    (std::same_as<T, std::uint32_t> && std::same_as<R, std::uint64_t>);

}  // namespace twofold

namespace twofold::stencil_order {

/// Signed: windows begin before the first element. Right shifts of it round down.
using index = std::int64_t;

/// The largest radius whose window is summed term by term.
inline constexpr index longest_direct = 8;

/// Elements of a chunk; a block is a chunk, or half of one where the window could fit into a chunk.
inline constexpr index chunk = 32;
inline constexpr int chunk_bits = 5;

TWOFOLD_FUNCTION constexpr unsigned block_size(index k) { return k < 16 ? 16 : 32; }

/// A radius that gives the same bits for n elements, and no overflow: a window that reaches a chunk beyond
/// both ends has all elements in the blocks between, whatever its radius.
TWOFOLD_FUNCTION constexpr index clamped_radius(std::uint64_t k, std::size_t n) {
  const std::uint64_t enough = n + 2 * chunk;
  return static_cast<index>(k < enough ? k : enough);
}

TWOFOLD_FUNCTION constexpr index chunk_of(index element) { return element >> chunk_bits; }

/// Nodes: node (0, b) is the sum of chunk b in ascending order, node (l, b) is node (l - 1, 2b) + (2b + 1).
/// The nodes of level 5, of 1024 elements, and above are kept in memory where the window is long.
inline constexpr int kept_level = 5;
inline constexpr index kept_chunks = index{1} << kept_level;
inline constexpr index kept_size = chunk * kept_chunks;

TWOFOLD_FUNCTION constexpr index kept_count(index n) { return (n + kept_size - 1) / kept_size; }

/// The highest level of which a window of radius k uses a node.
TWOFOLD_FUNCTION constexpr int top_level(index k) {
  int level = 0;
  for (index whole = 2 * k / chunk; whole > 1; whole /= 2) ++level;
  return level;
}

/// All kept nodes of n elements: the lowest level, and those above it up to `top`.
TWOFOLD_FUNCTION constexpr index kept_total(index n, int top) {
  index count = kept_count(n), total = count;
  for (int level = kept_level; level < top; ++level) {
    count = (count + 1) / 2;
    total += count;
  }
  return total;
}

/// The nodes of one level that are at hand, from `first` on; what lies outside has no elements.
template <class R>
struct node_level {
  R* nodes;
  index first;
  index count;

  TWOFOLD_FUNCTION R operator[](index b) const {
    const auto at = static_cast<std::uint64_t>(b - first);
    return at < static_cast<std::uint64_t>(count) ? nodes[at] : backends::absent<R>();
  }
  TWOFOLD_FUNCTION R& node(index b) const { return nodes[b]; }
  /// The level above, which follows in memory.
  TWOFOLD_FUNCTION node_level above() const {
    const index up = first >> 1;
    return {nodes + count, up, ((first + count - 1) >> 1) - up + 1};
  }
};

/// What windows that begin in one chunk have between their ends: those that end in chunk `end`, and those that
/// end in the next.
template <class R>
struct between_ends {
  R sum;
  R sum_of_next;
};

/// The sums of the chunks begin .. end - 1, and begin .. end: both ends climb the levels, and where an end's
/// parent would reach outside, the end takes the node on the inner side and moves past it. `at_begin` and
/// `at_end` are level 0 near either end; from level `kept_level` on both are `kept`, where that has nodes.
/// No branches: an absent value changes nothing, and neighbouring threads take different nodes.
template <class R, class Level>
TWOFOLD_FUNCTION between_ends<R> sums_of_chunks(index begin, index end, Level at_begin, Level at_end,
                                                node_level<R> kept) {
  using backends::absent;
  using backends::add;
  between_ends<R> left{absent<R>(), absent<R>()}, right = left;
  index end_of_next = end + 1;
  const auto climb = [&](const auto& near_begin, const auto& near_end) {
    const R from_begin = begin & 1 ? near_begin[begin] : absent<R>();
    left.sum = add(left.sum, begin < end ? from_begin : absent<R>());
    left.sum_of_next = add(left.sum_of_next, from_begin);
    right.sum = add(begin < end && (end & 1) ? near_end[end - 1] : absent<R>(), right.sum);
    right.sum_of_next = add(end_of_next & 1 ? near_end[end_of_next - 1] : absent<R>(), right.sum_of_next);
    begin = (begin + 1) >> 1;
    end >>= 1;
    end_of_next >>= 1;
  };
  for (int level = 0; begin < end_of_next && (level < kept_level || kept.nodes == nullptr); ++level) {
    climb(at_begin, at_end);
    at_begin = at_begin.above();
    at_end = at_end.above();
  }
  bool more = begin < end_of_next;
  while (more) {
    climb(kept, kept);
    kept = kept.above();
    more = begin < end_of_next;
  }
  return {add(left.sum, right.sum), add(left.sum_of_next, right.sum_of_next)};
}

}  // namespace twofold::stencil_order
