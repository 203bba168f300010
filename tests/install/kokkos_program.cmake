# SPDX-License-Identifier: Apache-2.0
# kokkos_program(TARGET SOURCE...): adds a consumer and compiles it in one of the ways that the README names for a Kokkos with
# CUDA; without CUDA there is nothing to do. The test says whether Kokkos has CUDA, KOKKOS_CUDA: the consumer must see it. A
# macro, since languages are enabled for a folder.
macro(kokkos_program target)
  if(KOKKOS_CUDA AND NOT Kokkos_ENABLE_CUDA)
    message(FATAL_ERROR "Kokkos has CUDA, and the folder of ${target} is not told so")
  endif()
  if(Kokkos_ENABLE_CUDA AND (CONSUMER_COMPILES_AS_CUDA OR Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA"))
    # By nvcc, as CMake drives it. A Kokkos that was built so brings the flags.
    enable_language(CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
    add_executable(${target} ${ARGN})
    if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
      # This one gives its flags to C++ sources only.
      set(flags --extended-lambda)
      if("OPENMP" IN_LIST Kokkos_DEVICES)
        list(APPEND flags -Xcompiler=-fopenmp)
      endif()
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flags}>)
      set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CUDA)
    endif()
  else()
    add_executable(${target} ${ARGN})
    if(Kokkos_ENABLE_CUDA AND NOT CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
      # By Kokkos' launcher.
      kokkos_compilation(TARGET ${target})
    endif()
  endif()
endmacro()
