# SPDX-License-Identifier: Apache-2.0
# Compiles a consumer in one of the ways that the README names for a Kokkos with CUDA; without CUDA there is nothing to do.
# A macro, since languages are enabled for a folder.
macro(compile_for_kokkos target)
  if(Kokkos_ENABLE_CUDA)
    get_target_property(sources ${target} SOURCES)
    if(Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
      # By nvcc, as CMake drives it; Kokkos was built so, and brings the flags.
      enable_language(CUDA)
      set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
    elseif(CONSUMER_COMPILES_AS_CUDA)
      # By nvcc all the same. This Kokkos gives its flags to C++ sources only.
      enable_language(CUDA)
      set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
      set(flags --extended-lambda)
      if("OPENMP" IN_LIST Kokkos_DEVICES)
        list(APPEND flags -Xcompiler=-fopenmp)
      endif()
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flags}>)
      set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CUDA)
    elseif(NOT CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
      # By Kokkos' launcher.
      kokkos_compilation(TARGET ${target})
    endif()
  endif()
endmacro()
