# What our own targets share. None of it reaches a consumer.

# Compiles `target` as we compile everything of ours: warnings, no contraction of a * b + c, no extensions.
function(twofold_own_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  set(warnings -Wall -Wextra -Wshadow)
  if(TWOFOLD_WERROR)
    list(APPEND warnings -Werror)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${warnings} -ffp-contract=off>)
  # nvcc's host compiler gets the same; -Werror of nvcc itself is all-warnings.
  list(JOIN warnings "," host_warnings)
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_warnings}>"
                      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TWOFOLD_WERROR}>>:-Werror=all-warnings>")
  if(TWOFOLD_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TWOFOLD_SANITIZE} -fno-sanitize-recover=all>)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${TWOFOLD_SANITIZE}>)
  endif()
endfunction()

# C++20 in CUDA sources of `target` and, since its headers need it, of those that link it: unless they have C++20 or later as
# their standard. The feature cuda_std_20 will not do. CMake 3.25.1 (Debian 12) does not know that nvcc has it, and
# later ones refuse it in the C++ folders of a project that enables CUDA in another.
function(twofold_cuda_20 target)
  set(scope PUBLIC)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_compile_options(
    ${target} ${scope} "$<$<COMPILE_LANGUAGE:CUDA>:$<$<NOT:$<COMPILE_FEATURES:cuda_std_20>>:-std=c++20>>")
endfunction()

# An executable or object library that uses Kokkos. Where Kokkos has CUDA, its sources are compiled as Kokkos was built: as
# CUDA sources of CMake's, by nvcc_wrapper as the C++ compiler, or else by Kokkos' launcher (those of no other target are).
function(twofold_kokkos_executable target)
  twofold_own_target(${target})
  target_link_libraries(${target} PRIVATE twofold::twofold)
  if(TWOFOLD_KOKKOS_CUDA)
    if(Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
      get_target_property(sources ${target} SOURCES)
      set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
    elseif(NOT CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
      kokkos_compilation(TARGET ${target})
    endif()
  endif()
endfunction()
