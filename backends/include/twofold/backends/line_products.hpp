// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/matrix.hpp>
#include <twofold/backends/sources.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// outer_product and scale_columns are one thing: every element of a matrix becomes the product of two factors. A
/// factor is the matrix that was there, an element of the vector that runs along the lines (one for each place on a
/// line), or of the vector that runs across them (one for each line). A line is what lies side by side in memory: a
/// row of a row-major matrix, a column of a column-major one.
///
/// Below: what one GPU thread does, the same for the portable and the native kernel.

namespace twofold::backends {

enum class factor { in, along, across };

/// out(l, k) = Left * Right, each of in(l, k), along(k), across(l), for `count` lines of `length` elements.
template <class T, factor Left, factor Right>
struct line_products {
  using element = T;
  static constexpr bool reads_in = Left == factor::in;
  static constexpr bool reads_along = Left == factor::along || Right == factor::along;
  static constexpr bool reads_across = Left == factor::across || Right == factor::across;

  lines_of<const T> in;  // may be `out`
  lines_of<T> out;
  strided<T> along;
  strided<T> across;
  std::size_t count;
  std::size_t length;

  /// The rows of R, packed, as lines. A vector that is not a factor may be any.
  static line_products on(const matrix<const T>& m, const matrix<T>& r, strided<T> runs_along,
                          strided<T> runs_across) {
    // The pitch of a single line is never used; as long as the line, it says that there are no pads.
    const auto pitch = [](const auto& x) {
      return x.rows > 1 ? static_cast<std::size_t>(x.row_stride) : x.columns;
    };
    return {{m.data, pitch(m)}, {r.data, pitch(r)}, runs_along, runs_across, r.rows, r.columns};
  }

  TWOFOLD_FUNCTION static T of(T in, T along, T across) {
    return product(Left == factor::in ? in : across, Right == factor::along ? along : across);
  }
};

/// The products of an outer product: across * along.
template <class T>
using outer_lines = line_products<T, factor::across, factor::along>;
/// Scaling each line by the same vector, and each by a number of its own.
template <class T>
using scaled_along = line_products<T, factor::in, factor::along>;
template <class T>
using scaled_across = line_products<T, factor::in, factor::across>;

/// Elements by which p lies behind a 16-byte boundary.
template <class T>
TWOFOLD_FUNCTION unsigned behind_boundary(const T* p) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) % pack16<T>::size;
}

// Streaming: what is touched once shall not push out of the cache what is used again.
template <class T>
TWOFOLD_FUNCTION pack16<T> load_once(const T* p) {
#if defined(__CUDA_ARCH__)
  const uint4 raw = __ldcs(reinterpret_cast<const uint4*>(p));
  pack16<T> pack;
  memcpy(&pack, &raw, sizeof raw);
  return pack;
#else
  return *reinterpret_cast<const pack16<T>*>(p);
#endif
}

template <class T>
TWOFOLD_FUNCTION void store_once(T* p, const pack16<T>& pack) {
#if defined(__CUDA_ARCH__)
  uint4 raw;
  memcpy(&raw, &pack, sizeof raw);
  __stcs(reinterpret_cast<uint4*>(p), raw);
#else
  *reinterpret_cast<pack16<T>*>(p) = pack;
#endif
}

/// How the lines of in and out lie between 16-byte boundaries: all alike (then a thread's places on the line are the
/// same for every line); in and out alike on each line; or not even that (then in is read by elements).
enum class line_alignment { uniform, each, apart };

template <class Map>
line_alignment alignment_of(const Map& map) {
  using T = typename Map::element;
  constexpr std::size_t E = pack16<T>::size;
  const auto steps_whole = [&](std::size_t pitch) { return map.count <= 1 || pitch % E == 0; };
  const auto in_like_out = [&] {
    return behind_boundary<const T>(map.in.data) == behind_boundary<const T>(map.out.data) &&
           (map.count <= 1 || map.in.pitch % E == map.out.pitch % E);
  };
  if (Map::reads_in && !in_like_out()) return line_alignment::apart;
  return steps_whole(map.out.pitch) ? line_alignment::uniform : line_alignment::each;
}

/// Lines of one thread: so many 16-byte loads in flight, or so many stores after one look at `along`. Where the matrix is
/// read too, few, and all the more threads: on one H200, 16384^2 doubles, 1009 us with two, 1014 with four, 1028 with one
/// (cudaMemcpy: 1014). Where lines begin anywhere, what a thread finds out about `along` should serve more of them.
template <class Map, line_alignment Alignment>
inline constexpr unsigned lines_per_thread = !Map::reads_in                         ? 8
                                             : Alignment == line_alignment::uniform ? 2
                                                                                    : 4;

/// Packs of one thread where lines are walked flat.
inline constexpr unsigned flat_packs = 8;

/// The threads that cover a map: groups of `width` neighbouring threads take `width` neighbouring packs of a line,
/// and the same packs of the next `Lines - 1` lines. Packs are aligned in `out`; the first and the last of a line
/// may stand out over its ends.
struct product_threads {
  std::size_t packs;   // of a line
  unsigned width_log;  // of the width: a power of two, at most a warp
  std::size_t strips;  // widths of a line
  std::size_t total;   // threads

  template <class Map>
  static product_threads of(const Map& map, unsigned lines, line_alignment alignment) {
    using T = typename Map::element;
    constexpr unsigned E = pack16<T>::size;
    product_threads t{};
    const unsigned behind =
        alignment == line_alignment::uniform ? behind_boundary<const T>(map.out.data) : E - 1;
    t.packs = (map.length + behind + E - 1) / E;
    while (t.width_log < 5 && (1u << t.width_log) < t.packs) ++t.width_log;
    const std::size_t width = std::size_t{1} << t.width_log;
    t.strips = (t.packs + width - 1) / width;
    t.total = t.strips * width * ((map.count + lines - 1) / lines);
    return t;
  }
};

struct quotient {
  std::size_t quot;
  std::size_t rem;
};
/// GPUs divide 64-bit numbers in a hundred instructions, and 32-bit ones in a fifth of that.
TWOFOLD_FUNCTION quotient divide(std::size_t a, std::size_t b) {
  if (((a | b) >> 32) != 0) return {a / b, a % b};
  const auto narrow_a = static_cast<std::uint32_t>(a), narrow_b = static_cast<std::uint32_t>(b);
  return {narrow_a / narrow_b, narrow_a % narrow_b};
}

/// One element, for ends of lines and for short loops.
template <class Map>
TWOFOLD_FUNCTION void multiply_element(const Map& map, std::size_t l, std::size_t k) {
  using T = typename Map::element;
  T in{}, along{}, across{};
  if constexpr (Map::reads_in) in = map.in.line(l)[k];
  if constexpr (Map::reads_along) along = map.along.data[static_cast<std::ptrdiff_t>(k) * map.along.stride];
  if constexpr (Map::reads_across)
    across = map.across.data[static_cast<std::ptrdiff_t>(l) * map.across.stride];
  map.out.line(l)[k] = Map::of(in, along, across);
}

/// The work of thread `index`.
template <unsigned Lines, line_alignment Alignment, class Map>
TWOFOLD_FUNCTION void multiply_lines(const Map& map, const product_threads& threads, std::size_t index) {
  using T = typename Map::element;
  constexpr unsigned E = pack16<T>::size;
  // Where lines begin anywhere, a pack may reach E - 1 elements to the left of where it would otherwise begin.
  constexpr bool anywhere = Alignment != line_alignment::uniform;
  constexpr unsigned reach = anywhere ? E - 1 : 0;

  const quotient group = divide(index >> threads.width_log, threads.strips);
  const std::size_t side = index & ((std::size_t{1} << threads.width_log) - 1);
  const std::size_t pack = (group.rem << threads.width_log) + side;
  const std::size_t first = group.quot * Lines;
  if (pack >= threads.packs) return;

  const auto length = static_cast<std::ptrdiff_t>(map.length);
  const unsigned behind_first = behind_boundary<const T>(map.out.data);
  const unsigned behind_step = anywhere ? static_cast<unsigned>(map.out.pitch % E) : 0;
  const auto behind = [&](std::size_t l) {
    return anywhere ? (behind_first + static_cast<unsigned>(l) * behind_step) % E : behind_first;
  };
  const auto begin = static_cast<std::ptrdiff_t>(pack * E);

  // The elements of `along` under any of this thread's packs, for all its lines.
  T along[E + reach] = {};
  if constexpr (Map::reads_along) {
    const std::ptrdiff_t from = begin - (anywhere ? reach : behind_first);
    const T* const vector = map.along.data + from * map.along.stride;
    if (!anywhere && map.along.stride == 1 && from >= 0 && from + static_cast<std::ptrdiff_t>(E) <= length &&
        behind_boundary(vector) == 0) {
      const auto side_by_side = *reinterpret_cast<const pack16<T>*>(vector);
      TWOFOLD_UNROLL
      for (unsigned k = 0; k < E; ++k) along[k] = side_by_side.element[k];
    } else {
      TWOFOLD_UNROLL
      for (unsigned k = 0; k < E + reach; ++k) {
        const std::ptrdiff_t at = from + k;
        along[k] = at >= 0 && at < length ? map.along.data[at * map.along.stride] : T(0);
      }
    }
  }

  pack16<T> in[Lines] = {};
  T across[Lines] = {};
  // Which elements of a pack that stands out over an end of its line exist: loaded with the others, not after them.
  const auto exists = [&](std::ptrdiff_t k, unsigned e) {
    const std::ptrdiff_t at = k + static_cast<std::ptrdiff_t>(e);
    return at >= 0 && at < length;
  };
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Lines; ++u) {
    const std::size_t l = first + u;
    if (l >= map.count) continue;
    const std::ptrdiff_t k = begin - behind(l);
    if constexpr (Map::reads_in) {
      const T* p = map.in.line(l) + k;
      const bool whole = k >= 0 && k + static_cast<std::ptrdiff_t>(E) <= length;
      if (Alignment != line_alignment::apart && whole) {
        in[u] = load_once(p);
      } else {
        TWOFOLD_UNROLL
        for (unsigned e = 0; e < E; ++e) {
          if (exists(k, e)) in[u].element[e] = p[e];
        }
      }
    }
    if constexpr (Map::reads_across)
      across[u] = map.across.data[static_cast<std::ptrdiff_t>(l) * map.across.stride];
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Lines; ++u) {
    const std::size_t l = first + u;
    if (l >= map.count) continue;
    const unsigned m = behind(l);
    const std::ptrdiff_t k = begin - m;
    pack16<T> out;
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) {
      T a = along[e];
      if constexpr (anywhere && Map::reads_along) {
        // Registers have no index: pick by comparison. m is the same for a whole line.
        TWOFOLD_UNROLL
        for (unsigned s = 0; s < E; ++s) a = m == s ? along[e + reach - s] : a;
      }
      out.element[e] = Map::of(in[u].element[e], a, across[u]);
    }
    if (k >= 0 && k + static_cast<std::ptrdiff_t>(E) <= length) {
      store_once(map.out.line(l) + k, out);
    } else {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) {
        if (exists(k, e)) map.out.line(l)[k + static_cast<std::ptrdiff_t>(e)] = out.element[e];
      }
    }
  }
}

/// Short lines without pads between them are walked as one: a thread takes `Packs` packs, `stride` packs apart,
/// and divides once to learn where it is.
struct flat_threads {
  static constexpr unsigned stride = 256;  // threads that are neighbours
  std::size_t behind;                      // elements by which the matrix lies behind a boundary
  std::size_t elements;
  std::size_t line_step;   // stride packs further on: so many lines
  std::size_t place_step;  // and places
  std::size_t total;       // threads

  template <class Map>
  static flat_threads of(const Map& map, unsigned packs) {
    using T = typename Map::element;
    constexpr std::size_t E = pack16<T>::size;
    flat_threads t{};
    t.behind = behind_boundary<const T>(map.out.data);
    t.elements = map.count * map.length;
    t.line_step = stride * E / map.length;
    t.place_step = stride * E % map.length;
    const std::size_t all = (t.elements + t.behind + E - 1) / E;
    t.total = (all + stride * packs - 1) / (stride * packs) * stride;
    return t;
  }
};

/// Whether a map is walked flat: no pads, in and out alike, lines shorter than a warp's access.
template <class Map>
bool walks_flat(const Map& map) {
  if (map.count <= 1 || map.out.pitch != map.length || map.length * sizeof(typename Map::element) >= 512)
    return false;
  return !Map::reads_in || (map.in.pitch == map.length && alignment_of(map) != line_alignment::apart);
}

template <unsigned Packs, class Map>
TWOFOLD_FUNCTION void multiply_flat(const Map& map, const flat_threads& threads, std::size_t index) {
  using T = typename Map::element;
  constexpr unsigned E = pack16<T>::size;
  constexpr unsigned S = flat_threads::stride;
  const std::size_t first_pack = index / S * (S * Packs) + index % S;
  const auto elements = static_cast<std::ptrdiff_t>(threads.elements);
  const std::ptrdiff_t begin =
      static_cast<std::ptrdiff_t>(first_pack * E) - static_cast<std::ptrdiff_t>(threads.behind);
  if (begin >= elements) return;

  pack16<T> in[Packs] = {};
  if constexpr (Map::reads_in) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      const std::ptrdiff_t at = begin + static_cast<std::ptrdiff_t>(u * S * E);
      if (at >= 0 && at + static_cast<std::ptrdiff_t>(E) <= elements) in[u] = load_once(map.in.data + at);
    }
  }
  // A first pack that begins before the matrix has its line and place counted from element 0.
  const std::size_t from = begin < 0 ? 0 : static_cast<std::size_t>(begin);
  std::size_t line = from / map.length, place = from % map.length;
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Packs; ++u) {
    const std::ptrdiff_t at = begin + static_cast<std::ptrdiff_t>(u * S * E);
    if (at >= 0 && at + static_cast<std::ptrdiff_t>(E) <= elements) {
      std::size_t l = line, k = place;
      pack16<T> out;
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) {
        T along{}, across{};
        if constexpr (Map::reads_along)
          along = map.along.data[static_cast<std::ptrdiff_t>(k) * map.along.stride];
        if constexpr (Map::reads_across)
          across = map.across.data[static_cast<std::ptrdiff_t>(l) * map.across.stride];
        out.element[e] = Map::of(in[u].element[e], along, across);
        if (++k == map.length) {
          k = 0;
          ++l;
        }
      }
      store_once(map.out.data + at, out);
    } else if (at < elements) {
      const std::ptrdiff_t end =
          at + static_cast<std::ptrdiff_t>(E) < elements ? at + static_cast<std::ptrdiff_t>(E) : elements;
      TWOFOLD_DO_NOT_UNROLL
      for (std::ptrdiff_t i = at < 0 ? 0 : at; i < end; ++i) {
        multiply_element(map, static_cast<std::size_t>(i) / map.length,
                         static_cast<std::size_t>(i) % map.length);
      }
    }
    line += threads.line_step;
    place += threads.place_step;
    // The next pack: counted from `begin`, which for the first thread lies before the matrix.
    if (u == 0 && begin < 0) {
      const std::size_t next = static_cast<std::size_t>(begin + static_cast<std::ptrdiff_t>(S * E));
      line = next / map.length;
      place = next % map.length;
    } else if (place >= map.length) {
      place -= map.length;
      ++line;
    }
  }
}

}  // namespace twofold::backends
