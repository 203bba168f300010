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

/// Elements by which p lies behind a boundary of `Bytes`.
template <unsigned Bytes, class T>
TWOFOLD_FUNCTION unsigned behind_boundary(const T* p) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) %
         static_cast<unsigned>(Bytes / sizeof(T));
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

/// Neighbouring threads write whole blocks of so many bytes: where the stores of a warp begin in the middle of a
/// 32-byte sector, it takes the two halves of that sector one after the other.
inline constexpr unsigned block_bytes = 128;
template <class T>
inline constexpr std::size_t block_elements = block_bytes / sizeof(T);

/// Without pads between lines, a matrix is walked as one line: no ends but its own. With pads, line by line.
enum class walk { flat, by_line };

/// Whether packs that are aligned in `out` are aligned in `in` too; elsewhere it is read by elements.
enum class reading { packs, elements };

/// Packs of one thread. One where the matrix is read too: its load is under way at once, before the thread has found out
/// where it stands, and there are all the more threads. Where only the vectors are read, four stores after one look at
/// `along`; two for matrices of few lines. With pads more than one pays for finding the line.
template <class Map, walk Walk, bool FewLines>
inline constexpr unsigned packs_per_thread = !Map::reads_in          ? (FewLines ? 2 : 4)
                                             : Walk == walk::by_line ? pack16<typename Map::element>::size / 2
                                                                     : 1;

/// Division by a number that the host knows: a multiplication where both are below 2^31, which is a fifth of the
/// instructions of a 32-bit division on a GPU, and a twentieth of those of a 64-bit one.
struct divisor {
  std::size_t value;
  std::uint32_t multiplier;  // ceil(2^shift / value), which has 32 bits
  unsigned shift;            // 31 + ceil(log2 value)

  explicit divisor(std::size_t d) : value(d), multiplier(0), shift(31) {
    if (d >> 31 != 0) return;  // what is below 2^31 is below d then: 0 times
    while (std::size_t{1} << (shift - 31) < d) ++shift;
    multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + d - 1) / d);
  }
  divisor() : divisor(1) {}

  struct quotient {
    std::size_t quot;
    std::size_t rem;
  };
  TWOFOLD_FUNCTION quotient operator()(std::size_t a) const {
    if (a >> 31 != 0) return {a / value, a % value};
    const auto narrow = static_cast<std::uint32_t>(a);
    const auto quot = static_cast<std::uint32_t>((std::uint64_t{narrow} * multiplier) >> shift);
    return {quot, narrow - quot * static_cast<std::uint32_t>(value)};
  }
};

/// The threads that cover a map. Lines begin at the same place of a block every `period` lines. A thread takes one pack
/// of a period and the same pack of the next ones: it stands over the same elements of `along` each time.
struct product_threads {
  std::size_t behind;  // elements by which the first line begins behind a boundary of blocks
  std::size_t period;  // lines
  divisor packs;       // walked flat: of a period; by line: of a line, whole blocks
  divisor length;      // of a line
  std::size_t elements;
  std::size_t total;  // threads

  template <unsigned Packs, walk Walk, class Map>
  static product_threads of(const Map& map) {
    using T = typename Map::element;
    constexpr std::size_t E = pack16<T>::size, block = block_elements<T>;
    const auto pieces = [](std::size_t n, std::size_t of) { return (n + of - 1) / of; };
    product_threads t{};
    t.behind = behind_boundary<block_bytes>(map.out.data);
    // Blocks and packs have powers of two of elements: so does their greatest common divisor with a pitch.
    const std::size_t pitch = Walk == walk::flat ? map.length : map.out.pitch;
    t.period = 1;
    while (t.period < block && t.period * pitch % block != 0) t.period *= 2;
    t.length = divisor(map.length);
    t.elements = map.count * map.length;
    if constexpr (Walk == walk::flat) {
      const std::size_t packs = t.period * map.length / E, all = pieces(t.elements + t.behind, E);
      t.packs = divisor(packs);
      t.total = all < packs ? all : pieces(all, packs * Packs) * packs;
    } else {
      const std::size_t most_behind = t.period == 1 ? t.behind : block - 1;
      const std::size_t packs = pieces(map.length + most_behind, block) * (block / E);
      t.packs = divisor(packs);
      t.total = packs * (map.count < t.period ? map.count : pieces(map.count, t.period * Packs) * t.period);
    }
    return t;
  }
};

/// Calls run.operator()<walk, reading, packs per thread>() with what fits `map`: decided here for both paths.
template <class Map, class Run>
void with_walk(const Map& map, Run&& run) {
  using T = typename Map::element;
  constexpr std::size_t E = pack16<T>::size;
  const auto with = [&]<walk Walk, reading Reading>() {
    if constexpr (!Map::reads_in) {
      constexpr unsigned many = packs_per_thread<Map, Walk, false>;
      if (map.count / many < product_threads::of<many, Walk>(map).period)
        return run.template operator()<Walk, Reading, packs_per_thread<Map, Walk, true>>();
    }
    run.template operator()<Walk, Reading, packs_per_thread<Map, Walk, false>>();
  };
  bool packed = map.count <= 1 || map.out.pitch == map.length, alike = true;
  if constexpr (Map::reads_in) {
    packed = packed && (map.count <= 1 || map.in.pitch == map.length);
    alike = behind_boundary<16>(map.in.data) == behind_boundary<16>(map.out.data) &&
            (map.count <= 1 || map.in.pitch % E == map.out.pitch % E);
    if (!alike) {
      return packed ? with.template operator()<walk::flat, reading::elements>()
                    : with.template operator()<walk::by_line, reading::elements>();
    }
  }
  packed ? with.template operator()<walk::flat, reading::packs>()
         : with.template operator()<walk::by_line, reading::packs>();
}

/// One element.
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

/// Where the first pack of a thread begins. Walked flat, its elements may run on into the next lines; by line, it may stand
/// out over either end of its line.
struct pack_place {
  std::ptrdiff_t line;
  std::ptrdiff_t place;
};

namespace detail {

/// The elements of thread `index`'s first pack, counted from the first of the matrix, walked flat.
template <unsigned Packs, class Map>
TWOFOLD_FUNCTION std::ptrdiff_t first_element(const product_threads& threads, std::size_t index) {
  std::size_t pack = index;
  if constexpr (Packs > 1) pack += threads.packs(index).quot * (Packs - 1) * threads.packs.value;
  return static_cast<std::ptrdiff_t>(pack * pack16<typename Map::element>::size) -
         static_cast<std::ptrdiff_t>(threads.behind);
}

template <unsigned Packs, class Map>
TWOFOLD_FUNCTION pack_place place_by_line(const Map& map, const product_threads& threads, std::size_t index) {
  using T = typename Map::element;
  const auto row = threads.packs(index);
  const std::size_t side = row.quot & (threads.period - 1);  // a power of two
  const std::size_t line = (row.quot - side) * Packs + side;
  const std::size_t behind = (threads.behind + line * map.out.pitch) % block_elements<T>;
  return {static_cast<std::ptrdiff_t>(line),
          static_cast<std::ptrdiff_t>(row.rem * pack16<T>::size) - static_cast<std::ptrdiff_t>(behind)};
}

/// All elements of all packs exist. where() is the place of the first, element `at_in` of in and `at_out` of out.
template <unsigned Packs, walk Walk, reading Reading, class Map, class Where>
TWOFOLD_FUNCTION void multiply_whole_packs(const Map& map, std::size_t period, std::ptrdiff_t at_in,
                                           std::ptrdiff_t at_out, const Where& where) {
  using T = typename Map::element;
  constexpr unsigned E = pack16<T>::size;
  const auto length = static_cast<std::ptrdiff_t>(map.length), lines = static_cast<std::ptrdiff_t>(period);
  // The pitch of a single line is never used: packs are not whole then but for the first.
  const auto step = [&](std::size_t pitch) {
    return lines * static_cast<std::ptrdiff_t>(Walk == walk::flat ? map.length : pitch);
  };
  pack16<T> in[Packs] = {};
  if constexpr (Map::reads_in) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      const T* const p = map.in.data + at_in + static_cast<std::ptrdiff_t>(u) * step(map.in.pitch);
      if constexpr (Reading == reading::packs) {
        in[u] = load_once(p);
      } else {
        TWOFOLD_UNROLL
        for (unsigned e = 0; e < E; ++e) in[u].element[e] = p[e];
      }
    }
  }
  const pack_place first = where();  // divides, while the loads are under way
  T* const out = map.out.data + at_out;
  const std::ptrdiff_t out_step = step(map.out.pitch);
  const T* const numbers = map.across.data + first.line * map.across.stride;
  const std::ptrdiff_t number_step = lines * map.across.stride;

  if (Walk == walk::by_line || first.place + static_cast<std::ptrdiff_t>(E) <= length) {
    T along[E] = {};
    if constexpr (Map::reads_along) {
      if (map.along.stride == 1) {
        const T* const p = map.along.data + first.place;
        if (behind_boundary<16>(p) == 0) {
          const auto side_by_side = *reinterpret_cast<const pack16<T>*>(p);
          TWOFOLD_UNROLL
          for (unsigned e = 0; e < E; ++e) along[e] = side_by_side.element[e];
        } else {
          TWOFOLD_UNROLL
          for (unsigned e = 0; e < E; ++e) along[e] = p[e];
        }
      } else {
        const T* p = map.along.data + first.place * map.along.stride;
        TWOFOLD_UNROLL
        for (unsigned e = 0; e < E; ++e, p += map.along.stride) along[e] = *p;
      }
    }
    T number[Packs] = {};
    if constexpr (Map::reads_across) {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < Packs; ++u) number[u] = numbers[static_cast<std::ptrdiff_t>(u) * number_step];
    }
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      pack16<T> pack;
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) pack.element[e] = Map::of(in[u].element[e], along[e], number[u]);
      store_once(out + static_cast<std::ptrdiff_t>(u) * out_step, pack);
    }
    return;
  }
  // The packs run on into the next line, or the next lines.
  T along[E] = {};
  std::ptrdiff_t down[E];
  std::ptrdiff_t k = first.place, lower = 0;
  TWOFOLD_UNROLL
  for (unsigned e = 0; e < E; ++e) {
    if constexpr (Map::reads_along) along[e] = map.along.data[k * map.along.stride];
    down[e] = lower * map.across.stride;
    if (++k == length) {
      k = 0;
      ++lower;
    }
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Packs; ++u) {
    pack16<T> pack;
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) {
      T number{};
      if constexpr (Map::reads_across)
        number = numbers[static_cast<std::ptrdiff_t>(u) * number_step + down[e]];
      pack.element[e] = Map::of(in[u].element[e], along[e], number);
    }
    store_once(out + static_cast<std::ptrdiff_t>(u) * out_step, pack);
  }
}

/// By line: packs may stand out over an end of their lines, and there may be fewer lines. The elements of a pack are loaded
/// before the first is used, here too.
template <unsigned Packs, class Map>
TWOFOLD_FUNCTION void multiply_ends(const Map& map, std::size_t period, const pack_place& first) {
  using T = typename Map::element;
  constexpr unsigned E = pack16<T>::size;
  const auto length = static_cast<std::ptrdiff_t>(map.length);
  const auto exists = [&](unsigned e) {
    const std::ptrdiff_t k = first.place + static_cast<std::ptrdiff_t>(e);
    return k >= 0 && k < length;
  };
  // Not unrolled: few threads come here, and all would pay with registers.
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned u = 0; u < Packs; ++u) {
    const std::size_t l = static_cast<std::size_t>(first.line) + u * period;
    if (l >= map.count) return;
    T across{}, out[E] = {};
    if constexpr (Map::reads_across)
      across = map.across.data[static_cast<std::ptrdiff_t>(l) * map.across.stride];
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) {
      if (!exists(e)) continue;
      const std::ptrdiff_t k = first.place + static_cast<std::ptrdiff_t>(e);
      T in{}, along{};
      if constexpr (Map::reads_in) in = map.in.line(l)[k];
      if constexpr (Map::reads_along) along = map.along.data[k * map.along.stride];
      out[e] = Map::of(in, along, across);
    }
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) {
      if (exists(e)) map.out.line(l)[first.place + static_cast<std::ptrdiff_t>(e)] = out[e];
    }
  }
}

}  // namespace detail

/// The work of thread `index`.
template <unsigned Packs, walk Walk, reading Reading, class Map>
TWOFOLD_FUNCTION void multiply_packs(const Map& map, const product_threads& threads, std::size_t index) {
  constexpr auto E = static_cast<std::ptrdiff_t>(pack16<typename Map::element>::size);
  const auto length = static_cast<std::ptrdiff_t>(map.length);
  const auto further = static_cast<std::ptrdiff_t>((Packs - 1) * threads.period);  // lines, to the last pack
  if constexpr (Walk == walk::flat) {
    const auto elements = static_cast<std::ptrdiff_t>(threads.elements);
    const auto whole = [&]<unsigned N>(std::ptrdiff_t at) {
      detail::multiply_whole_packs<N, Walk, Reading>(map, threads.period, at, at, [&] {
        const auto place = threads.length(static_cast<std::size_t>(at));
        return pack_place{static_cast<std::ptrdiff_t>(place.quot), static_cast<std::ptrdiff_t>(place.rem)};
      });
    };
    std::ptrdiff_t at = detail::first_element<Packs, Map>(threads, index);
    if (at >= 0 && at + further * length + E <= elements) return whole.template operator()<Packs>(at);
    // The first and the last packs of the matrix: a loop that takes no registers from the path above.
    TWOFOLD_DO_NOT_UNROLL
    for (unsigned u = 0; u < Packs && at < elements; ++u) {
      if (Packs > 1 && at >= 0 && at + E <= elements) {
        whole.template operator()<1>(at);
      } else {
        const std::ptrdiff_t end = at + E < elements ? at + E : elements;
        TWOFOLD_DO_NOT_UNROLL
        for (std::ptrdiff_t i = at < 0 ? 0 : at; i < end; ++i) {
          const auto place = threads.length(static_cast<std::size_t>(i));
          multiply_element(map, place.quot, place.rem);
        }
      }
      at += static_cast<std::ptrdiff_t>(threads.period) * length;
    }
  } else {
    const auto count = static_cast<std::ptrdiff_t>(map.count);
    const auto first = detail::place_by_line<Packs>(map, threads, index);
    if (first.place + E <= 0 || first.place >= length || first.line >= count) return;
    if (first.place >= 0 && first.place + E <= length && first.line + further < count) {
      const auto at = [&](std::size_t pitch) {
        return first.line * static_cast<std::ptrdiff_t>(pitch) + first.place;
      };
      detail::multiply_whole_packs<Packs, Walk, Reading>(map, threads.period, at(map.in.pitch),
                                                         at(map.out.pitch), [&] { return first; });
    } else {
      detail::multiply_ends<Packs>(map, threads.period, first);
    }
  }
}

}  // namespace twofold::backends
