// SPDX-License-Identifier: Apache-2.0
// What GPU threads do in matrix products and in folds, done by a loop over the threads: so that machines without a GPU
// check it too, and sanitizers see it.
#include "support/fenced.hpp"
#include "support/matrices.hpp"

#include <twofold/backends/fold_computed_device.hpp>
#include <twofold/backends/fold_device.hpp>
#include <twofold/backends/fold_host.hpp>
#include <twofold/backends/line_products.hpp>
#include <twofold/backends/trapezoids.hpp>

#include <set>

namespace {

namespace b = twofold::backends;

// Elements at an offset from a 128-byte boundary, fenced, with guards on both sides.
template <class T>
struct room {
  fenced::elements<T> fences;
  T* first;
  room(std::size_t n, std::size_t offset)
      : fences(n, offset, cases::guarded<Kokkos::DefaultHostExecutionSpace, T>::guard()),
        first(fences.data()) {}
  std::vector<T> all() const { return {fences.all_elements().begin(), fences.all_elements().end()}; }
};

template <unsigned Packs, b::walk Walk, b::reading Reading, class Map>
void multiply(const Map& map) {
  const auto threads = b::product_threads::of<Packs, Walk>(map);
  for (std::size_t i = 0; i < threads.total; ++i) b::multiply_packs<Packs, Walk, Reading>(map, threads, i);
}

template <class Map>
void expect_products(std::size_t count, std::size_t length, cases::frame of_in, cases::frame of_out) {
  using T = typename Map::element;
  SCOPED_TRACE(testing::Message() << count << " lines of " << length << ", in at " << of_in.offset << " pad "
                                  << of_in.pad << ", out at " << of_out.offset << " pad " << of_out.pad);
  const std::size_t pitch_in = length + of_in.pad, pitch_out = length + of_out.pad;
  // Any multiple of 16 bytes behind a boundary of 128.
  const std::size_t packs = (count + length) % 8 * (16 / sizeof(T));
  // The last line has no pads behind it.
  room<T> in((count - 1) * pitch_in + length, of_in.offset),
      out((count - 1) * pitch_out + length, of_out.offset + packs);
  const auto elements = cases::random_elements<T>(count * length, 1);
  const auto along = cases::random_elements<T>(length, 2), across = cases::random_elements<T>(count, 3);
  // On a 16-byte boundary, and an element behind one.
  room<T> vector(length, count % 2);
  std::copy(along.begin(), along.end(), vector.first);
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t k = 0; k < length; ++k) in.first[l * pitch_in + k] = elements[l * length + k];
  }
  auto expected = out.all();
  const std::size_t behind = out.fences.before();
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t k = 0; k < length; ++k) {
      const T left = Map::reads_in ? elements[l * length + k] : across[l];
      expected[behind + l * pitch_out + k] =
          reference::product(left, Map::reads_along ? along[k] : across[l]);
    }
  }
  const auto untouched = out.all();
  const Map map = Map::on({in.first, count, length, static_cast<std::ptrdiff_t>(pitch_in), 1},
                          {out.first, count, length, static_cast<std::ptrdiff_t>(pitch_out), 1},
                          {vector.first}, {across.data()});
  const auto check = [&]<unsigned Packs, b::walk Walk, b::reading Reading>() {
    std::copy(untouched.begin(), untouched.end(), out.fences.all_elements().begin());
    multiply<Packs, Walk, Reading>(map);
    EXPECT_EQ(std::memcmp(out.fences.all_elements().data(), expected.data(), expected.size() * sizeof(T)), 0)
        << (Walk == b::walk::flat ? "flat" : "line by line") << ", " << Packs << " packs a thread, in by "
        << (Reading == b::reading::packs ? "packs" : "elements");
  };
  b::with_walk(map, [&]<b::walk Walk, b::reading Reading, unsigned>() {
    const auto with = [&]<b::walk Any>() {
      check.template operator()<1, Any, Reading>();
      check.template operator()<2, Any, Reading>();
      check.template operator()<8, Any, Reading>();
    };
    with.template operator()<Walk>();
    if (Walk == b::walk::flat && count > 1) with.template operator()<b::walk::by_line>();
  });
}

template <class T>
class DeviceThreads : public testing::Test {};
using elements = testing::Types<float, double, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(DeviceThreads, elements);

TYPED_TEST(DeviceThreads, MultiplyLines) {
  using T = TypeParam;
  for (const std::size_t length : {1, 2, 3, 4, 5, 7, 31, 33, 64, 127, 130, 515}) {
    for (const std::size_t count : {1, 2, 8, 9, 301}) {
      for (const auto& of_out : cases::frames()) {
        expect_products<b::outer_lines<T>>(count, length, {0, 0}, of_out);
        for (const auto& of_in : cases::frames()) {
          expect_products<b::scaled_along<T>>(count, length, of_in, of_out);
          expect_products<b::scaled_across<T>>(count, length, of_in, of_out);
        }
      }
    }
  }
}

// ---- folds --------------------------------------------------------------------------------------------

template <class A>
A tree(std::vector<A> nodes) {
  for (std::size_t m = nodes.size(); m > 1; m /= 2) {
    for (std::size_t k = 0; k < m / 2; ++k) nodes[k] = b::combine(nodes[2 * k], nodes[2 * k + 1]);
  }
  return nodes[0];
}

// What the threads of a team make of a chunk, and the tree over them.
template <unsigned Rows, class Source>
auto fold_chunk(const Source& source, std::size_t start, std::size_t count) {
  std::vector<typename Source::accumulator> nodes(b::team_threads);
  for (unsigned t = 0; t < b::team_threads; ++t)
    nodes[t] = b::fold_thread<Rows, true, b::rows_in_flight<Source, 256>>(source, start, count, t);
  return tree(nodes);
}

// The chunks that a team takes from `first` on, where elements are computed. The threads come by twice: the first time
// they leave what they learn where all of them read it, which a barrier would otherwise separate.
template <unsigned Rows, class Source>
auto fold_computed_chunks(const Source& source, std::size_t n, unsigned first, unsigned of_team) {
  using A = typename Source::accumulator;
  const auto chunks_of_all = static_cast<unsigned>(twofold::fold_order::chunk_count(n));
  std::vector<b::row_pack<Source>> rows(b::chunk_rooms<Source>::row_packs(of_team * Rows));
  std::vector<typename b::chunk_rooms<Source>::offsets> kept(b::team_threads);
  std::vector<std::vector<A>> values(of_team, std::vector<A>(b::team_threads, A(12345)));
  for (int round = 0; round < 2; ++round) {
    for (unsigned t = 0; t < b::team_threads; ++t) {
      unsigned c = 0;
      b::fold_thread_of_chunks<Rows>(
          source, n, chunks_of_all, first, of_team, t, t, b::chunk_rooms<Source>{rows.data(), kept.data()},
          [] {}, [&](A value) { values[c++][b::value_slot<A>(t)] = value; });
      EXPECT_EQ(c, std::min(of_team, chunks_of_all - first));
    }
  }
  std::vector<A> chunks;
  for (const auto& value : values) {
    std::vector<A> parts;
    for (unsigned t = 0; t < 32; ++t) parts.push_back(b::fold_thread_of_values(value.data(), t));
    chunks.push_back(tree(parts));
  }
  return chunks;
}

template <class Source, class A>
void expect_chunk(const Source& source, std::size_t n, std::size_t start, A folded) {
  const std::size_t count = std::min(twofold::fold_order::chunk_size(n), n - start);
  SCOPED_TRACE(testing::Message() << n << " elements, the chunk at " << start);
  EXPECT_SAME_BITS(source.finish(folded),
                   source.finish(b::host::fold_chunk_as_defined(source, start, count)));
}

// Every chunk of n elements.
template <class Source>
void expect_chunks(const Source& source, std::size_t n) {
  constexpr unsigned short_rows = twofold::fold_order::short_rows, long_rows = twofold::fold_order::long_rows;
  const std::size_t chunk = twofold::fold_order::chunk_size(n);
  const bool is_short = twofold::fold_order::rows_per_chunk(n) == short_rows;
  if constexpr (b::computes_elements<Source>) {
    const auto chunks = static_cast<unsigned>((n + chunk - 1) / chunk);
    for (const unsigned of_team : {1u, 2u, 3u, 7u, 8u, b::most_chunks_of_team<Source>}) {
      for (unsigned first = 0; first < chunks; first += of_team) {
        const auto folded = is_short ? fold_computed_chunks<short_rows>(source, n, first, of_team)
                                     : fold_computed_chunks<long_rows>(source, n, first, of_team);
        for (unsigned c = 0; c < of_team && first + c < chunks; ++c)
          expect_chunk(source, n, (first + c) * chunk, folded[c]);
      }
    }
  } else {
    for (std::size_t start = 0; start < n; start += chunk) {
      const std::size_t count = std::min(chunk, n - start);
      expect_chunk(source, n, start,
                   is_short ? fold_chunk<short_rows>(source, start, count)
                            : fold_chunk<long_rows>(source, start, count));
    }
  }
}

// What a team makes of its part of a short chunk.
template <class Source>
typename Source::accumulator fold_part(const Source& source, std::size_t n, const b::fold_levels& levels,
                                       unsigned team) {
  const unsigned threads = levels.threads();
  using A = typename Source::accumulator;
  constexpr unsigned rows = twofold::fold_order::short_rows;
  constexpr std::size_t chunk = rows * twofold::fold_order::lanes;
  std::vector<A> nodes(threads);
  if constexpr (b::computes_elements<Source>) {
    const auto chunks = static_cast<unsigned>(twofold::fold_order::chunk_count(n));
    // A team's own memory on chip, of no more than it has threads.
    std::vector<b::row_pack<Source>> on_chip(b::chunk_rooms<Source>::row_packs(rows));
    std::vector<typename b::chunk_rooms<Source>::offsets> kept(threads);
    for (int round = 0; round < 2; ++round) {
      for (unsigned t = 0; t < threads; ++t) {
        const auto at = b::place_of<rows>(levels, team, t);
        b::fold_thread_of_chunks<rows>(
            source, n, chunks, at.chunk, 1, at.thread, t, b::chunk_rooms<Source>{on_chip.data(), kept.data()},
            [] {}, [&](A value) { nodes[t] = value; });
      }
    }
  } else {
    for (unsigned t = 0; t < threads; ++t) {
      const auto at = b::place_of<rows>(levels, team, t);
      const std::size_t start = at.chunk * chunk;
      nodes[t] = b::fold_thread<rows, true, b::rows_in_flight<Source, 256>>(
          source, start, std::min(chunk, n - start), at.thread);
    }
  }
  return tree(nodes);
}

// Short chunks that several teams share: on GPUs of any size, the fold of all.
template <class Source>
void expect_shared_chunks(const Source& source, std::size_t n) {
  using A = typename Source::accumulator;
  using twofold::fold_order::chunk_size;
  std::vector<A> chunks;
  for (std::size_t start = 0; start < n; start += chunk_size(n))
    chunks.push_back(b::host::fold_chunk_as_defined(source, start, std::min(chunk_size(n), n - start)));
  const A expected = b::host::fold_chunk_as_defined(b::partials_source<A>{chunks.data()}, 0, chunks.size());
  unsigned most_parts = 0;
  for (const unsigned multiprocessors : {1u, 8u, 20u, 80u, 132u, 200u}) {
    SCOPED_TRACE(testing::Message() << n << " elements, " << multiprocessors << " multiprocessors");
    auto levels = b::fold_levels::of(n);
    levels.spread_over(multiprocessors, b::few_chunks<A>, n);
    ASSERT_EQ(levels.parts() * levels.threads(), levels.chunks * b::team_threads);
    ASSERT_TRUE(levels.chunks == levels.parts() ||
                levels.parts() <= std::min(multiprocessors, b::few_chunks<A>));
    most_parts = std::max(most_parts, levels.parts() / levels.chunks);
    std::vector<A> parts;
    for (unsigned team = 0; team < levels.parts(); ++team)
      parts.push_back(fold_part(source, n, levels, team));
    std::vector<A> threads;
    for (unsigned t = 0; t < 32; ++t)
      threads.push_back(b::fold_thread_of_few(parts.data(), levels.parts(), t));
    EXPECT_SAME_BITS(source.finish(tree(threads)), source.finish(expected));
  }
  EXPECT_EQ(most_parts, n <= chunk_size(n) ? 1 : 4);
}

// On how many teams short chunks are spread; never long ones, and never more than 32 threads fold.
template <class A>
void expect_spread() {
  constexpr std::size_t chunk = twofold::fold_order::lanes * twofold::fold_order::short_rows;
  const auto parts_of = [](std::size_t n, unsigned multiprocessors) {
    auto levels = b::fold_levels::of(n);
    levels.spread_over(multiprocessors, b::few_chunks<A>, n);
    EXPECT_EQ(levels.chunks, twofold::fold_order::chunk_count(n));
    EXPECT_EQ(levels.threads() * levels.parts(), levels.chunks * b::team_threads);
    const auto dealt = b::dealt_chunks::of<twofold::fold_order::short_rows>(levels, 8, multiprocessors);
    if (n <= twofold::fold_order::longest_short) {
      EXPECT_TRUE(dealt.one_each());
      EXPECT_EQ(dealt.teams, levels.parts());
      EXPECT_EQ(dealt.largest(), 1u);
    }
    return levels.parts();
  };
  const bool three = sizeof(A) > 8;  // 128 results at most
  EXPECT_EQ(parts_of(chunk, 132), 1u);
  EXPECT_EQ(parts_of(chunk + 1, 132), 8u);
  EXPECT_EQ(parts_of(33 * chunk, 132), three ? 66u : 132u);
  EXPECT_EQ(parts_of(34 * chunk, 132), 68u);
  EXPECT_EQ(parts_of(66 * chunk, 132), three ? 66u : 132u);
  EXPECT_EQ(parts_of(67 * chunk, 132), 67u);
  EXPECT_EQ(parts_of(129 * chunk, 600), three ? 129u : 258u);
  EXPECT_EQ(parts_of(256 * chunk, 5000), three ? 256u : 512u);
  EXPECT_EQ(parts_of(33 * chunk, 1), 33u);
  EXPECT_EQ(parts_of(256 * chunk + 1, 5000), 65u);  // long chunks
}

// Every chunk goes to one team, in turn; no team has chunks of two groups; and the places have nearly the same to do.
void expect_dealt(unsigned chunks, unsigned most, unsigned multiprocessors) {
  constexpr unsigned rows = twofold::fold_order::long_rows;
  SCOPED_TRACE(testing::Message() << chunks << " chunks, at most " << most << " a team, " << multiprocessors
                                  << " multiprocessors");
  const auto levels = b::fold_levels::of(chunks * (rows * twofold::fold_order::lanes));
  ASSERT_EQ(levels.chunks, chunks);
  const auto dealt = b::dealt_chunks::of<rows>(levels, most, multiprocessors);
  std::vector<unsigned> load(2 * multiprocessors);
  unsigned next = 0;
  for (unsigned team = 0; team < dealt.teams; ++team) {
    ASSERT_EQ(dealt.first_of(team), next);
    const unsigned count = std::min(dealt.count_of(team), chunks - next);
    ASSERT_TRUE(count >= 1 && count <= dealt.largest() && dealt.largest() <= most) << team;
    ASSERT_TRUE(!dealt.one_each() || count == 1);
    ASSERT_EQ(levels.group_of(next), levels.group_of(next + count - 1)) << team;
    *std::min_element(load.begin(), load.end()) += count;
    next += count;
  }
  ASSERT_EQ(next, chunks);
  // Not one chunk more than the mean; and few teams, since each costs as much as some chunks: as many rounds of the largest
  // as there are, one of others, and one of at most a chunk for every second place.
  const unsigned places = 2 * multiprocessors, mean = (chunks + places - 1) / places;
  ASSERT_LE(dealt.teams, chunks / (places * most) * places + places + multiprocessors);
  if (levels.groups == 1) {
    ASSERT_LE(*std::max_element(load.begin(), load.end()), mean);
  }
}

// The chunk results that 32 threads fold, as a chunk of the next level.
template <class A>
void expect_few() {
  const auto results = cases::random_elements<A>(b::few_chunks<A>, 5);
  for (unsigned count = 1; count <= b::few_chunks<A>; ++count) {
    std::vector<A> parts;
    for (unsigned t = 0; t < 32; ++t) parts.push_back(b::fold_thread_of_few(results.data(), count, t));
    EXPECT_SAME_BITS(tree(parts),
                     b::host::fold_chunk_as_defined(b::partials_source<A>{results.data()}, 0, count));
  }
}

struct cubic {
  template <class T>
  T operator()(T x) const {
    return x * x * x + T(1);
  }
};

template <class T>
void expect_folds() {
  for (const std::size_t n : {1, 3, 2047, 2048, 2049, 8191, 8192, 8193, 20011}) {
    const auto x = cases::random_elements<T>(n, 1), y = cases::random_elements<T>(n, 2);
    room<T> left(n, 0), right(n, 0);
    std::copy(x.begin(), x.end(), left.first);
    std::copy(y.begin(), y.end(), right.first);
    expect_chunks(b::sum_source<T, T>{{left.first}}, n);
    expect_chunks(b::dot_source<T, T>{{left.first}, {right.first}}, n);
    expect_chunks(b::norm2_source<T, T>{{left.first}}, n);
    expect_chunks(b::trapezoids(cubic{}, T(-0.3), T(1.7), n), n + 1);
    expect_shared_chunks(b::sum_source<T, T>{{left.first}}, n);
    expect_shared_chunks(b::dot_source<T, T>{{left.first}, {right.first}}, n);
    expect_shared_chunks(b::norm2_source<T, T>{{left.first}}, n);
    expect_shared_chunks(b::trapezoids(cubic{}, T(-0.3), T(1.7), n), n + 1);
  }
  constexpr std::size_t many = (std::size_t{1} << 21) + 9000;  // long chunks
  expect_chunks(b::trapezoids(cubic{}, T(-0.3), T(1.7), many), many + 1);
  // The last chunk: one element, an end of a row, all but one row, all of it.
  constexpr std::size_t long_ones = std::size_t{1} << 21, row = 2048, chunk = 16 * row;
  for (const std::size_t last : {std::size_t{1}, row, row + 1, 15 * row + 1, chunk - 1, chunk}) {
    const std::size_t count = long_ones + chunk + last;
    expect_chunks(b::trapezoids(cubic{}, T(1.7), T(-0.3), count - 1), count);
  }
}

TEST(DeviceThreadsOfFolds, OfFloats) { expect_folds<float>(); }
TEST(DeviceThreadsOfFolds, OfDoubles) { expect_folds<double>(); }

TEST(DeviceThreadsOfFolds, ShortChunksAreSpreadOverMultiprocessors) {
  expect_spread<float>();
  expect_spread<double>();
  expect_spread<b::scaled_squares>();
}

TEST(DeviceThreadsOfFolds, ChunksAreDealtToTeams) {
  for (const unsigned multiprocessors : {1u, 3u, 20u, 108u, 132u, 148u}) {
    for (const unsigned most : {b::most_chunks_of_team<b::trapezoids_source<cubic, float>>,
                                b::most_chunks_of_team<b::trapezoids_source<cubic, double>>}) {
      const unsigned round = 2 * multiprocessors * most;
      for (unsigned chunks = 65; chunks < 2000; chunks += 7) expect_dealt(chunks, most, multiprocessors);
      // Around whole rounds, around groups of 8192, and far beyond.
      for (const unsigned edge : {1 * round, 2 * round, 3 * round + round / 3, 8192u, 16384u, 131072u}) {
        for (const unsigned chunks :
             {edge - 1, edge, edge + 1, edge + multiprocessors, edge + 3 * multiprocessors})
          expect_dealt(std::max(chunks, 65u), most, multiprocessors);
      }
    }
  }
}

// Value k of all threads that memory on chip serves at once: 128 bytes, in 32 banks of 4.
template <class A>
void expect_no_bank_twice() {
  constexpr unsigned at_once = 128 / sizeof(A);
  for (unsigned first = 0; first < 32; first += at_once) {
    for (unsigned k = 0; k < b::values_per_thread; ++k) {
      std::set<unsigned> places;
      for (unsigned t = first; t < first + at_once; ++t)
        places.insert(b::value_slot<A>(b::values_per_thread * t + k) % at_once);
      EXPECT_EQ(places.size(), at_once);
    }
  }
  std::set<unsigned> all;
  for (unsigned t = 0; t < b::team_threads; ++t) all.insert(b::value_slot<A>(t));
  EXPECT_EQ(all.size(), b::team_threads);
  EXPECT_EQ(*all.rbegin(), b::team_threads - 1);
}

TEST(DeviceThreadsOfFolds, ValuesOfAChunkMeetInNoBank) {
  expect_no_bank_twice<float>();
  expect_no_bank_twice<double>();
}

TEST(DeviceThreadsOfFolds, FewChunks) {
  expect_few<float>();
  expect_few<double>();
  expect_few<std::uint32_t>();
}

TEST(Divisor, DividesAsDivisionDoes) {
  const std::size_t word = std::size_t{1} << 32, end = std::size_t{1} << 63;
  std::vector<std::size_t> divisors{1, 2, 3, 7, 250, 641, 1001, 65535, 65537, end - 1, end};
  for (const std::size_t edge : {word / 2, word, word << 10}) {
    for (const std::size_t d : {edge - 1, edge, edge + 1}) divisors.push_back(d);
  }
  for (const std::size_t d : divisors) {
    const b::divisor by(d);
    // Around multiples of d from the first to the last below 2^63, where a quotient that is one off shows.
    for (const std::size_t times : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1000},
                                    word / d, end / d / 3, (end - 1) / d}) {
      for (const std::ptrdiff_t off : {-1, 0, 1, 2143}) {
        const std::size_t a = times * d + static_cast<std::size_t>(off);
        if (times > (end - 1) / d || a >= end) continue;
        const auto q = by(a);
        EXPECT_EQ(q.quot, a / d) << a << " / " << d;
        EXPECT_EQ(q.rem, a % d) << a << " % " << d;
      }
    }
    const auto last = by(end - 1);
    EXPECT_EQ(last.quot, (end - 1) / d) << "2^63 - 1, " << d;
    EXPECT_EQ(last.rem, (end - 1) % d) << "2^63 - 1, " << d;
  }
}

}  // namespace
