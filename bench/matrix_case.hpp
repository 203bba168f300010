// SPDX-License-Identifier: Apache-2.0
#pragma once

// A case on a row-major matrix of n elements, as square as powers of two allow: 2^28 is 16384 x 16384. The matrix is an
// operand of the session, vectors and results are the case's own. Lines of a result are verified, not all of them.

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fold_case.hpp"

namespace twofold::bench {

template <class Exec, class T>
class MatrixCase {
 public:
  using Memory = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Input = Kokkos::View<const T**, Kokkos::LayoutRight, Memory, Unmanaged>;
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  using Vector = Kokkos::View<T*, Memory>;

  MatrixCase(Session<Exec>& session, const std::string& algorithm, std::int64_t n,
             const std::string& result_type)
      : session_(session),
        columns_(std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(n)) - 1) / 2),
        rows_(n / columns_) {
    const Row& row = row_of(algorithm);
    case_.algorithm = algorithm;
    case_.variant = std::to_string(rows_) + "x" + std::to_string(columns_);
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
  Input input(std::int64_t window) const { return input_of(session_, windows_, window, rows_, columns_); }

  /// op(exec, input) enqueues one call.
  template <class Op, class Poison, class Check>
  void add(const std::string& name, bool promised, Op op, Poison poison, Check check) {
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
    case_.paths.push_back(std::move(path));
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

/// Any View of rank 1 as a vector on the host.
template <class Exec, class View>
auto on_host(const Exec& exec, const View& view) {
  using T = typename View::non_const_value_type;
  Kokkos::View<T*, typename Exec::memory_space> packed("twofold_bench packed", view.extent(0));
  std::vector<T> host(view.extent(0));
  Kokkos::deep_copy(exec, packed, view);
  Kokkos::deep_copy(
      exec,
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(host.data(), host.size()),
      packed);
  exec.fence("twofold_bench: line is copied");
  return host;
}

/// The verdict on a matrix of products: line(i) gives the expected elements of row i.
template <class Exec, class Matrix, class Line>
Verdict judge_products(const Exec& exec, const Matrix& result, const std::vector<std::int64_t>& rows,
                       Line line) {
  using T = typename Matrix::non_const_value_type;
  Verdict verdict;
  verdict.ok = true;
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, of the rows that are looked at
  for (const std::int64_t i : rows) {
    const std::vector<T> found = on_host(exec, Kokkos::subview(result, i, Kokkos::ALL)), expected = line(i);
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (found[j] != expected[j] && verdict.ok) {
        verdict.ok = false;
        verdict.reason = "element (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                         std::to_string(found[j]) + ", expected " + std::to_string(expected[j]);
      }
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(found.data());
    for (std::size_t b = 0; b < found.size() * sizeof(T); ++b) hash = (hash ^ bytes[b]) * 1099511628211u;
  }
  verdict.bits = std::to_string(hash);
  return verdict;
}

/// The verdict on sums of lines: line(k) gives the elements that sum k is of. Bits are those of all sums.
template <class T, class Exec, class Sums, class Line>
Verdict judge_sums(const Exec& exec, const Sums& sums, const std::vector<std::int64_t>& lines, Order order,
                   Line line) {
  using R = typename Sums::non_const_value_type;
  const std::vector<R> found = on_host(exec, sums);
  Verdict verdict;
  for (const std::int64_t k : lines) {
    Folded reference;
    const std::vector<T> elements = line(k);
    for (const T x : elements) {
      const auto wide = static_cast<long double>(x);
      reference.value += wide;
      reference.magnitude += wide < 0 ? -wide : wide;
    }
    verdict = judge(Fold::sum, reference, static_cast<std::int64_t>(elements.size()), order,
                    found[static_cast<std::size_t>(k)]);
    if (!verdict.ok) {
      verdict.reason = "sum " + std::to_string(k) + ": " + verdict.reason;
      return verdict;
    }
  }
  std::uint64_t hash = 14695981039346656037u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(found.data());
  for (std::size_t b = 0; b < found.size() * sizeof(R); ++b) hash = (hash ^ bytes[b]) * 1099511628211u;
  verdict.bits = std::to_string(hash);
  return verdict;
}

using ProductKinds = KindList<Kind<float>, Kind<double>, Kind<std::int32_t>, Kind<std::int64_t>,
                              Kind<std::uint32_t>, Kind<std::uint64_t>>;

}  // namespace twofold::bench
