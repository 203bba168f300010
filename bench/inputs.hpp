// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random operands, made once per element type where the benchmark runs and shared by all cases:
// element i depends on i alone, so every back end and every run folds the same data.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "backend.hpp"
#include "reference.hpp"

namespace twofold::bench {

/// Uniform: reals in [-1, 1), so that sums stay small and rounding shows; integers of 16 bits, so that
/// a dot product of 2^30 of them is exact in 64. Never zeros: they would draw less power.
template <class T>
struct RandomElements {
  T* out;
  std::uint64_t seed;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    if constexpr (std::is_same_v<T, float>) {
      out[i] = static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) * 0x1p-23f;
    } else if constexpr (std::is_same_v<T, double>) {
      out[i] = static_cast<double>(static_cast<std::int64_t>(bits >> 11) - (std::int64_t{1} << 52)) * 0x1p-52;
    } else if constexpr (std::is_signed_v<T>) {
      out[i] = static_cast<T>(static_cast<std::int64_t>(bits >> 48) - (1 << 15));
    } else {
      out[i] = static_cast<T>(bits >> 48);
    }
  }
};

/// Where the successive calls of a batch read: window w starts at w * stride.
struct Windows {
  std::int64_t count = 1;
  std::int64_t stride = 0;
  bool in_cache = false;
};

template <class Exec>
class Inputs {
 public:
  static constexpr int operands = 2;

  explicit Inputs(const Exec& exec) : exec_(exec), available_(Backend<Exec>::memory_bytes()) {}

  /// Whether `operand_count` arrays of n elements fit in memory beside each other.
  bool fits(std::int64_t n, std::size_t element_bytes) const {
    return n <= available_ / operands / static_cast<std::int64_t>(element_bytes);
  }

  /// Fills both operands with at least n elements of T, and where n of them leave the cache (or `cold` asks for it)
  /// with enough to rotate windows.
  template <class T>
  void prepare(std::int64_t n, bool cold) {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool rotates = cold || n * size * operands > Backend<Exec>::hot_bytes();
    const std::int64_t roomy =
        rotates ? std::min(4 * Backend<Exec>::cache_bytes(), available_ / 8) / size : 0;
    const std::int64_t wanted = std::max({n, roomy, std::int64_t{1}});
    if (type_ == &tag<T> && wanted <= elements_) return;
    type_ = &tag<T>;
    reference_ = nullptr;
    elements_ = wanted;
    for (int operand = 0; operand < operands; ++operand) {
      Bytes& bytes = bytes_[operand];
      if (bytes.extent(0) < static_cast<std::size_t>(wanted * size)) {
        bytes = Bytes();  // free first: both would not fit
        bytes = Bytes(Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "twofold_bench operand"),
                      static_cast<std::size_t>(wanted * size));
      }
      // In parallel: on a host, the first touch places the pages near the threads that read them.
      Kokkos::parallel_for(
          "twofold_bench random operand",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, wanted),
          RandomElements<T>{mutable_data<T>(operand), static_cast<std::uint64_t>(operand + 1) << 60});
    }
    exec_.fence("twofold_bench: operands are ready");
  }

  template <class T>
  const T* data(int operand) const {
    return mutable_data<T>(operand);
  }

  /// Small working sets stay where they are and run from cache; larger ones move on, so that no call
  /// finds in cache what an earlier one left there.
  Windows windows(std::int64_t n, std::int64_t working_set_bytes, bool cold) const {
    const std::int64_t cache = Backend<Exec>::cache_bytes();
    Windows windows;
    windows.in_cache = !cold && working_set_bytes <= Backend<Exec>::hot_bytes();
    windows.stride = (std::max<std::int64_t>(n, 1) + 255) / 256 * 256;  // the same alignment for all
    if (windows.in_cache || working_set_bytes == 0) return windows;
    const std::int64_t enough = 4 * cache / working_set_bytes + 1;
    const std::int64_t room = (elements_ - n) / windows.stride + 1;
    windows.count = std::clamp<std::int64_t>(room, 1, enough);
    return windows;
  }

  /// The reference fold of the first n elements, of a copy taken from where the data really is.
  template <class T>
  Folded reference(Fold fold, std::int64_t n) {
    if (reference_ == nullptr) {
      reference_ =
          std::make_shared<PrefixReference<T>>([this](int operand, std::int64_t first, std::int64_t count) {
            return host_copy<T>(operand, first, count);
          });
    }
    return (*static_cast<PrefixReference<T>*>(reference_.get()))(fold, n);
  }

 private:
  using Bytes = Kokkos::View<unsigned char*, typename Exec::memory_space>;
  template <class T>
  static constexpr char tag = 0;

  template <class T>
  T* mutable_data(int operand) const {
    return reinterpret_cast<T*>(bytes_[operand].data());
  }

  template <class T>
  const T* host_copy(int operand, std::int64_t first, std::int64_t count) {
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible) {
      return data<T>(operand) + first;
    } else {
      using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
      const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
      copies_[operand].resize(bytes);
      Kokkos::View<unsigned char*, Kokkos::HostSpace, Unmanaged> to(copies_[operand].data(), bytes);
      Kokkos::View<const unsigned char*, typename Exec::memory_space, Unmanaged> from(
          bytes_[operand].data() + static_cast<std::size_t>(first) * sizeof(T), bytes);
      Kokkos::deep_copy(exec_, to, from);
      exec_.fence("twofold_bench: copied for the reference");
      return reinterpret_cast<const T*>(copies_[operand].data());
    }
  }

  Exec exec_;
  std::int64_t available_;
  std::int64_t elements_ = 0;
  const char* type_ = nullptr;
  Bytes bytes_[operands];
  std::vector<unsigned char> copies_[operands];
  std::shared_ptr<void> reference_;
};

}  // namespace twofold::bench
