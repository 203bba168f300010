// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth of each level of the GPU's memory. Latency: one thread, each access needs the one before: a
// chain of fused multiply-adds for registers, pointers to pointers for the rest, in random order beyond the L1
// cache. Bandwidth: all multiprocessors, 16-byte loads. Loads are inline PTX, so that the cache they may use is
// stated and none is removed.
#include <twofold/cuda_native/detail/launch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gpu.hpp"
#include "probes.hpp"

namespace twofold::reference {
namespace {

using cuda_native::detail::launch;

constexpr unsigned line = 128;

struct Duration {
  long long cycles;
  long long ns;
  unsigned long long kept;
};

__device__ __forceinline__ long long nanoseconds() {
  long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}
__device__ __forceinline__ long long cycles() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

/// Runs `step` that often, 32 at a time, and notes how long it took.
template <class Step>
__device__ __forceinline__ Duration timed(unsigned steps, Step step) {
  const long long ns = nanoseconds(), start = cycles();
  for (unsigned s = 0; s < steps; s += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) step();
  }
  const long long stop = cycles();
  return {stop - start, nanoseconds() - ns, 0};
}

__global__ void register_latency_kernel(float x, float y, unsigned steps, Duration* result) {
  float a = x;
  const auto step = [&] { asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(x), "f"(y)); };
  timed(32, step);  // the instructions are in their cache
  *result = timed(steps, step);
  result->kept = __float_as_uint(a);
}

__global__ void shared_latency_kernel(unsigned steps, Duration* result) {
  constexpr unsigned words = 1024;
  __shared__ unsigned next[words];  // addresses in shared memory: nothing to compute between two loads
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(next));
  for (unsigned i = 0; i < words; ++i) next[i] = base + 4 * ((i + 33) % words);
  unsigned at = base;
  const auto step = [&] { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory"); };
  timed(32, step);
  *result = timed(steps, step);
  result->kept = at;
}

/// Line i holds the address of line next[i].
__global__ void link_kernel(char* lines, const unsigned* next, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  *reinterpret_cast<char**>(lines + std::size_t{line} * i) = lines + std::size_t{line} * next[i];
}

/// `L1`: through the L1 cache; otherwise past it.
template <bool L1>
__global__ void global_latency_kernel(char* lines, unsigned warm_steps, unsigned steps, Duration* result) {
  char* at = lines;
  const auto step = [&] {
    if constexpr (L1) {
      asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    } else {
      asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    }
  };
  timed(warm_steps, step);
  *result = timed(steps, step);
  result->kept = reinterpret_cast<unsigned long long>(at);
}

struct Latency {
  double cycles;
  double ns;
};

template <class Launch>
Latency latency_of(unsigned steps, int rounds, Launch launch_into) {
  const Buffer result(sizeof(Duration));
  Latency least{1e300, 1e300};
  for (int round = 0; round < rounds; ++round) {
    launch_into(result.as<Duration>());
    const Duration d = value_at(result.as<Duration>());
    least.cycles = std::min(least.cycles, static_cast<double>(d.cycles) / steps);
    least.ns = std::min(least.ns, static_cast<double>(d.ns) / steps);
  }
  return least;
}

/// A chase through `bytes` of lines in one random cycle. `warm`: all have been visited before the clock starts.
template <bool L1>
Latency global_latency(std::size_t bytes, bool warm, unsigned steps) {
  const auto count = static_cast<unsigned>(bytes / line);
  std::vector<unsigned> order(count), next(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(12345);
  std::shuffle(order.begin(), order.end(), random);
  for (unsigned i = 0; i < count; ++i) next[order[i]] = order[(i + 1) % count];
  const Buffer lines(bytes), links(count * sizeof(unsigned));
  check(cudaMemcpyAsync(links.as<void>(), next.data(), links.bytes(), cudaMemcpyHostToDevice, stream()),
        "links");
  launch("link_kernel", link_kernel, (count + 255) / 256, 256, 0, stream(), lines.as<char>(),
         links.as<unsigned>(), count);
  const Buffer flush(warm ? 1 : footprint(std::max<std::size_t>(4 * gpu().l2_bytes, bytes)));
  return latency_of(steps, 3, [&](Duration* result) {
    // Memory, not L2: something else has been there since.
    check(cudaMemsetAsync(flush.as<void>(), 0, flush.bytes(), stream()), "flush");
    launch("global_latency_kernel", global_latency_kernel<L1>, 1, 1, 0, stream(), lines.as<char>(),
           warm ? (count + 31) / 32 * 32 : 0u, steps, result);
  });
}

// ---- bandwidth

__device__ __forceinline__ unsigned combined(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

constexpr unsigned chains = 8;

__global__ void fma_kernel(float x, float y, unsigned rounds, float* never) {
  float a[chains];
#pragma unroll
  for (unsigned c = 0; c < chains; ++c) a[c] = x + static_cast<float>(c + threadIdx.x);
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (unsigned u = 0; u < 16; ++u) {
#pragma unroll
      for (unsigned c = 0; c < chains; ++c) a[c] = __fmaf_rn(a[c], x, y);
    }
  }
  float sum = 0;
#pragma unroll
  for (unsigned c = 0; c < chains; ++c) sum += a[c];
  if (sum == 1.2345f) *never = sum;
}

constexpr unsigned tile_bytes = 32 * 1024;

__global__ void shared_read_kernel(unsigned rounds, unsigned* never) {
  __shared__ __align__(16) unsigned char tile[tile_bytes];
  for (unsigned i = threadIdx.x; i < tile_bytes / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(tile)[i] = i;
  __syncthreads();
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  unsigned at = threadIdx.x * 16 % tile_bytes, kept = 0;
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(base + at));
      kept ^= combined(v);
      at = (at + 16 * blockDim.x) % tile_bytes;
    }
  }
  if (kept == 0x12345678u) *never = kept;
}

enum class Through { l1, l2 };

/// Reads `count` (a power of two) 16-byte words, again and again, from `first` on in steps of `stride`.
template <Through Cache>
__global__ void cached_read_kernel(const uint4* words, unsigned count, bool all_blocks_alike, unsigned rounds,
                                   unsigned* never) {
  const unsigned threads = all_blocks_alike ? blockDim.x : gridDim.x * blockDim.x;
  unsigned at = all_blocks_alike ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x, kept = 0;
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      const uint4* const p = words + (at & (count - 1));
      uint4 v;
      if constexpr (Cache == Through::l1) {
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
      } else {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
      }
      kept ^= combined(v);
      at += threads;
    }
  }
  if (kept == 0x12345678u) *never = kept;
}

__global__ void memory_read_kernel(const uint4* words, std::size_t count, unsigned* never) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned kept = 0;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * threads < count; i += 4 * threads) {
    const uint4 a = words[i], b = words[i + threads], c = words[i + 2 * threads], d = words[i + 3 * threads];
    kept ^= combined(a) ^ combined(b) ^ combined(c) ^ combined(d);
  }
  for (; i < count; i += threads) kept ^= combined(words[i]);
  if (kept == 0x12345678u) *never = kept;
}

}  // namespace

Table gpu_memory_table(bool quick) {
  const unsigned sms = static_cast<unsigned>(gpu().multiprocessors);
  const Buffer never(64);
  const unsigned short_chase = quick ? 4096 : 65536, long_chase = quick ? 4096 : 32768;

  const Latency registers = latency_of(short_chase, 5, [&](Duration* result) {
    launch("register_latency_kernel", register_latency_kernel, 1, 1, 0, stream(), 1.0001f, 0.0001f,
           short_chase, result);
  });
  const Latency shared = latency_of(short_chase, 5, [&](Duration* result) {
    launch("shared_latency_kernel", shared_latency_kernel, 1, 1, 0, stream(), short_chase, result);
  });
  const std::size_t l1_probe = 16 * 1024, l2_probe = footprint(gpu().l2_bytes / 4);
  const std::size_t memory_probe =
      footprint(std::max<std::size_t>(4 * gpu().l2_bytes, std::size_t{256} << 20));
  const Latency l1 = global_latency<true>(l1_probe, true, short_chase);
  const Latency l2 = global_latency<false>(l2_probe, true, long_chase);
  const Latency memory = global_latency<false>(memory_probe, false, long_chase);

  // Full multiprocessors: 2 blocks of 1024 threads each.
  const unsigned blocks = 2 * sms, threads = 1024, rounds = quick ? 256 : 4096;
  const double all_threads = static_cast<double>(blocks) * threads;
  const double fma_seconds = gpu_seconds(
      [&] {
        launch("fma_kernel", fma_kernel, blocks, threads, 0, stream(), 1.0001f, 0.0001f, rounds / 8,
               never.as<float>());
      },
      quick);
  const double fmas = all_threads * (rounds / 8) * 16 * chains;
  const double shared_seconds = gpu_seconds(
      [&] {
        launch("shared_read_kernel", shared_read_kernel, blocks, threads, 0, stream(), rounds,
               never.as<unsigned>());
      },
      quick);
  const double cached_bytes = all_threads * rounds * 8 * 16;
  const Buffer tile(tile_bytes), l2_words(l2_probe);
  const double l1_seconds = gpu_seconds(
      [&] {
        launch("cached_read_kernel", cached_read_kernel<Through::l1>, blocks, threads, 0, stream(),
               tile.as<const uint4>(), tile_bytes / 16, true, rounds, never.as<unsigned>());
      },
      quick);
  const unsigned l2_rounds = rounds / 8;
  const double l2_seconds = gpu_seconds(
      [&] {
        launch("cached_read_kernel", cached_read_kernel<Through::l2>, blocks, threads, 0, stream(),
               l2_words.as<const uint4>(), static_cast<unsigned>(l2_probe / 16), false, l2_rounds,
               never.as<unsigned>());
      },
      quick);
  const Buffer memory_words(footprint(std::size_t{1} << (quick ? 28 : 31)));
  const double memory_seconds = gpu_seconds(
      [&] {
        launch("memory_read_kernel", memory_read_kernel, 32 * sms, 512, 0, stream(),
               memory_words.as<const uint4>(), memory_words.bytes() / 16, never.as<unsigned>());
      },
      quick);

  const double ghz = registers.cycles / registers.ns;
  Table table{"memory_measured",
              "Memory of this GPU, measured",
              {{"level", ""},
               {"latency", "cycles"},
               {"latency", "ns"},
               {"bandwidth", "GB/s"},
               {"per SM", "bytes/cycle"},
               {"probed with", "KiB"},
               {"the text says", ""}},
              {},
              {}};
  const auto row = [&](const char* name, Latency latency, double bytes_per_second, std::size_t probe,
                       const char* text) {
    table.rows.push_back({std::string(name), latency.cycles, latency.ns, bytes_per_second * 1e-9,
                          bytes_per_second / (ghz * 1e9) / sms,
                          probe == 0 ? Cell{} : Cell{static_cast<std::int64_t>(probe / 1024)},
                          std::string(text)});
  };
  row("registers", registers, fmas * 16 / fma_seconds, 0, "~1 cycle");
  row("shared memory", shared, cached_bytes / shared_seconds, tile_bytes, "a few cycles");
  row("L1 cache", l1, cached_bytes / l1_seconds, l1_probe, "");
  row("L2 cache", l2, cached_bytes / 8 / l2_seconds, l2_probe, "");
  row("global memory", memory, static_cast<double>(memory_words.bytes()) / memory_seconds, memory_probe,
      "200 - 400 cycles");
  table.notes = {
      "Registers: a chain of dependent fused multiply-adds (what a result costs before it can be used); as "
      "bandwidth, "
      "three operands and a result of 4 bytes for each of all multiprocessors' multiply-adds.",
      "The rest: pointer chase by one thread; 16-byte loads by all. Global memory is chased in random order "
      "over " +
          std::to_string(memory_probe >> 20) +
          " MiB, misses of the address translation included, and read over " +
          std::to_string(memory_words.bytes() >> 20) + " MiB.",
      "Bytes per cycle at the clock of the register probe."};
  return table;
}

}  // namespace twofold::reference
