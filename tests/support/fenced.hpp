// SPDX-License-Identifier: Apache-2.0
// Memory beside which there is none: a load or a store beyond it ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace fenced {

/// n elements that begin `offset` elements behind a boundary of 128 bytes, guards in the rest of their pages, and a page
/// without access on either side. Those with offset 0 begin at their page; others end at its end, or less than 128 bytes
/// before.
template <class T>
class elements {
 public:
  elements(std::size_t n, std::size_t offset, T guard) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    body_ = (n * sizeof(T) + 128 + offset * sizeof(T) + page - 1) / page * page;
    page_ = page;
    void* const all = mmap(nullptr, body_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    mapped_ = static_cast<std::byte*>(all);
    if (mprotect(mapped_ + page, body_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    const auto begin = reinterpret_cast<std::uintptr_t>(mapped_) + page;
    const std::uintptr_t last = begin + body_ - (n + offset) * sizeof(T);  // a boundary, at the latest
    first_ = reinterpret_cast<T*>(offset == 0 ? begin : last / 128 * 128) + offset;
    std::fill(all_elements().begin(), all_elements().end(), guard);
  }
  ~elements() { munmap(mapped_, body_ + 2 * page_); }
  elements(const elements&) = delete;
  elements& operator=(const elements&) = delete;

  T* data() const { return first_; }
  /// The elements and all guards.
  std::span<T> all_elements() const { return {reinterpret_cast<T*>(mapped_ + page_), body_ / sizeof(T)}; }
  std::size_t before() const { return static_cast<std::size_t>(first_ - all_elements().data()); }

  /// The offset with which n elements end where their page does.
  static std::size_t to_the_end(std::size_t n) { return (0 - n) % (128 / sizeof(T)); }

 private:
  std::byte* mapped_;
  std::size_t body_;
  std::size_t page_;
  T* first_;
};

}  // namespace fenced
