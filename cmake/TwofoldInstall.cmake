# Installs targets, headers and a relocatable package: find_package(twofold CONFIG [COMPONENTS cuda_native]).
include(CMakePackageConfigHelpers)

# Shared libraries find one another wherever the prefix is moved.
foreach(library IN ITEMS twofold_backends twofold_backends_cuda twofold_cuda_native)
  if(TARGET ${library})
    set_target_properties(
      ${library} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                            INSTALL_RPATH $ORIGIN)
  endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/twofold)
install(TARGETS twofold_backends EXPORT twofold_backends_targets FILE_SET headers)
install(EXPORT twofold_backends_targets NAMESPACE twofold:: DESTINATION ${package_dir})
if(TARGET twofold_backends_cuda)
  install(TARGETS twofold_backends_cuda EXPORT twofold_backends_cuda_targets)
  install(EXPORT twofold_backends_cuda_targets NAMESPACE twofold:: DESTINATION ${package_dir})
endif()
if(TARGET twofold_cuda_native)
  install(TARGETS twofold_cuda_native EXPORT twofold_cuda_native_targets FILE_SET headers FILE_SET nvcc_headers)
  install(EXPORT twofold_cuda_native_targets NAMESPACE twofold:: DESTINATION ${package_dir})
endif()
if(TARGET twofold)
  set(native_set)
  if(NOT TWOFOLD_CUDA_NATIVE_BUILT OR NOT TWOFOLD_KOKKOS_CUDA)
    set(native_set FILE_SET native_headers)
  endif()
  install(TARGETS twofold EXPORT twofold_core_targets FILE_SET headers ${native_set})
  install(EXPORT twofold_core_targets NAMESPACE twofold:: DESTINATION ${package_dir})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/core/cmake/twofoldConfig.cmake.in ${PROJECT_BINARY_DIR}/twofoldConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/twofoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/twofoldConfig.cmake ${PROJECT_BINARY_DIR}/twofoldConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/twofold)
