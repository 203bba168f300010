// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a bench_<algorithm>.cpp announces itself. A benchmark is a type with
//   template <class Exec, class T, class R> void run(Session<Exec>&, std::int64_t n) const;
// for elements T and result R; a static Registration instantiates it for every back end and type.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "session.hpp"

namespace twofold::bench {

/// Elements of type T folded into R.
template <class T, class R = T>
struct Kind {
  using Element = T;
  using Result = R;
};

template <class... Kinds>
struct KindList {};

using AllKinds = KindList<Kind<float>, Kind<double>, Kind<std::int32_t, std::int64_t>, Kind<std::int64_t>,
                          Kind<std::uint32_t, std::uint64_t>, Kind<std::uint64_t>, Kind<float, double>>;
using RealKinds = KindList<Kind<float>, Kind<double>>;

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "uint32";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "uint64";
}

/// As in --types: the element type, and the result's where it is not the default.
template <class T, class R>
std::string kind_name() {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<R, double>) return "float->double";
  return type_name<T>();
}

template <class Exec>
struct Entry {
  std::string algorithm;
  std::string type;
  std::size_t element_bytes;
  bool reads_operands;
  bool writes_results;  // of n elements
  void (*prepare)(Session<Exec>&, std::int64_t n_max);
  void (*run)(Session<Exec>&, std::int64_t n);
};

template <class Exec>
std::vector<Entry<Exec>>& entries() {
  static std::vector<Entry<Exec>> all;
  return all;
}

template <class Benchmark>
struct Registration {
  template <class... Kinds>
  Registration(std::string_view algorithm, KindList<Kinds...> kinds) {
    add(algorithm, kinds, Execs{});
  }

 private:
  template <class... Kinds, class... EachExec>
  static void add(std::string_view algorithm, KindList<Kinds...> kinds, ExecList<EachExec...>) {
    (add_for<EachExec>(algorithm, kinds), ...);
  }

  template <class Exec, class... Kinds>
  static void add_for(std::string_view algorithm, KindList<Kinds...>) {
    (entries<Exec>().push_back(entry<Exec, typename Kinds::Element, typename Kinds::Result>(algorithm)), ...);
  }

  template <class Exec, class T, class R>
  static Entry<Exec> entry(std::string_view algorithm) {
    return {std::string(algorithm),
            kind_name<T, R>(),
            sizeof(T),
            row_of(algorithm).reads > 0,
            row_of(algorithm).writes > 0,
            [](Session<Exec>& session, std::int64_t n) {
              session.inputs.template prepare<T>(n, session.options.cold);
            },
            [](Session<Exec>& session, std::int64_t n) { Benchmark{}.template run<Exec, T, R>(session, n); }};
  }
};

}  // namespace twofold::bench
