# Finds Kokkos, or obtains it: an installed one first, else a pinned release from upstream.
# (tools/setup brings Debian's package where there is neither.)
include(FetchContent)

set(TWOFOLD_KOKKOS_VERSIONS 4.7...<6)
set(TWOFOLD_KOKKOS_RELEASE 4.7.01)

if(NOT TARGET Kokkos::kokkos)
  # separable_compilation: Kokkos would otherwise put its launch compiler before every compiler and linker
  # of the project, nvcc and ar included.
  find_package(Kokkos ${TWOFOLD_KOKKOS_VERSIONS} QUIET COMPONENTS separable_compilation)
  if(NOT Kokkos_FOUND)
    if(NOT FETCHCONTENT_SOURCE_DIR_KOKKOS)
      message(STATUS "Twofold: no Kokkos ${TWOFOLD_KOKKOS_VERSIONS} found (set Kokkos_ROOT if there is one); "
                     "fetching release ${TWOFOLD_KOKKOS_RELEASE}")
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

if(Kokkos_FOUND AND Kokkos_VERSION)
  message(STATUS "Twofold: Kokkos ${Kokkos_VERSION} with ${Kokkos_DEVICES}, ${Kokkos_DIR}")
endif()
set(TWOFOLD_KOKKOS_CUDA OFF)
if("CUDA" IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_CUDA)
  set(TWOFOLD_KOKKOS_CUDA ON)
  find_package(CUDAToolkit REQUIRED)
endif()
