# SPDX-License-Identifier: Apache-2.0
# cmake -D build=<folder> -D target=<target> -P run.cmake: the target does not build, every error is in the caller's
# file, and the compiler names the concepts.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ${target} RESULT_VARIABLE failed
                OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(failed EQUAL 0)
  message(FATAL_ERROR "${target} compiles; every call in it should be refused")
endif()
string(REGEX MATCHALL "[^\n]*error: [^\n]*" errors "${text}")
foreach(error IN LISTS errors)
  if(NOT error MATCHES "calls.cpp")
    message(FATAL_ERROR "an error inside the library:\n${error}\n${text}")
  endif()
endforeach()
foreach(
  name IN
  ITEMS vector_view
        sum_path
        dot_path
        norm2_path
        integrate_path
        outer_product_path
        scale_columns_path
        stencil_path
        weighted_stencil_path
        sum_rows_path
        sum_columns_path)
  # gcc says for which concept a requirement was checked, clang which concept is false.
  if(NOT text MATCHES "satisfaction of [^\n]*${name}<|because '[^\n]*${name}<|does not satisfy '${name}'")
    message(FATAL_ERROR "no error names the concept ${name}:\n${text}")
  endif()
endforeach()
