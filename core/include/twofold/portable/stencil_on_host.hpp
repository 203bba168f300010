// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/kokkos/execution.hpp>
#include <twofold/backends/sources.hpp>
#include <twofold/backends/stencil_host.hpp>
#include <twofold/backends/stencil_tile_device.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

/// @file
/// The portable stencil on the host: a tile of 4096 results per work item, or of 2048 term by term, in the library's
/// vector loops.

namespace twofold::portable_engine {

namespace stencil_on_host {

using stencil_order::index;

using namespace backends;

inline constexpr index chunk = stencil_order::chunk;

/// Chunks of a tile, and the most that a window may reach beyond it in one pass.
inline constexpr index tile_chunks = 128;
inline constexpr index longest_reach = 64;

/// Fewer tiles than this are done by the calling thread: a parallel region costs about what they do.
inline constexpr index fewest_parallel_tiles = 3;

/// What a work item keeps on its stack.
template <class R>
struct tile_memory {
  static constexpr index chunks = tile_chunks + longest_reach + 1;
  alignas(64) R elements[chunks * chunk];
  alignas(64) R to_end[tile_chunks * chunk];
  alignas(64) R from_begin[chunks * chunk];
  R nodes[2][2 * chunks + 16];
  stencil_order::between_ends<R> between[2 * tile_chunks];
};

/// Elements first .. first + count - 1 as R: where they are, or copied with absent ones filled in.
template <class R, class In>
const R* elements_of(const In& in, index n, index first, index count, R* copy) {
  if constexpr (
      requires {
        { in.data } -> std::convertible_to<const R*>;
      } && !requires { in.stride; }) {
    if (first >= 0 && first + count <= n) return in.data + first;
  }
  const index begin = std::clamp<index>(-first, 0, count), end = std::clamp<index>(n - first, begin, count);
  for (index e = 0; e < begin; ++e) copy[e] = absent<R>();
  for (index e = begin; e < end; ++e) copy[e] = static_cast<R>(*in(first + e));
  for (index e = end; e < count; ++e) copy[e] = absent<R>();
  return copy;
}

/// Where a tile's results go: to the output, or to a copy that is then written element by element.
template <class R, class Out>
class results {
 public:
  results(const Out& out, index n, index first, index count, R* copy)
      : out_(out), n_(n), first_(first), count_(count), copy_(copy) {}
  R* begin() const { return direct() ? out_(first_) : copy_; }
  void finish() const {
    if (direct()) return;
    const index from = std::max<index>(-first_, 0), to = std::min(n_ - first_, count_);
    for (index e = from; e < to; ++e) *out_(first_ + e) = copy_[e];
  }

 private:
  bool direct() const {
    if constexpr (requires { out_.stride; }) return false;
    return first_ >= 0 && first_ + count_ <= n_;
  }
  Out out_;
  index n_, first_, count_;
  R* copy_;
};

template <class R>
void build_levels(stencil_order::node_level<R> level, int levels) {
  for (; levels > 0; --levels) {
    const auto up = level.above();
    for (index b = 0; b < up.count; ++b) {
      up.nodes[b] = add(level[2 * (up.first + b)], level[2 * (up.first + b) + 1]);
    }
    level = up;
  }
}

template <class R, class In, class Out>
struct one_pass {
  In in;
  Out out;
  index n, k;

  index tiles() const {
    return (stencil_order::chunk_of(n - 1 - k) - stencil_order::chunk_of(-k) + tile_chunks) / tile_chunks;
  }
  void operator()(index tile) const {
    tile_memory<R> memory;
    const unsigned block = stencil_order::block_size(k);
    const index first = stencil_order::chunk_of(-k) + tile * tile_chunks;
    const index chunks = tile_chunks + (2 * k + chunk - 1) / chunk, whole = 2 * k / block;
    const R* const x = elements_of(in, n, first * chunk, chunks * chunk, memory.elements);
    R* const nodes = memory.nodes[0];
    host::run_forward(x, static_cast<std::size_t>(chunks), block, memory.from_begin, nodes);
    host::run_backward(x, tile_chunks, block, memory.to_end);

    const index blocks = tile_chunks * chunk / block;
    if (block == chunk) {
      const stencil_order::node_level<R> level{nodes, first, chunks};
      build_levels(level, stencil_order::top_level(k));
      for (index b = 0; b < blocks; ++b) {
        const index begin = first + b + 1;
        memory.between[b] = stencil_order::sums_of_chunks<R>(begin, begin + whole - 1, level, level, {});
      }
    } else {
      for (index b = 0; b < blocks; ++b) {
        memory.between[b] = {absent<R>(), memory.from_begin[(b + 2) * block - 1]};
      }
    }
    const results<R, Out> to(out, n, first * chunk + k, tile_chunks * chunk, memory.elements);
    host::join(memory.to_end, memory.between, memory.from_begin + 2 * k, to.begin(),
               static_cast<std::size_t>(blocks), block, static_cast<unsigned>(2 * k % block));
    to.finish();
  }
};

/// The kept nodes of the lowest level, 32 a tile.
template <class R, class In>
struct keep_nodes {
  In in;
  index n;
  R* kept;

  static constexpr index nodes_per_tile = 8;
  index tiles() const { return (stencil_order::kept_count(n) + nodes_per_tile - 1) / nodes_per_tile; }
  void operator()(index tile) const {
    constexpr index chunks = nodes_per_tile * stencil_order::kept_chunks;
    R copy[chunks * chunk], sums[2 * chunks];
    const R* const x = elements_of(in, n, tile * chunks * chunk, chunks * chunk, copy);
    host::run_forward<R>(x, chunks, stencil_order::chunk, nullptr, sums);
    stencil_order::node_level<R> level{sums, 0, chunks};
    build_levels(level, stencil_order::kept_level);
    for (int l = 0; l < stencil_order::kept_level; ++l) level = level.above();
    const index first = tile * nodes_per_tile;
    for (index b = 0; b < nodes_per_tile && first + b < stencil_order::kept_count(n); ++b)
      kept[first + b] = level[b];
  }
};

template <class R, class In, class Out>
struct two_pass {
  In in;
  Out out;
  index n, k;
  stencil_order::node_level<R> kept;

  static constexpr index aligned(index c) { return c & ~(stencil_order::kept_chunks - 1); }
  index tiles() const {
    return (stencil_order::chunk_of(n - 1 - k) - aligned(stencil_order::chunk_of(-k)) + tile_chunks) /
           tile_chunks;
  }
  void operator()(index tile) const {
    tile_memory<R> memory;
    const index begin_chunk = aligned(stencil_order::chunk_of(-k)) + tile * tile_chunks;
    const index whole = 2 * k / chunk, end_chunk = aligned(begin_chunk + whole);
    const index before = begin_chunk + whole - end_chunk, ends = tile_chunks + 1 + before;
    const stencil_order::node_level<R> at_begin{memory.nodes[0], begin_chunk, tile_chunks};
    const stencil_order::node_level<R> at_end{memory.nodes[1], end_chunk, ends};

    const R* x = elements_of(in, n, begin_chunk * chunk, tile_chunks * chunk, memory.elements);
    host::run_forward<R>(x, tile_chunks, stencil_order::chunk, nullptr, at_begin.nodes);
    host::run_backward(x, tile_chunks, stencil_order::chunk, memory.to_end);
    x = elements_of(in, n, end_chunk * chunk, ends * chunk, memory.elements);
    host::run_forward(x, static_cast<std::size_t>(ends), stencil_order::chunk, memory.from_begin,
                      at_end.nodes);
    build_levels(at_begin, stencil_order::kept_level - 1);
    build_levels(at_end, stencil_order::kept_level - 1);
    for (index c = 0; c < tile_chunks; ++c) {
      const index begin = begin_chunk + c + 1;
      memory.between[c] = stencil_order::sums_of_chunks<R>(begin, begin + whole - 1, at_begin, at_end, kept);
    }
    const unsigned rest = static_cast<unsigned>(2 * k % chunk);
    const results<R, Out> to(out, n, begin_chunk * chunk + k, tile_chunks * chunk, memory.elements);
    host::join(memory.to_end, memory.between, memory.from_begin + before * chunk + rest, to.begin(),
               tile_chunks, stencil_order::chunk, rest);
    to.finish();
  }
};

/// Term by term; `w` is null for plain sums.
template <class R, class In, class Out>
struct direct {
  In in;
  Out out;
  index n, k;
  const R* w;

  static constexpr index tile_size = 2048;
  index tiles() const { return (n + tile_size - 1) / tile_size; }
  void operator()(index tile) const {
    R sums[tile_size];
    const index first = tile * tile_size, end = std::min(first + tile_size, n);
    const index from = std::max<index>(first - k, 0), to_element = std::min(end + k, n);
    // Where elements must be copied, the calling thread keeps room for those of one tile.
    static thread_local std::vector<R> copy;
    if constexpr (requires { in.stride; } || !std::is_same_v<std::remove_cvref_t<decltype(*in(0))>, R>) {
      copy.resize(static_cast<std::size_t>(to_element - from));
    }
    const R* const x = elements_of(in, n, from, to_element - from, copy.data());

    const results<R, Out> to(out, n, first, end - first, sums);
    R* const s = to.begin();
    std::fill(s, s + (end - first), absent<R>());
    // Windows inside the vector, and those that are cut on either side.
    const index inner = std::clamp(k, first, end), cut = std::clamp(n - k, inner, end);
    windows(x, from, first, inner, s);
    if (inner < cut) {
      host::add_terms(x + (inner - k - from), w, static_cast<std::size_t>(2 * k + 1), s + (inner - first),
                      static_cast<std::size_t>(cut - inner));
    }
    windows(x, from, cut, end, s + (cut - first));
    host::make_canonical(s, static_cast<std::size_t>(end - first));
    to.finish();
  }

  /// Windows that are cut, a few together: the terms that all of them have are vector work. `x` begins with
  /// element `from`.
  void windows(const R* x, index from, index first, index end, R* s) const {
    constexpr index together = 64;
    for (index i = first; i < end; i += together, s += together) {
      const index last = std::min(i + together, end) - 1;
      const auto begin_of = [&](index e) { return std::max<index>(k - e, 0); };
      const auto end_of = [&](index e) { return std::min(n + k - e, 2 * k + 1); };
      const index common = begin_of(i), uncommon = std::max(common, end_of(last));
      const index window = i - k - from;
      for (index e = 0; e <= last - i; ++e) {
        add_some(x, window + e, begin_of(i + e), std::min(common, end_of(i + e)), s + e, 1);
      }
      add_some(x, window, common, uncommon, s, last - i + 1);
      for (index e = 0; e <= last - i; ++e) add_some(x, window + e, uncommon, end_of(i + e), s + e, 1);
    }
  }
  /// Terms begin .. end - 1 of `count` windows, the first of which begins at x[window], perhaps before x.
  void add_some(const R* x, index window, index begin, index end, R* s, index count) const {
    if (begin >= end) return;
    host::add_terms(x + (window + begin), w == nullptr ? nullptr : w + begin,
                    static_cast<std::size_t>(end - begin), s, static_cast<std::size_t>(count));
  }
};

template <class Exec, class Work>
void each_tile(const char* label, const Exec& exec, const Work& work, index fewest) {
  const index tiles = work.tiles();
  if (tiles < fewest) {
    for (index t = 0; t < tiles; ++t) work(t);
    return;
  }
  backends::for_each_index(label, exec, static_cast<std::size_t>(tiles),
                           [&work](std::size_t t) { work(static_cast<index>(t)); });
}

template <class R, class Exec, class In, class Out>
void sums(const char* label, const Exec& exec, const In& in, const Out& out, index n, index k) {
  if (k <= stencil_order::longest_direct) {
    each_tile(label, exec, direct<R, In, Out>{in, out, n, k, nullptr}, fewest_parallel_tiles);
  } else if ((2 * k + chunk - 1) / chunk <= longest_reach) {
    each_tile(label, exec, one_pass<R, In, Out>{in, out, n, k}, fewest_parallel_tiles);
  } else {
    const int top = stencil_order::top_level(k);
    backends::host_memory held;
    R* const kept = held.at_least<R>(static_cast<std::size_t>(stencil_order::kept_total(n, top)));
    const stencil_order::node_level<R> level{kept, 0, stencil_order::kept_count(n)};
    each_tile(label, exec, keep_nodes<R, In>{in, n, kept}, fewest_parallel_tiles);
    exec.fence(label);  // the calling thread goes on with what the others wrote
    build_levels(level, top - stencil_order::kept_level);
    each_tile(label, exec, two_pass<R, In, Out>{in, out, n, k, level}, fewest_parallel_tiles);
    exec.fence(label);  // the kept nodes are this thread's
  }
}

template <class R, class Exec, class In, class Out, class Weights>
void weighted(const char* label, const Exec& exec, const In& in, const Out& out, index n, index k,
              const Weights& weights) {
  const index terms = 2 * k + 1;
  backends::host_memory held;
  R* const w = held.at_least<R>(static_cast<std::size_t>(terms));
  for (index j = 0; j < terms; ++j) w[j] = static_cast<R>(*weights(j));
  each_tile(label, exec, direct<R, In, Out>{in, out, n, k, w}, terms > 32 ? 2 : fewest_parallel_tiles);
  exec.fence(label);  // the weights' copy is this thread's
}

}  // namespace stencil_on_host

}  // namespace twofold::portable_engine
