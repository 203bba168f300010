// SPDX-License-Identifier: Apache-2.0
// Teams of GPU threads, on the host and without a GPU. Each thread is a fiber: it runs until it waits for the others, then
// its neighbour does. So who runs when is known, and what a GPU shows by chance shows always: of two threads between which
// a barrier is missing, the one that should be later is first in one of the two orders.
#pragma once

#include "cases.hpp"
#include "fenced.hpp"

#include <twofold/backends/accumulator.hpp>

#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <memory>

namespace fibers {

enum class order { ascending, descending };

inline constexpr order both_orders[] = {order::ascending, order::descending};

/// Runs the threads of one team at a time. Stacks are kept from team to team.
class scheduler {
 public:
  static constexpr unsigned most_threads = 256;

  /// Calls body(rank) in `size` fibers. False where some wait for what the others do not; those are given up.
  bool run(unsigned size, order who_first, const std::function<void(unsigned)>& body) {
    body_ = &body;
    running_ = this;
    for (unsigned rank = 0; rank < size; ++rank) prepare(fibers_[rank]);
    for (;;) {
      for (unsigned turn = 0; turn < size; ++turn) {
        current_ = who_first == order::ascending ? turn : size - 1 - turn;
        swapcontext(&caller_, &fibers_[current_].context);
      }
      for (unsigned rank = 1; rank < size; ++rank) {
        if (fibers_[rank].waits_for != fibers_[0].waits_for) return false;
      }
      if (fibers_[0].waits_for == the_end) return true;
    }
  }

  /// Lets all others come to the same place; `what` tells it from other places.
  void wait(unsigned what) {
    fiber& f = fibers_[current_];
    f.waits_for = what;
    swapcontext(&f.context, &caller_);
  }

  /// What the threads show each other, up to 8 bytes each.
  std::uint64_t board[most_threads];

 private:
  static constexpr std::size_t stack_size = 262144;  // untouched pages of it cost nothing
  static constexpr unsigned the_end = ~0u;

  struct fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    unsigned waits_for;
  };

  // Not inlined: GCC takes getcontext for a setjmp, and warns of variables around it.
  [[gnu::noinline]] void prepare(fiber& f) {
    if (!f.stack) f.stack = std::make_unique_for_overwrite<char[]>(stack_size);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.get();
    f.context.uc_stack.ss_size = stack_size;
    f.context.uc_link = &caller_;
    makecontext(&f.context, &scheduler::enter, 0);
  }

  // makecontext passes no pointers.
  static void enter() {
    scheduler& s = *running_;
    (*s.body_)(s.current_);
    s.fibers_[s.current_].waits_for = the_end;
  }
  inline static scheduler* running_ = nullptr;

  ucontext_t caller_;
  fiber fibers_[most_threads];
  const std::function<void(unsigned)>* body_ = nullptr;
  unsigned current_ = 0;
};

/// The team that device code asks for, as one of its threads sees it.
template <unsigned Size>
class team {
 public:
  static_assert(Size % 32 == 0 && Size <= scheduler::most_threads);
  team(scheduler& threads, unsigned rank) : threads_(threads), rank_(rank) {}

  unsigned rank() const { return rank_; }
  static constexpr unsigned size() { return Size; }
  void barrier() const { threads_.wait(0); }

  template <class R>
  void write(R* to, R value) const {
    *to = value;
  }
  template <class R, class Pack>
  void write_pack(R* to, const Pack& values) const {
    if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0) ADD_FAILURE() << "a pack at " << to;
    std::memcpy(to, &values, sizeof values);
  }

  /// A shuffle, for which the team's other groups of 32 wait as well. Beyond its own 32 a thread gets poison.
  template <class A>
  A from_neighbour(A value, unsigned distance) const {
    std::memcpy(&threads_.board[rank_], &value, sizeof value);
    threads_.wait(distance);
    std::memset(static_cast<void*>(&value), 0xff, sizeof value);
    if (rank_ % 32 + distance < 32) std::memcpy(&value, &threads_.board[rank_ + distance], sizeof value);
    threads_.wait(distance);
    return value;
  }
  template <class A>
  A fold_neighbours(A value, unsigned first) const {
    for (unsigned distance = first; distance < 32; distance *= 2)
      value = twofold::backends::combine(value, from_neighbour(value, distance));
    return value;
  }

 private:
  scheduler& threads_;
  unsigned rank_;
};

/// Memory on chip. It begins as poison (for reals a NaN), for what is read before it is written; more of it lies behind, for
/// what is written beyond the end.
template <class R>
class chip_memory {
 public:
  explicit chip_memory(std::size_t elements) : all_(elements + guards) { poison(); }
  R* data() { return all_.data(); }
  void poison() { std::memset(static_cast<void*>(all_.data()), 0xff, all_.size() * sizeof(R)); }
  bool end_untouched() const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(all_.data());
    const auto* const end = bytes + all_.size() * sizeof(R);
    return std::all_of(end - guards * sizeof(R), end, [](unsigned char c) { return c == 0xff; });
  }

 private:
  static constexpr std::size_t guards = 1024;
  std::vector<R> all_;
};

/// body(team, league_rank, memory) for all threads of all teams, with memory for so many elements.
template <unsigned Size, class R, class Body>
void run_teams(std::int64_t teams, std::size_t elements, order who_first, const Body& body) {
  static scheduler threads;
  chip_memory<R> memory(elements);
  for (std::int64_t rank = 0; rank < teams; ++rank) {
    memory.poison();
    const bool together = threads.run(
        Size, who_first, [&](unsigned thread) { body(team<Size>(threads, thread), rank, memory.data()); });
    ASSERT_TRUE(together) << "team " << rank << ": not all threads come to the same barriers";
    ASSERT_TRUE(memory.end_untouched()) << "team " << rank << " writes behind its memory";
  }
}

/// Fenced elements that begin so many behind a boundary of 128 bytes, with guards on both sides.
template <class T>
class placed {
 public:
  placed(std::size_t n, std::size_t offset) : elements_(n, offset, guard()) {}
  placed(const std::vector<T>& x, std::size_t offset) : placed(x.size(), offset) {
    std::copy(x.begin(), x.end(), data());
  }
  T* data() { return elements_.data(); }
  static T guard() { return cases::guarded<Kokkos::DefaultHostExecutionSpace, T>::guard(); }
  void clear() {
    const auto all = elements_.all_elements();
    std::fill(all.begin(), all.end(), guard());
  }

  /// To the bit, and all guards untouched.
  void expect(const std::vector<T>& expected) const {
    const auto all = elements_.all_elements();
    std::vector<T> wanted(all.size(), guard());
    std::copy(expected.begin(), expected.end(),
              wanted.begin() + static_cast<std::ptrdiff_t>(elements_.before()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::memcmp(&all[i], &wanted[i], sizeof(T)) == 0) continue;
      ADD_FAILURE() << "element " << &all[i] - elements_.data() << " of " << expected.size() << ": " << all[i]
                    << " for " << wanted[i];
      return;
    }
  }

 private:
  fenced::elements<T> elements_;
};

}  // namespace fibers
