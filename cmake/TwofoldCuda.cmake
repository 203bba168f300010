# Decides whether the native CUDA library is built: TWOFOLD_CUDA_NATIVE_BUILT.
include(CheckLanguage)

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
  # Before the language is enabled, which would set the compiler's own default: the oldest architecture it knows.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
    if(failed OR NOT capabilities MATCHES "[0-9]+\\.[0-9]+")
      set(CMAKE_CUDA_ARCHITECTURES 90)
      message(STATUS "Twofold: no GPU here, building for CUDA architecture 90 (machine code and PTX). "
                     "Set CMAKE_CUDA_ARCHITECTURES for another.")
    else()
      string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
      string(REPLACE "." "" capabilities "${capabilities}")
      list(REMOVE_DUPLICATES capabilities)
      set(CMAKE_CUDA_ARCHITECTURES ${capabilities})
      message(STATUS "Twofold: building for the CUDA architectures of this machine: ${capabilities}")
    endif()
  endif()
  # One CUDA runtime in the process: Kokkos links the shared one.
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  enable_language(CUDA)
endif()
