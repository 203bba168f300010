# SPDX-License-Identifier: Apache-2.0
# Fails when a target forces optimisation, warning or machine flags, or paths of its own build, on those who link it.
function(no_leaked_flags target)
  foreach(property IN ITEMS INTERFACE_COMPILE_OPTIONS INTERFACE_LINK_OPTIONS INTERFACE_COMPILE_DEFINITIONS)
    get_target_property(value ${target} ${property})
    if(NOT value)
      continue()
    endif()
    # An imported Kokkos or CUDA brings its own; only what Twofold itself says is looked at.
    foreach(flag IN LISTS value)
      if(flag MATCHES "(^|[ ,:>])-(O|W|w|m|f|g|Xcompiler)" OR flag MATCHES "NDEBUG")
        message(FATAL_ERROR "${target} hands '${flag}' on in ${property}")
      endif()
    endforeach()
  endforeach()

  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(library MATCHES "^twofold::" AND TARGET ${library})
      no_leaked_flags(${library})
    endif()
  endforeach()
endfunction()
