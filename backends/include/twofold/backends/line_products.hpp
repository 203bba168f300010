// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/matrix.hpp>
#include <twofold/backends/sources.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

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

/// Sixteen bytes on their way, as words until they are needed: a compiler that sees elements gives them places of their own
/// before the next branch, and so waits there.
#if defined(__CUDA_ARCH__)
template <class T>
using words16 = uint4;
#else
template <class T>
using words16 = pack16<T>;
#endif

template <class T>
TWOFOLD_FUNCTION pack16<T> elements_of(const words16<T>& words) {
  pack16<T> pack;
  memcpy(&pack, &words, sizeof pack);
  return pack;
}

/// What is touched once goes past the cache, where it would push out what is used again: packs of results, and of elements of
/// which one warp takes whole sectors. What two warps share, where a line ends in a sector and the next one begins, must stay
/// until the other has come. (Padded lines of 1001 doubles: 1007 us, and 1102 when they go past the cache too.)
enum class reuse { none, by_neighbours };

template <reuse Reuse, class T>
TWOFOLD_FUNCTION words16<T> load_words(const T* p) {
  const auto* const words = reinterpret_cast<const words16<T>*>(p);
#if defined(__CUDA_ARCH__)
  if constexpr (Reuse == reuse::none) return __ldcs(words);
#endif
  return *words;
}

template <class T>
TWOFOLD_FUNCTION void store_once(T* p, const pack16<T>& pack) {
  words16<T> words;
  memcpy(&words, &pack, sizeof words);
  auto* const to = reinterpret_cast<words16<T>*>(p);
#if defined(__CUDA_ARCH__)
  __stcs(to, words);
#else
  *to = words;
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

/// Division by a number that the host knows, of anything below 2^63: a multiplication and no branch, so that a load may be
/// under way meanwhile. A compiler that sees a branch puts the loaded words in their places before it, and so waits.
struct divisor {
  __extension__ using product_bits = unsigned __int128;

  std::size_t value;
  std::uint64_t multiplier;  // ceil(2^(63 + log) / value), which has 64 bits
  unsigned log;              // ceil(log2 value)

  explicit divisor(std::size_t d) : value(d), multiplier(0), log(0) {
    while (log < 63 && std::uint64_t{1} << log < d) ++log;
    multiplier = static_cast<std::uint64_t>(((product_bits{1} << (63 + log)) + d - 1) / d);
  }
  divisor() : divisor(1) {}

  struct quotient {
    std::size_t quot;
    std::size_t rem;
  };
  TWOFOLD_FUNCTION quotient operator()(std::size_t a) const {
    const auto twice = static_cast<std::uint64_t>(a) << 1;
    const std::size_t quot = static_cast<std::uint64_t>(product_bits{twice} * multiplier >> 64) >> log;
    return {quot, a - quot * value};
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

/// Elements k to k + E of the vector along the lines.
template <unsigned E, class T>
TWOFOLD_FUNCTION void load_along(const strided<T>& along, std::ptrdiff_t k, T (&to)[E]) {
  const T* const p = along.data + k * along.stride;
  if (along.stride == 1 && behind_boundary<16>(p) == 0) {
    const auto side_by_side = *reinterpret_cast<const pack16<T>*>(p);
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) to[e] = side_by_side.element[e];
  } else {
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) to[e] = p[static_cast<std::ptrdiff_t>(e) * along.stride];
  }
}

/// Walked flat: the packs from element `at` on, all of whose elements exist. where() is the place of the first.
template <unsigned Packs, reading Reading, class Map, class Where>
TWOFOLD_FUNCTION void multiply_flat(const Map& map, std::size_t period, std::ptrdiff_t at,
                                    const Where& where) {
  using T = typename Map::element;
  constexpr unsigned E = pack16<T>::size;
  const auto length = static_cast<std::ptrdiff_t>(map.length), lines = static_cast<std::ptrdiff_t>(period);
  const auto element = [&](unsigned u) { return at + static_cast<std::ptrdiff_t>(u) * lines * length; };
  words16<T> words[Packs] = {};
  pack16<T> in[Packs] = {};
  if constexpr (Map::reads_in) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      const T* const p = map.in.data + element(u);
      if constexpr (Reading == reading::packs) {
        words[u] = load_words<reuse::none>(p);
      } else {
        TWOFOLD_UNROLL
        for (unsigned e = 0; e < E; ++e) in[u].element[e] = p[e];
      }
    }
  }
  const auto arrived = [&](unsigned u) {
    if constexpr (Map::reads_in && Reading == reading::packs) return elements_of<T>(words[u]);
    return in[u];
  };
  const pack_place first = where();  // divides, while the loads are under way
  const T* const numbers = map.across.data + first.line * map.across.stride;
  const std::ptrdiff_t number_step = lines * map.across.stride;

  if (first.place + static_cast<std::ptrdiff_t>(E) <= length) {
    T along[E] = {};
    if constexpr (Map::reads_along) load_along(map.along, first.place, along);
    T number[Packs] = {};
    if constexpr (Map::reads_across) {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < Packs; ++u) number[u] = numbers[static_cast<std::ptrdiff_t>(u) * number_step];
    }
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      pack16<T> pack = arrived(u);
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) pack.element[e] = Map::of(pack.element[e], along[e], number[u]);
      store_once(map.out.data + element(u), pack);
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
    pack16<T> pack = arrived(u);
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) {
      T number{};
      if constexpr (Map::reads_across)
        number = numbers[static_cast<std::ptrdiff_t>(u) * number_step + down[e]];
      pack.element[e] = Map::of(pack.element[e], along[e], number);
    }
    store_once(map.out.data + element(u), pack);
  }
}

/// Fetches the sector of 32 bytes at p, of which the element `place` of a line is part, where the line has no more than a
/// part of it. What is stored in part is completed from memory, at the latest when it leaves the cache, which stops a
/// stream of stores. (Outer product, padded lines of 1001 floats: 331 us, 285 with this. Where a matrix is read too, nothing.)
template <class T>
TWOFOLD_FUNCTION void fetch_shared_sector(const T* p, std::ptrdiff_t place, std::ptrdiff_t length) {
#if defined(__CUDA_ARCH__)
  const std::ptrdiff_t begin = place - static_cast<std::ptrdiff_t>(behind_boundary<32>(p));
  if (begin < 0 || begin + static_cast<std::ptrdiff_t>(32 / sizeof(T)) > length)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#else
  (void)p, (void)place, (void)length;
#endif
}

/// By line: packs may stand out over an end of their lines, and there may be fewer lines. Everything is loaded before
/// anything is used, by elements at the ends, so that the threads there are no later than the others of their warp.
template <unsigned Packs, reading Reading, class Map>
TWOFOLD_FUNCTION void multiply_by_line(const Map& map, std::size_t period, const pack_place& first) {
  using T = typename Map::element;
  constexpr unsigned E = pack16<T>::size;
  const auto length = static_cast<std::ptrdiff_t>(map.length), count = static_cast<std::ptrdiff_t>(map.count);
  const bool whole = first.place >= 0 && first.place + static_cast<std::ptrdiff_t>(E) <= length;
  const auto exists = [&](unsigned e) {
    const std::ptrdiff_t k = first.place + static_cast<std::ptrdiff_t>(e);
    return k >= 0 && k < length;
  };
  const auto line = [&](unsigned u) { return first.line + static_cast<std::ptrdiff_t>(u * period); };
  // Elements to the first of the pack on line u: never used where there is none.
  const auto element = [&](unsigned u, std::size_t pitch) {
    return line(u) * static_cast<std::ptrdiff_t>(pitch) + first.place;
  };

  if constexpr (!Map::reads_in) {
    // The first element that exists: of a whole pack its sector is either that of the line alone or not.
    const std::ptrdiff_t from = first.place < 0 ? 0 : first.place;
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      if (line(u) < count)
        fetch_shared_sector(map.out.data + line(u) * static_cast<std::ptrdiff_t>(map.out.pitch) + from, from,
                            length);
    }
  }
  T along[E] = {}, number[Packs] = {};
  pack16<T> in[Packs] = {};
  if constexpr (Map::reads_along) {
    if (whole) {
      load_along(map.along, first.place, along);
    } else {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) {
        if (exists(e))
          along[e] = map.along.data[(first.place + static_cast<std::ptrdiff_t>(e)) * map.along.stride];
      }
    }
  }
  if constexpr (Map::reads_across) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      if (line(u) < count) number[u] = map.across.data[line(u) * map.across.stride];
    }
  }
  if constexpr (Map::reads_in) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Packs; ++u) {
      if (line(u) >= count) continue;
      const std::ptrdiff_t at = element(u, map.in.pitch);
      if (Reading == reading::packs && whole) {
        in[u] = elements_of<T>(load_words<reuse::by_neighbours>(map.in.data + at));
      } else {
        TWOFOLD_UNROLL
        for (unsigned e = 0; e < E; ++e) {
          if (exists(e)) in[u].element[e] = map.in.data[at + static_cast<std::ptrdiff_t>(e)];
        }
      }
    }
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Packs; ++u) {
    if (line(u) >= count) continue;
    const std::ptrdiff_t at = element(u, map.out.pitch);
    pack16<T> pack;
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) pack.element[e] = Map::of(in[u].element[e], along[e], number[u]);
    if (whole) {
      store_once(map.out.data + at, pack);
    } else {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) {
        if (exists(e)) map.out.data[at + static_cast<std::ptrdiff_t>(e)] = pack.element[e];
      }
    }
  }
}

}  // namespace detail

/// The work of thread `index`.
template <unsigned Packs, walk Walk, reading Reading, class Map>
TWOFOLD_FUNCTION void multiply_packs(const Map& map, const product_threads& threads, std::size_t index) {
  constexpr auto E = static_cast<std::ptrdiff_t>(pack16<typename Map::element>::size);
  const auto length = static_cast<std::ptrdiff_t>(map.length);
  if constexpr (Walk == walk::flat) {
    const auto elements = static_cast<std::ptrdiff_t>(threads.elements);
    const auto whole = [&]<unsigned N>(std::ptrdiff_t at) {
      detail::multiply_flat<N, Reading>(map, threads.period, at, [&] {
        const auto place = threads.length(static_cast<std::size_t>(at));
        return pack_place{static_cast<std::ptrdiff_t>(place.quot), static_cast<std::ptrdiff_t>(place.rem)};
      });
    };
    const auto further =
        static_cast<std::ptrdiff_t>((Packs - 1) * threads.period);  // lines, to the last pack
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
    const auto first = detail::place_by_line<Packs>(map, threads, index);
    const auto count = static_cast<std::ptrdiff_t>(map.count);
    if (first.place + E <= 0 || first.place >= length || first.line >= count) return;
    detail::multiply_by_line<Packs, Reading>(map, threads.period, first);
  }
}

}  // namespace twofold::backends
