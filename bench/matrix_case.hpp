// SPDX-License-Identifier: Apache-2.0
#pragma once

// A case on a matrix. The matrix is an operand of the session, vectors and results are the case's own. Lines of a result
// are verified, not all of them.

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fold_case.hpp"
#include "matrix_verdicts.hpp"

namespace twofold::bench {

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
};

/// n elements, as square as powers of two allow: 2^28 is 16384 x 16384.
inline Shape square(std::int64_t n) {
  const std::int64_t columns = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(n)) - 1) / 2;
  return {n / columns, columns};
}

/// Rows of 1001 elements, few of which start aligned where they are packed: 2^28 gives 262144 x 1001.
inline Shape narrow(std::int64_t n) {
  return {static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n) / 1001)), 1001};
}

/// Elements from row to row of such a matrix with pads: no multiple of a sector of 32 bytes.
inline constexpr std::int64_t narrow_pitch = 1003;

/// Whether that shape is worth a case: on a GPU, where the matrix leaves the cache behind by itself, since there may be
/// copies of it with padded rows, which have no windows; and no larger than those copies should be.
template <class Exec, class T>
bool has_narrow(std::int64_t n) {
  return Backend<Exec>::gpu && n <= (std::int64_t{1} << 28) &&
         n * static_cast<std::int64_t>(sizeof(T)) >= 4 * Backend<Exec>::cache_bytes();
}

template <class Exec, class T, class Layout = Kokkos::LayoutRight>
class MatrixCase {
 public:
  using Memory = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Input = Kokkos::View<const T**, Layout, Memory, Unmanaged>;
  using Matrix = Kokkos::View<T**, Layout, Memory>;
  using Vector = Kokkos::View<T*, Memory>;
  using PaddedRows = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  using Padded = Kokkos::View<T**, Kokkos::LayoutStride, Memory>;  // or packed: what a rung writes
  static constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;

  MatrixCase(Session<Exec>& session, const std::string& algorithm, std::int64_t n,
             const std::string& result_type)
      : MatrixCase(session, algorithm, square(n), result_type) {}

  MatrixCase(Session<Exec>& session, const std::string& algorithm, Shape shape,
             const std::string& result_type)
      : session_(session), columns_(shape.columns), rows_(shape.rows) {
    const Row& row = row_of(algorithm);
    case_.algorithm = algorithm;
    case_.variant = std::to_string(rows_) + "x" + std::to_string(columns_) + (row_major ? "" : " left");
    case_.type = result_type;
    case_.accumulator = type_name<T>();
    case_.n = rows_ * columns_;
    case_.bytes = (row.reads + row.writes) * case_.n * static_cast<std::int64_t>(sizeof(T));
    windows_ = session.inputs.windows(case_.n, case_.bytes, session.options.cold);
    case_.in_cache = windows_.in_cache;
    case_.windows = windows_.count;
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  Session<Exec>& session() const { return session_; }
  const Case& parameters() const { return case_; }
  void accumulate_in(const std::string& type) { case_.accumulator = type; }
  void call_variant(const std::string& variant) { case_.variant = variant; }

  /// Random elements, others than the matrix has. None in a dry run.
  Vector vector(std::int64_t n, std::uint64_t seed) const {
    Vector v("twofold_bench vector", static_cast<std::size_t>(session_.dry_run ? 0 : n));
    Kokkos::parallel_for(
        "twofold_bench vector",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(session_.exec, 0, v.extent(0)),
        RandomElements<T>{v.data(), seed << 50});
    session_.exec.fence("twofold_bench: vector is ready");
    return v;
  }
  Matrix matrix() const {
    if (session_.dry_run) return {};
    return Matrix(Kokkos::view_alloc(session_.exec, Kokkos::WithoutInitializing, "twofold_bench matrix"),
                  static_cast<std::size_t>(rows_), static_cast<std::size_t>(columns_));
  }
  /// Elements from row to row where each row starts at a multiple of 512 bytes, as cudaMallocPitch places them.
  std::int64_t padded_columns() const {
    constexpr auto unit = static_cast<std::int64_t>(512 / sizeof(T));
    return (columns_ + unit - 1) / unit * unit;
  }
  PaddedRows padded(std::int64_t pitch) const {
    if (session_.dry_run) return {};
    const Kokkos::View<T**, Kokkos::LayoutRight, Memory> whole(
        Kokkos::view_alloc(session_.exec, Kokkos::WithoutInitializing, "twofold_bench padded matrix"),
        static_cast<std::size_t>(rows_), static_cast<std::size_t>(pitch));
    return Kokkos::subview(whole, Kokkos::ALL, std::pair(std::int64_t{0}, columns_));
  }
  Input input(std::int64_t window) const { return input_of(session_, windows_, window, rows_, columns_); }

  /// op(exec, input) enqueues one call.
  template <class Op, class Poison, class Check>
  Path& add(const std::string& name, bool promised, Op op, Poison poison, Check check) {
    Path path;
    path.name = name;
    path.promised_bits = promised;
    path.clock = session_.clock.get();
    path.poison = poison;
    path.check = check;
    path.run = [op, &session = session_, windows = windows_, rows = rows_, columns = columns_](
                   std::int64_t first, std::int64_t count) {
      for (std::int64_t call = 0; call < count; ++call)
        op(session.exec, input_of(session, windows, (first + call) % windows.count, rows, columns));
    };
    return case_.paths.emplace_back(std::move(path));
  }

  /// A rung of the ladder: run(input, result, elements from row to row). Its own result where it pads its rows.
  template <class Run, class Line>
  void add_rung(const ProductRung<T>& rung, const Padded& result, Run run, Line line_of) {
    const std::int64_t pitch = rung.takes_pitch ? padded_columns() : columns_;
    add(
        rung.path, rung.promised_bits,
        [run, result, pitch](const Exec&, const Input& m) { run(m, result.data(), pitch); },
        [exec = session_.exec, result] { Kokkos::deep_copy(exec, result, poison<T>()); },
        [exec = session_.exec, result, lines = some_of(rows_), line_of] {
          return judge_products(exec, result, lines, line_of);
        });
  }

  /// The peers that multiply what a(input) points to by `b` into `result`. One that adds starts from zeros, and is right when it
  /// has added line_of(i) as often as it was called since then.
  template <class First, class Result, class Poison, class Line>
  void add_peers(const std::vector<MatrixPeer<T>>& peers, const First& a, const Vector& b,
                 const Result& result, Poison poison, Line line_of) {
    for (const MatrixPeer<T>& peer : peers) {
      const auto calls = std::make_shared<std::int64_t>(0);
      Path& path = add(
          peer.path, false,
          [calls, run = peer.run, a, b, result](const Exec& exec, const Input& m) {
            ++*calls;
            run(a(m), b.data(), result.data(), static_cast<std::int64_t>(m.extent(0)),
                static_cast<std::int64_t>(m.extent(1)),
                static_cast<std::int64_t>(result.stride(row_major ? 0 : 1)), row_major,
                Backend<Exec>::stream(exec));
          },
          poison, [] { return Verdict{}; });
      path.check = [&session = session_, lines = some_of(rows_), result, line_of, calls, adds = peer.adds] {
        const auto times = adds ? static_cast<double>(*calls) : 1.0;
        return judge_products(
            session.exec, result, lines,
            [&](std::int64_t i) {
              auto line = line_of(i);
              for (T& e : line) e = static_cast<T>(times * static_cast<double>(e));
              return line;
            },
            adds ? times + 2 : 0);
      };
      if (!peer.adds) continue;
      path.poison = [exec = session_.exec, result, calls] {
        Kokkos::deep_copy(exec, result, T(0));
        *calls = 0;
      };
      path.bytes = 2 * case_.n * static_cast<std::int64_t>(sizeof(T));
    }
  }

  void measure() { session_.measure(std::move(case_)); }

  /// A few lines are looked at: the ends and the middle.
  static std::vector<std::int64_t> some_of(std::int64_t n) {
    if (n < 3) return {0};
    return {0, n / 2, n - 1};
  }

 private:
  static Input input_of(const Session<Exec>& session, const Windows& windows, std::int64_t window,
                        std::int64_t rows, std::int64_t columns) {
    return Input(session.inputs.template data<T>(0) + window * windows.stride, static_cast<std::size_t>(rows),
                 static_cast<std::size_t>(columns));
  }

  Session<Exec>& session_;
  std::int64_t columns_;
  std::int64_t rows_;
  Windows windows_;
  Case case_;
};

using ProductKinds = KindList<Kind<float>, Kind<double>, Kind<std::int32_t>, Kind<std::int64_t>,
                              Kind<std::uint32_t>, Kind<std::uint64_t>>;

}  // namespace twofold::bench
