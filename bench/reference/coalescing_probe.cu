// SPDX-License-Identifier: Apache-2.0
// What a warp's 32 accesses cost, by distance, by misalignment and by which lane accesses what, reading and writing. One
// 4-byte element per thread and access, the same footprint of memory for every pattern, so that each comes from
// memory, not from cache. Counted beside it: 32-byte sectors, which is what today's hardware moves, and transactions by
// the text's rule for half-warps.
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/ladder/rungs.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "gpu.hpp"
#include "probes.hpp"

namespace twofold::reference {
namespace {

using cuda_native::detail::launch;

// Patterns: which element thread i accesses, where it takes part, and how many elements further the next warp is. The
// kernels and the counts ask the same functions.

struct every_lane {
  __host__ __device__ static bool takes_part(std::size_t) { return true; }
};
/// One element from lane to lane, or more.
struct apart : every_lane {
  unsigned distance;
  explicit apart(std::size_t elements) : distance(static_cast<unsigned>(elements)) {}
  std::size_t span() const { return std::size_t{32} * distance; }
  __host__ __device__ std::size_t element(std::size_t i) const { return i * distance; }
};
struct reversed : every_lane {
  static std::size_t span() { return 32; }
  __host__ __device__ static std::size_t element(std::size_t i) { return i ^ 31; }
};
/// The 32 elements of a warp in an order in which no lane is next to its neighbour.
struct permuted : every_lane {
  static std::size_t span() { return 32; }
  __host__ __device__ static std::size_t element(std::size_t i) { return i / 32 * 32 + (11 * i + 5) % 32; }
};
struct in_pairs : every_lane {
  static std::size_t span() { return 16; }
  __host__ __device__ static std::size_t element(std::size_t i) { return i / 2; }
};
struct half_of_the_lanes {
  static std::size_t span() { return 32; }
  __host__ __device__ static bool takes_part(std::size_t i) { return i % 2 == 0; }
  __host__ __device__ static std::size_t element(std::size_t i) { return i; }
};

template <class Pattern>
__global__ void read_kernel(const float* x, std::size_t count, Pattern pattern, float* never) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  float sum = 0;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    if (pattern.takes_part(i)) sum += x[pattern.element(i)];
  }
  if (sum == 1.2345f) *never = sum;
}

template <class Pattern>
__global__ void write_kernel(float* x, std::size_t count, Pattern pattern, float value) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    if (pattern.takes_part(i)) x[pattern.element(i)] = value;
  }
}

constexpr std::size_t element = sizeof(float);

/// The first byte of each lane's access; none where the lane is off.
using warp_access = std::array<std::optional<std::size_t>, 32>;

/// A warp whose elements begin at byte `start`.
template <class Pattern>
warp_access access(const Pattern& pattern, std::size_t start) {
  warp_access warp;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (pattern.takes_part(lane)) warp[lane] = start + pattern.element(lane) * element;
  return warp;
}

/// Pieces of so many bytes that a warp touches. An element does not cross one: both sizes are powers of two and
/// elements are aligned.
std::int64_t pieces(const warp_access& warp, std::size_t bytes) {
  std::set<std::size_t> touched;
  for (const auto& byte : warp)
    if (byte) touched.insert(*byte / bytes);
  return static_cast<std::int64_t>(touched.size());
}
std::int64_t sectors(const warp_access& warp) { return pieces(warp, 32); }

/// Transactions by the text: a half-warp's accesses merge into one if lane k of it accesses element k of 64 bytes that
/// start at a multiple of 64, lanes that are off left out; otherwise each is its own.
std::int64_t transactions(const warp_access& warp) {
  std::int64_t count = 0;
  for (std::size_t half = 0; half < 32; half += 16) {
    std::int64_t accesses = 0;
    std::set<std::size_t> starts;  // where lane 0 of the half-warp would be, by each of its lanes
    for (std::size_t k = 0; k < 16; ++k) {
      if (!warp[half + k]) continue;
      ++accesses;
      starts.insert(*warp[half + k] - k * element);
    }
    count += starts.size() == 1 && *starts.begin() % 64 == 0 ? 1 : accesses;
  }
  return count;
}

struct Rates {
  double read;
  double write;
};

/// Of useful bytes: those that some lane asks for, counted once.
template <class Pattern>
Rates measure(const Buffer& memory, const Pattern& pattern, std::size_t offset, bool quick) {
  const std::size_t warps = (memory.bytes() / element - 32) / pattern.span(), count = 32 * warps;
  const unsigned blocks = static_cast<unsigned>(gpu().multiprocessors) * 16, threads = 512;
  float* const first = memory.as<float>() + offset;
  const Buffer never(64);
  const auto elements = static_cast<std::size_t>(pieces(access(pattern, 0), element));
  const double useful = static_cast<double>(warps * elements * element) * 1e-9;
  const double reading = gpu_seconds(
      [&] {
        launch("read_kernel", read_kernel<Pattern>, blocks, threads, 0, stream(), first, count, pattern,
               never.as<float>());
      },
      quick);
  const double writing = gpu_seconds(
      [&] {
        launch("write_kernel", write_kernel<Pattern>, blocks, threads, 0, stream(), first, count, pattern,
               0.0f);
      },
      quick);
  return {useful / reading, useful / writing};
}

/// Averages of a count over the full warps of a matrix's rows, as the ladder's kernels assign them.
template <class Count>
double over_rows(std::size_t columns, std::size_t pitch_bytes, Count count) {
  double total = 0;
  const std::size_t rows = 64, warps = columns / 32;  // starts repeat after at most 64 rows
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t w = 0; w < warps; ++w)
      total += static_cast<double>(count(access(apart(1), row * pitch_bytes + w * 128)));
  }
  return total / static_cast<double>(rows * warps);
}

}  // namespace

Table coalescing_table(bool quick) {
  Table table{
      "coalescing",
      "Coalescing: one 4-byte access per thread, useful bytes moved",
      {{"pattern", ""},
       {"sectors/warp", ""},
       {"transactions/warp, text", ""},
       {"read", "GB/s"},
       {"write", "GB/s"},
       {"read, of contiguous", "%"},
       {"write, of contiguous", "%"}},
      {},
      {"Today: a warp's accesses are served by 32-byte sectors, whatever their order and wherever they "
       "start; 4 sectors when contiguous and aligned.",
       "Reads cost the sectors that are fetched. Of a warp that starts inside a sector the neighbouring warp "
       "shares the one that straddles, and the cache keeps it: so misalignment costs little, distance costs "
       "in proportion.",
       "Writes cost more where a warp writes a sector in part, for that has to be merged with what the "
       "sector held: less than half the rate is left where warps start inside a sector (any offset but a "
       "multiple of 8), and at every stride beyond 1.",
       "The text (the rule of compute capability 1.0 and 1.1): a half-warp whose lanes access aligned "
       "memory in their order is one transaction, any other is one per lane. By that rule an offset of one "
       "element would divide the rate by 16.",
       "Lanes: reversed; in an order that leaves no neighbours; two at each address, so that a warp "
       "covers 64 bytes; every second one off. GB/s count a byte once, and only where a lane asks for it.",
       "Memory itself is fetched in pieces of 64 bytes on recent GPUs, which shows from a stride of 8 to "
       "16."}};
  const Buffer memory(footprint(std::size_t{1} << (quick ? 28 : 31)));
  Rates contiguous{};
  const auto add = [&](const std::string& pattern, Cell sectors_per_warp, Cell by_text, Rates rates) {
    table.rows.push_back({pattern, std::move(sectors_per_warp), std::move(by_text), rates.read, rates.write,
                          100 * rates.read / contiguous.read, 100 * rates.write / contiguous.write});
  };
  const auto add_pattern = [&](const std::string& name, const auto& pattern, std::size_t offset) {
    const Rates rates = measure(memory, pattern, offset, quick);
    if (contiguous.read == 0) contiguous = rates;  // the first
    const warp_access warp = access(pattern, offset * element);
    add(name, sectors(warp), transactions(warp), rates);
  };
  for (const std::size_t stride : {1, 2, 4, 8, 16, 32})
    add_pattern("stride " + std::to_string(stride), apart(stride), 0);
  for (std::size_t offset = 0; offset < 32; ++offset) {
    if (quick && offset != 1 && offset % 8 != 0) continue;
    add_pattern("offset " + std::to_string(offset), apart(1), offset);
  }
  add_pattern("lanes reversed", reversed{}, 0);
  add_pattern("lanes permuted", permuted{}, 0);
  add_pattern("two lanes an address", in_pairs{}, 0);
  add_pattern("every second lane off", half_of_the_lanes{}, 0);
  // A matrix whose packed rows start anywhere, scaled by its columns: read and written in one call.
  namespace ladder = cuda_native::ladder;
  const std::size_t columns = 1001, rows = memory.bytes() / (4 * 1024 * element);
  const std::size_t packed = columns * element;
  void* probe = nullptr;
  std::size_t pitch = 0;
  check(cudaMallocPitch(&probe, &pitch, packed, 2), "pitch");
  check(cudaFree(probe), "pitch");
  const Buffer vector(columns * element);
  float* const m = memory.as<float>();
  float* const r =
      reinterpret_cast<float*>(memory.as<char>() + rows * pitch);  // 4 KiB a row and matrix leave room
  const auto matrix = [&](ladder::scale_columns_function<float>* rung, std::size_t row_bytes) {
    const double seconds =
        gpu_seconds([&] { rung(m, vector.as<float>(), r, rows, columns, row_bytes, stream()); }, quick);
    const double rate = static_cast<double>(rows * packed) / seconds * 1e-9;
    return Rates{rate, rate};
  };
  contiguous = matrix(ladder::scale_columns::pitched<float>, pitch);
  add("1001 columns, pitched", over_rows(columns, pitch, sectors), over_rows(columns, pitch, transactions),
      contiguous);
  add("1001 columns, packed", over_rows(columns, packed, sectors), over_rows(columns, packed, transactions),
      matrix(ladder::scale_columns::coalesced<float>, packed));
  add("1001 columns, row per thread", std::int64_t{32}, std::int64_t{32},
      matrix(ladder::scale_columns::swapped<float>, packed));
  table.notes.push_back("Matrices: scale_columns of " + std::to_string(rows) +
                        " x 1001 floats, read and written at the "
                        "same time, each at the rate shown; per cent of the pitched one; pitch " +
                        std::to_string(pitch) + " bytes. Counts are averages over full warps.");
  return table;
}

}  // namespace twofold::reference
