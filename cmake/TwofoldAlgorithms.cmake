# Fails, naming them all, when files of an algorithm are missing below `root`.
function(twofold_require_files root)
  set(missing)
  foreach(algorithm IN LISTS ARGN)
    foreach(file core/include/twofold/${algorithm}.hpp core/include/twofold/portable/${algorithm}.hpp
                 cuda_native/include/twofold/cuda_native/${algorithm}.hpp tests/test_${algorithm}.cpp
                 bench/bench_${algorithm}.cpp docs/algorithms/${algorithm}.md)
      if(NOT EXISTS ${root}/${file})
        string(APPEND missing "\n  ${file}")
      endif()
    endforeach()
    set(kernel cuda_native/src/${algorithm}.cu)
    if(NOT EXISTS ${root}/${kernel} AND NOT EXISTS ${root}/cuda_native/include/twofold/cuda_native/${algorithm}.cuh)
      string(APPEND missing "\n  ${kernel} (or a header .cuh, where the caller's functor is part of the kernel)")
    endif()
  endforeach()
  if(missing)
    message(FATAL_ERROR "These files of algorithms in TWOFOLD_ALGORITHMS are missing:${missing}\n"
                        "docs/add_an_algorithm.md says what they hold.")
  endif()
endfunction()
