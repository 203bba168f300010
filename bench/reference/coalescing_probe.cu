// SPDX-License-Identifier: Apache-2.0
// What a warp's 32 accesses cost, by distance and by misalignment, reading and writing. One 4-byte element per
// thread and access, the same footprint of memory for every distance, so that each pattern comes from memory, not
// from cache. Counted beside it: 32-byte sectors, which is what today's hardware moves, and transactions by the text's
// rule for half-warps.
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/ladder/rungs.hpp>

#include <cstddef>
#include <string>

#include "gpu.hpp"
#include "probes.hpp"

namespace twofold::reference {
namespace {

using cuda_native::detail::launch;

__global__ void read_kernel(const float* x, std::size_t count, unsigned stride, float* never) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  float sum = 0;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    sum += x[i * stride];
  }
  if (sum == 1.2345f) *never = sum;
}

__global__ void write_kernel(float* x, std::size_t count, unsigned stride, float value) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    x[i * stride] = value;
  }
}

constexpr std::size_t element = sizeof(float);

/// 32-byte sectors that a warp touches, its first element at byte `start`, the next `distance` bytes on.
std::int64_t sectors(std::size_t start, std::size_t distance) {
  std::int64_t touched = 0;
  std::size_t last = ~std::size_t{0};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    // An element does not cross a sector: both sizes are powers of two and elements are aligned.
    const std::size_t sector = (start + lane * distance) / 32;
    touched += sector != last;
    last = sector;
  }
  return touched;
}

/// Transactions by the text: a half-warp's accesses merge into one if they are contiguous and start at a multiple
/// of the 64 bytes they cover; otherwise each is its own.
std::int64_t transactions(std::size_t start, std::size_t distance) {
  std::int64_t count = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t first = start + half * 16 * distance;
    count += distance == element && first % 64 == 0 ? 1 : 16;
  }
  return count;
}

struct Rates {
  double read;
  double write;
};

Rates measure(const Buffer& memory, std::size_t stride, std::size_t offset, bool quick) {
  const std::size_t count = (memory.bytes() / element - 32) / stride;
  const unsigned blocks = static_cast<unsigned>(gpu().multiprocessors) * 16, threads = 512;
  float* const first = memory.as<float>() + offset;
  const Buffer never(64);
  const double useful = static_cast<double>(count * element) * 1e-9;
  const double reading = gpu_seconds(
      [&] {
        launch("read_kernel", read_kernel, blocks, threads, 0, stream(), first, count,
               static_cast<unsigned>(stride), never.as<float>());
      },
      quick);
  const double writing = gpu_seconds(
      [&] {
        launch("write_kernel", write_kernel, blocks, threads, 0, stream(), first, count,
               static_cast<unsigned>(stride), 0.0f);
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
      total += static_cast<double>(count(row * pitch_bytes + w * 128, element));
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
       "The text (compute capability 1.x): a half-warp that is contiguous and aligned is one transaction, "
       "any "
       "other is sixteen. By that rule an offset of one element would divide the rate by 16.",
       "Memory itself is fetched in pieces of 64 bytes on recent GPUs, which shows from a stride of 8 to "
       "16."}};
  const Buffer memory(footprint(std::size_t{1} << (quick ? 28 : 31)));
  Rates contiguous{};
  const auto add = [&](const std::string& pattern, Cell sectors_per_warp, Cell by_text, Rates rates) {
    table.rows.push_back({pattern, std::move(sectors_per_warp), std::move(by_text), rates.read, rates.write,
                          100 * rates.read / contiguous.read, 100 * rates.write / contiguous.write});
  };
  for (const std::size_t stride : {1, 2, 4, 8, 16, 32}) {
    const Rates rates = measure(memory, stride, 0, quick);
    if (stride == 1) contiguous = rates;
    add("stride " + std::to_string(stride), sectors(0, stride * element), transactions(0, stride * element),
        rates);
  }
  for (std::size_t offset = 0; offset < 32; ++offset) {
    if (quick && offset != 1 && offset % 8 != 0) continue;
    add("offset " + std::to_string(offset), sectors(offset * element, element),
        transactions(offset * element, element), measure(memory, 1, offset, quick));
  }
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
