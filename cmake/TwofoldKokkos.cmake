# Finds Kokkos, or obtains it: an installed one first, else a pinned release from upstream.
# (tools/setup brings Debian's package where there is neither.)
include(FetchContent)

set(TWOFOLD_KOKKOS_VERSIONS 4.7...<6)
set(TWOFOLD_KOKKOS_RELEASE 4.7.01)

# Sets `result` to a sentence about the installations that find_package(Kokkos) saw and did not take.
function(twofold_rejected_kokkos result)
  set(sentence)
  foreach(config version IN ZIP_LISTS Kokkos_CONSIDERED_CONFIGS Kokkos_CONSIDERED_VERSIONS)
    string(APPEND sentence "${config} is version ${version}. ")
  endforeach()
  string(STRIP "${sentence}" sentence)
  set(${result} "${sentence}" PARENT_SCOPE)
endfunction()

# A Kokkos that was found in another folder is there as a target, and what it says of itself is not: then it is found again.
set(kokkos_found_elsewhere false)
if(TARGET Kokkos::kokkos AND NOT DEFINED Kokkos_DEVICES)
  get_target_property(kokkos_found_elsewhere Kokkos::kokkos IMPORTED)
endif()
if(NOT TARGET Kokkos::kokkos OR kokkos_found_elsewhere)
  # What the user named, before find_package overwrites it.
  set(named_kokkos)
  foreach(place IN ITEMS "${Kokkos_DIR}" "${Kokkos_ROOT}" "$ENV{Kokkos_DIR}" "$ENV{Kokkos_ROOT}")
    if(place AND NOT named_kokkos)
      set(named_kokkos "${place}")
    endif()
  endforeach()
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_CXX_EXTENSIONS OFF) # as our targets have it; a Kokkos with CUDA warns otherwise
  endif()
  # One whose targets are there already is the one, whatever its version: no other may be found in its place.
  set(versions ${TWOFOLD_KOKKOS_VERSIONS})
  if(kokkos_found_elsewhere)
    set(versions)
  endif()
  # separable_compilation: Kokkos would otherwise put its launch compiler before every compiler and linker
  # of the project, nvcc and ar included. GLOBAL: a project around this one may link Kokkos::kokkos too.
  find_package(Kokkos ${versions} QUIET GLOBAL COMPONENTS separable_compilation)
  if(Kokkos_FOUND AND NOT PROJECT_IS_TOP_LEVEL)
    # The folder that adds this one sees what Kokkos says of itself, as if it had found Kokkos: kokkos_compilation() reads it.
    get_cmake_property(names VARIABLES)
    list(FILTER names INCLUDE REGEX "^Kokkos_")
    list(FILTER names EXCLUDE REGEX "^Kokkos_(FIND|CONSIDERED)_")
    foreach(name IN LISTS names)
      if(NOT DEFINED CACHE{${name}})
        set(${name} "${${name}}" PARENT_SCOPE)
      endif()
    endforeach()
  endif()
  if(NOT Kokkos_FOUND)
    twofold_rejected_kokkos(rejected)
    # A wish that cannot be met is an error, and no reason to build another Kokkos.
    if(named_kokkos AND NOT CMAKE_DISABLE_FIND_PACKAGE_Kokkos AND NOT FETCHCONTENT_SOURCE_DIR_KOKKOS)
      if(rejected)
        message(FATAL_ERROR "Kokkos_ROOT or Kokkos_DIR is '${named_kokkos}', and Twofold needs Kokkos 4.7 or later, before 6. "
                            "${rejected} Set it to another one, or unset it.")
      endif()
      message(FATAL_ERROR "Kokkos_ROOT or Kokkos_DIR is '${named_kokkos}', and no KokkosConfig.cmake is there. Set it to the "
                          "folder that a Kokkos was installed to, or unset it.")
    endif()
    if(NOT FETCHCONTENT_SOURCE_DIR_KOKKOS)
      message(STATUS "Twofold: no Kokkos of version 4.7 or later, before 6, was found. ${rejected}")
      message(STATUS "Twofold: fetching release ${TWOFOLD_KOKKOS_RELEASE}. If that fails: set Kokkos_ROOT to where a Kokkos is "
                     "installed, or FETCHCONTENT_SOURCE_DIR_KOKKOS to its sources; or configure with "
                     "-DTWOFOLD_BUILD_CORE=OFF for the CUDA kernels alone, which need no Kokkos.")
    endif()
    set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
    set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "")
    FetchContent_Declare(
      Kokkos
      GIT_REPOSITORY https://github.com/kokkos/kokkos.git
      GIT_TAG ${TWOFOLD_KOKKOS_RELEASE}
      GIT_SHALLOW ON)
    FetchContent_MakeAvailable(Kokkos)
  endif()
endif()

# What the project found before has not been asked for its version yet.
if(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS 4.7 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6))
  message(FATAL_ERROR "Twofold needs Kokkos 4.7 or later, before 6. The one that the project found before it added Twofold, "
                      "${Kokkos_DIR}, is version ${Kokkos_VERSION}. Set Kokkos_ROOT to another one.")
endif()
if(Kokkos_FOUND AND Kokkos_VERSION)
  message(STATUS "Twofold: Kokkos ${Kokkos_VERSION} with ${Kokkos_DEVICES}, ${Kokkos_DIR}")
endif()
set(TWOFOLD_KOKKOS_CUDA OFF)
if("CUDA" IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_CUDA)
  set(TWOFOLD_KOKKOS_CUDA ON)
  find_package(CUDAToolkit REQUIRED)
endif()
# The benchmarks have CUDA sources, and the tests are CUDA sources where Kokkos was compiled as such.
if(TWOFOLD_KOKKOS_CUDA AND NOT TWOFOLD_CUDA_NATIVE_BUILT)
  if(TWOFOLD_BUILD_BENCH OR (TWOFOLD_BUILD_TESTS AND Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA"))
    twofold_enable_cuda()
  endif()
endif()
