// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ladder of CUDA. Included by backend.hpp alone.

#include <concepts>
#include <memory>
#include <string_view>

#include <twofold/backends/config.hpp>
#include <twofold/cuda_native/ladder/rungs.hpp>

#include "ladder.hpp"

namespace twofold::bench {

// How far a rung is timed. Beyond, the run says so and leaves it out.

/// Additions to one address by atomics. They come one after another, 1.8 ns each on an H200, and a float loses up to
/// half a unit of its last digit in each: here 6 % of the result, and from 2^24 on terms are lost altogether.
inline constexpr std::int64_t most_atomics = std::int64_t{1} << 20;
/// Terms that a stencil adds one by one in all its windows: some tenths of a second a call.
inline constexpr std::int64_t most_terms = std::int64_t{1} << 39;

template <>
struct Ladder<Kokkos::Cuda> {
  template <class R>
  static std::vector<IntegrateRung<R>> integrate(const Kokkos::Cuda& exec) {
    std::vector<IntegrateRung<R>> rungs;
    if constexpr (backends::cuda_native_built && std::same_as<R, float>) {
      for (const auto& rung : cuda_native::ladder::integrate_rungs) {
        IntegrateRung<R>& added = rungs.emplace_back();
        added.path = path_of(rung.name);
        added.run = [run = rung.run, scratch = workspace(), stream = exec.cuda_stream()](
                        R a, R b, std::int64_t n, R* result) {
          run(a, b, static_cast<std::size_t>(n), result, *scratch, stream);
        };
        added.promised_bits = rung.abscissae_per_atomic == 0;
        if (added.promised_bits) continue;
        added.n_max = most_atomics * static_cast<std::int64_t>(rung.abscissae_per_atomic);
        added.units_an_element = 1.0 / static_cast<double>(rung.abscissae_per_atomic);
      }
    }
    return rungs;
  }

  template <class T, class R>
  static std::vector<DotRung<T, R>> dot(const Kokkos::Cuda& exec) {
    std::vector<DotRung<T, R>> rungs;
    if constexpr (has<T> && std::same_as<R, default_sum_t<T>>) {
      for (const auto& rung : cuda_native::ladder::dot_rungs<T>) {
        DotRung<T, R>& added = rungs.emplace_back();
        added.path = path_of(rung.name);
        added.run = [run = rung.run, scratch = workspace(), stream = exec.cuda_stream()](
                        const T* x, const T* y, std::int64_t n, R* result) {
          run(x, y, static_cast<std::size_t>(n), result, *scratch, stream);
        };
        added.promised_bits = is_tuned(rung.name);
        added.waits = rung.finishes_on_host;
      }
    }
    return rungs;
  }

  /// Those that take a radius of k on this device.
  template <class T>
  static std::vector<StencilRung<T>> stencil(const Kokkos::Cuda& exec, std::int64_t k) {
    std::vector<StencilRung<T>> rungs;
    if constexpr (has<T>) {
      for (const auto& rung : cuda_native::ladder::stencil_rungs<T>) {
        const auto radius = static_cast<std::size_t>(k);
        if (!rung.accepts(radius)) continue;
        StencilRung<T>& added = rungs.emplace_back();
        added.path = path_of(rung.name);
        added.run = [run = rung.run, radius, scratch = workspace(), stream = exec.cuda_stream()](
                        const T* in, T* out, std::int64_t n) {
          run(in, out, static_cast<std::size_t>(n), radius, *scratch, stream);
        };
        added.promised_bits = is_tuned(rung.name);
        if (!is_tuned(rung.name)) added.n_max = most_terms / (2 * k + 1);
      }
    }
    return rungs;
  }

  template <class T>
  static std::vector<ProductRung<T>> outer_product(const Kokkos::Cuda& exec) {
    if constexpr (has<T>) return products<T>(cuda_native::ladder::outer_product_rungs<T>, exec);
    return {};
  }
  template <class T>
  static std::vector<ProductRung<T>> scale_columns(const Kokkos::Cuda& exec) {
    if constexpr (has<T>) return products<T>(cuda_native::ladder::scale_columns_rungs<T>, exec);
    return {};
  }

 private:
  template <class T>
  static constexpr bool has = backends::cuda_native_built && cuda_native::ladder::element<T>;

  static std::string path_of(std::string_view rung) { return "ladder:" + std::string(rung); }
  static bool is_tuned(std::string_view rung) { return rung == "tuned"; }
  static std::shared_ptr<cuda_native::workspace> workspace() {
    return std::make_shared<cuda_native::workspace>();
  }

  /// An element is one product, rounded once: every rung promises its bits.
  template <class T, class Table>
  static std::vector<ProductRung<T>> products(const Table& all, const Kokkos::Cuda& exec) {
    std::vector<ProductRung<T>> rungs;
    for (const auto& rung : all) {
      ProductRung<T>& added = rungs.emplace_back();
      added.path = path_of(rung.name);
      added.run = [run = rung.run, stream = exec.cuda_stream()](const T* a, const T* b, T* c,
                                                                std::int64_t rows, std::int64_t columns,
                                                                std::int64_t pitch_bytes) {
        run(a, b, c, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
            static_cast<std::size_t>(pitch_bytes), stream);
      };
      added.promised_bits = true;
      added.takes_pitch = rung.takes_pitch;
    }
    return rungs;
  }
};

}  // namespace twofold::bench
