# Decides whether the native CUDA library is built, TWOFOLD_CUDA_NATIVE_BUILT. twofold_enable_cuda() chooses the architectures.
include(CheckLanguage)

# Whether somebody chose CMAKE_CUDA_ARCHITECTURES. A project that enabled CUDA before it added this one has the compiler's own
# default there otherwise, the oldest architecture it knows: CMake puts it into the cache, under a description of its own.
function(twofold_cuda_architectures_chosen result)
  set(${result} true PARENT_SCOPE)
  if(DEFINED ENV{CUDAARCHS} OR TWOFOLD_CUDAARCHS_WAS_SET)
    # CMake takes it from the environment once, and keeps it in the cache like a default.
    set(TWOFOLD_CUDAARCHS_WAS_SET true CACHE INTERNAL "The first run of CMake saw CUDAARCHS in its environment")
    return()
  elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(${result} false PARENT_SCOPE)
    return()
  elseif(NOT DEFINED CACHE{CMAKE_CUDA_ARCHITECTURES})
    return()
  endif()
  # A variable hides the cache: then a change there does not show.
  set(in_cache $CACHE{CMAKE_CUDA_ARCHITECTURES})
  set_property(CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY VALUE probe)
  set(seen ${CMAKE_CUDA_ARCHITECTURES})
  set_property(CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY VALUE "${in_cache}")
  get_property(description CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
  if(seen STREQUAL "probe" AND description STREQUAL "CUDA architectures")
    # A project may describe its own choice in the same words, hence the compiler is asked.
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} -E -x cu -Xcompiler=-dM /dev/null OUTPUT_VARIABLE macros ERROR_QUIET)
    if(macros MATCHES "__CUDA_ARCH_LIST__ ([0-9]+)0\n" AND CMAKE_MATCH_1 STREQUAL in_cache)
      set(${result} false PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Enables CUDA, and for which architectures it compiles. A macro, since a language is enabled for the folder that does it.
macro(twofold_enable_cuda)
  # Before the language is enabled, which would set the compiler's default.
  twofold_cuda_architectures_chosen(chosen)
  if(NOT chosen)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
    if(failed OR NOT capabilities MATCHES "[0-9]+\\.[0-9]+")
      set(architectures 90)
      message(STATUS "Twofold: no GPU here, building for CUDA architecture 90 (machine code and PTX). "
                     "Set CMAKE_CUDA_ARCHITECTURES for another.")
    else()
      string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
      string(REPLACE "." "" architectures "${capabilities}")
      list(REMOVE_DUPLICATES architectures)
      message(STATUS "Twofold: building for the CUDA architectures of this machine: ${architectures}")
    endif()
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # A project that enables CUDA after one of its folders has gets no default from CMake: it would have none at all.
      set(CMAKE_CUDA_ARCHITECTURES ${architectures} PARENT_SCOPE)
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${architectures})
  endif()
  # One CUDA runtime in the process: Kokkos links the shared one.
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  enable_language(CUDA)
endmacro()

set(TWOFOLD_CUDA_NATIVE_BUILT false)
if(NOT TWOFOLD_ENABLE_CUDA_NATIVE STREQUAL "OFF")
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(TWOFOLD_CUDA_NATIVE_BUILT true)
  elseif(TWOFOLD_ENABLE_CUDA_NATIVE STREQUAL "ON")
    message(FATAL_ERROR "TWOFOLD_ENABLE_CUDA_NATIVE is ON and no nvcc was found. Put it on PATH, set CUDACXX or "
                        "CMAKE_CUDA_COMPILER, or configure with -DTWOFOLD_ENABLE_CUDA_NATIVE=OFF.")
  endif()
endif()

if(TWOFOLD_CUDA_NATIVE_BUILT)
  twofold_enable_cuda()
endif()
