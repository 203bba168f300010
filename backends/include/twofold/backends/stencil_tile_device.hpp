// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// The tile that a team of a GPU keeps on chip for a stencil, and its way in and out: the same for the portable and
/// the native kernels. A team is
///
///   rank(), size()       of the calling thread; the size is a multiple of 32
///   barrier()            for all of its threads, and for what they wrote to `memory`
///   write(address, v)    a result, which is not read again here; write_pack for aligned neighbours
///
/// Its memory is on chip (shared memory, team scratch memory). Elements move 16 bytes at a time, since instructions
/// bound these kernels before memory does. Chunks lie 16 bytes further apart than they are long, so that threads which
/// walk neighbouring chunks use different banks.

namespace twofold::backends {

/// Elements side by side, the usual case; or `stride` elements apart.
template <class T>
struct adjacent_elements {
  T* data;
  TWOFOLD_FUNCTION T* operator()(stencil_order::index i) const { return data + i; }
  TWOFOLD_FUNCTION unsigned misaligned(unsigned bytes) const {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % bytes / sizeof(T));
  }
};
template <class T>
struct spread_elements {
  T* data;
  std::ptrdiff_t stride;
  TWOFOLD_FUNCTION T* operator()(stencil_order::index i) const { return data + i * stride; }
  TWOFOLD_FUNCTION unsigned misaligned(unsigned) const { return 0; }
};

namespace stencil_device {

using stencil_order::index;

inline constexpr unsigned chunk = static_cast<unsigned>(stencil_order::chunk);

/// Neighbours that move together, as a rule 16 bytes of them.
template <class T, unsigned N = 16 / sizeof(T)>
struct alignas(16) pack {
  T element[N];
};
template <class T>
inline constexpr unsigned pack_size = 16 / sizeof(T);

template <class T>
TWOFOLD_FUNCTION pack<T> load_pack(const T* from) {
  return *reinterpret_cast<const pack<T>*>(from);
}
template <class T>
TWOFOLD_FUNCTION void store_pack(T* to, const pack<T>& p) {
  *reinterpret_cast<pack<T>*>(to) = p;
}

/// Results, where another branch stores single ones: by an intrinsic, with the ordinary caching. Of two stores that it can see
/// through, the compiler takes the addresses of one for the other, no longer knows that they follow each other, and stores
/// packs element by element.
template <class T, unsigned N>
TWOFOLD_FUNCTION void store_results(T* to, const pack<T, N>& p) {
#if defined(__CUDA_ARCH__)
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < N * sizeof(T) / 16; ++u)
    __stwb(reinterpret_cast<uint4*>(to) + u, reinterpret_cast<const uint4*>(&p)[u]);
#else
  *reinterpret_cast<pack<T, N>*>(to) = p;
#endif
}

/// From a chunk to the next, on chip.
template <class R>
inline constexpr unsigned chunk_step = chunk + pack_size<R>;

/// Where element e of a tile is.
template <class R>
TWOFOLD_FUNCTION constexpr unsigned slot(unsigned e) {
  return e + e / chunk * pack_size<R>;
}

/// A chunk into registers.
template <class R>
TWOFOLD_FUNCTION void read_chunk(R (&v)[chunk], const R* slots) {
  constexpr unsigned V = pack_size<R>;
  TWOFOLD_UNROLL
  for (unsigned q = 0; q < chunk; q += V) {
    const auto p = load_pack(slots + q);
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < V; ++u) v[q + u] = p.element[u];
  }
}

/// Calls put(e, x) for elements e, e + team size, ... below count, counted from element `first`; those that do not exist are
/// absent. `InFlight` of them are under way before one is used, the last ones too: one wait for memory, not one each.
template <unsigned InFlight, class R, class Team, class In, class Put>
TWOFOLD_FUNCTION void load_each_from(unsigned e, const Team& team, const In& in, index n, index first,
                                     unsigned count, const Put& put) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  const unsigned step = team.size();
  const bool inside = first >= 0 && first + static_cast<index>(count) <= n;
  TWOFOLD_DO_NOT_UNROLL
  for (; e < count; e += InFlight * step) {
    T v[InFlight];
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < InFlight; ++u) {
      const index i = first + static_cast<index>(e + u * step);
      v[u] = e + u * step < count && (inside || (i >= 0 && i < n)) ? *in(i) : absent<T>();
    }
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < InFlight; ++u) {
      if (e + u * step < count) put(e + u * step, static_cast<R>(v[u]));
    }
  }
}

/// Bytes of elements that a thread loads before it uses the first.
inline constexpr unsigned bytes_in_flight = 64;

/// The same for all elements of many turns: where all exist, most turns ask nothing.
template <class R, class Team, class In, class Put>
TWOFOLD_FUNCTION void load_each(const Team& team, const In& in, index n, index first, unsigned count,
                                const Put& put) {
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
      for (unsigned u = 0; u < in_flight; ++u) put(e + u * step, static_cast<R>(v[u]));
    }
  }
  load_each_from<in_flight, R>(e, team, in, n, first, count, put);
}

/// Copies chunks from element `first` on, `count` elements, into the slots; those that do not exist are absent.
template <unsigned InFlight, class R, class Team, class In>
TWOFOLD_FUNCTION void load_tile(const Team& team, const In& in, index n, index first, unsigned count,
                                R* slots) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  if constexpr (!requires { in.stride; }) {
    if (first >= 0 && first + static_cast<index>(count) <= n && in.misaligned(16) == 0) {
      // The size of a team is a multiple of a chunk: from step to step a thread's addresses move by constants.
      constexpr unsigned P = pack_size<T>, V = pack_size<R>, step = Team::size() * P;
      const unsigned rank = team.rank();
      const T* from = in(first) + rank * P;
      R* to = slots + slot<R>(rank * P);
      TWOFOLD_DO_NOT_UNROLL
      for (int left = static_cast<int>(count) - static_cast<int>(rank * P); left > 0;
           left -= static_cast<int>(InFlight * step)) {
        // Set where nothing is loaded: inside Kokkos' loop over teams a register that a team may leave alone keeps the
        // team's before, and is taken for the whole kernel.
        pack<T> p[InFlight];
        TWOFOLD_UNROLL
        for (unsigned i = 0; i < InFlight; ++i) {
          p[i] = static_cast<int>(i * step) < left ? load_pack<T>(from + i * step) : pack<T>{};
        }
        TWOFOLD_UNROLL
        for (unsigned i = 0; i < InFlight; ++i) {
          if (static_cast<int>(i * step) >= left) break;
          TWOFOLD_UNROLL
          for (unsigned u = 0; u < P; u += V) {
            pack<R> r;
            TWOFOLD_UNROLL
            for (unsigned w = 0; w < V; ++w) r.element[w] = static_cast<R>(p[i].element[u + w]);
            store_pack(to + slot<R>(i * step) + u, r);
          }
        }
        from += InFlight * step;
        to += slot<R>(InFlight * step);
      }
      return;
    }
  }
  load_each<R>(team, in, n, first, count, [slots](unsigned e, R x) { slots[slot<R>(e)] = x; });
}

/// Puts the results of the calling thread where they can leave in packs: behind the `Head` elements before the first
/// boundary of 16 bytes, a thread's packs lie as its elements did. The first thread returns its head to `head`.
template <unsigned Head, class R>
TWOFOLD_FUNCTION void put_results(const R (&v)[chunk], R* mine, bool is_first, R* head) {
  constexpr unsigned V = pack_size<R>;
  TWOFOLD_UNROLL
  for (unsigned q = 0; q + V <= chunk - Head; q += V) {
    pack<R> p;
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < V; ++u) p.element[u] = v[Head + q + u];
    store_pack(mine + q, p);
  }
  if constexpr (Head > 0) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < V - Head; ++u) mine[chunk - V + u] = v[chunk - V + Head + u];
    // This thread's head ends the last pack of the thread before.
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < Head; ++u) {
      if (is_first) {
        head[u] = v[u];
      } else {
        (mine - chunk_step<R>)[chunk - Head + u] = v[u];
      }
    }
  }
}

/// Writes the `count` results of the team, which begin at element `first`, through the slots: neighbouring threads write
/// neighbouring packs, from a boundary of 128 bytes on, so that each line of memory is written at once.
template <class R, class Team, class Out>
TWOFOLD_FUNCTION void write_results(const Team& team, R (&v)[chunk], R* slots, unsigned count, const Out& out,
                                    index n, index first) {
  R* const mine = slots + team.rank() * chunk_step<R>;
  const bool inside = first >= 0 && first + static_cast<index>(count) <= n;
  const auto write = [&](index i, R value) {
    if (i >= 0 && i < n) team.write(out(i), value);
  };
  team.barrier();  // the running sums are all read
  if constexpr (requires { out.stride; }) {
    put_results<0>(v, mine, false, v);
    team.barrier();  // the results are all there
    for (unsigned e = team.rank(); e < count; e += team.size()) write(first + e, slots[slot<R>(e)]);
  } else {
    constexpr unsigned V = pack_size<R>, line = 128 / 16;
    const unsigned misaligned = (static_cast<unsigned>(first) + out.misaligned(16)) % V;
    const unsigned head = misaligned == 0 ? 0 : V - misaligned;
    const bool is_first = team.rank() == 0;
    R of_head[V] = {};
    if (head == 0) put_results<0>(v, mine, is_first, of_head);
    if constexpr (V == 2) {
      if (head == 1) put_results<1>(v, mine, is_first, of_head);
    } else {
      if (head == 1) put_results<1>(v, mine, is_first, of_head);
      if (head == 2) put_results<2>(v, mine, is_first, of_head);
      if (head == 3) put_results<3>(v, mine, is_first, of_head);
    }
    if (is_first) {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < V; ++u) {
        if (u < head) write(first + u, of_head[u]);
      }
    }
    team.barrier();  // the results are all there
    const unsigned whole = (count - head) / V;
    const index at = first + head;
    const unsigned shift = (static_cast<unsigned>(at) + out.misaligned(128)) / V % line;
    const unsigned rank = team.rank() < shift ? team.rank() + team.size() - shift : team.rank() - shift;
    constexpr unsigned step = Team::size();
    const int left = static_cast<int>(whole) - static_cast<int>(rank);
    const R* const from = slots + slot<R>(rank * V);
    if (inside) {
      R* const to = out(at) + rank * V;
      TWOFOLD_UNROLL
      for (unsigned j = 0; j < chunk / V; ++j) {
        if (static_cast<int>(j * step) < left) {
          team.write_pack(to + j * step * V, load_pack(from + slot<R>(j * step * V)));
        }
      }
    }
    // What is left: a pack that is not whole, or all where some results do not exist.
    TWOFOLD_DO_NOT_UNROLL
    for (unsigned p = inside ? whole + (rank == 0 ? 0 : step * chunk) : rank; head + p * V < count;
         p += step) {
      for (unsigned u = 0; u < V; ++u) {
        if (head + p * V + u < count) write(at + p * V + u, slots[slot<R>(p * V) + u]);
      }
    }
  }
}

}  // namespace stencil_device
}  // namespace twofold::backends
