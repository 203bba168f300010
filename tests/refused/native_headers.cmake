# SPDX-License-Identifier: Apache-2.0
# cmake -D root=<repository> -D generated=<folder of version.hpp> -D compiler=<C++> -P native_headers.cmake: each header of
# cuda_native alone names what its functions throw, and as C++17 the first that is said is what the library needs.
cmake_minimum_required(VERSION 3.25)
set(include ${root}/cuda_native/include)
file(GLOB headers RELATIVE ${include} ${include}/twofold/cuda_native/*.hpp ${include}/twofold/cuda_native/ladder/*.hpp)
if(NOT headers)
  message(FATAL_ERROR "no headers below ${include}")
endif()

function(compile source standard result_variable text_variable)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${compiler} -std=c++${standard} -fsyntax-only -x c++ -I${include} -I${root}/backends/include -I${generated} -
                  INPUT_FILE ${source} RESULT_VARIABLE result ERROR_VARIABLE text)
  set(${result_variable} "${result}" PARENT_SCOPE)
  set(${text_variable} "${text}" PARENT_SCOPE)
endfunction()

set(source ${CMAKE_CURRENT_BINARY_DIR}/native_header.cpp)
foreach(header IN LISTS headers)
  file(WRITE ${source} "#include <${header}>\n")
  # What has no function throws nothing.
  file(READ ${include}/${header} text)
  if(text MATCHES "stream_handle stream")
    file(APPEND ${source} "const twofold::cuda_error* failed;\nconst twofold::precondition_error* refused;\n")
  endif()
  compile(${source} 20 failed text)
  if(NOT failed EQUAL 0)
    message(FATAL_ERROR "${header} does not compile, or does not name the errors:\n${text}")
  endif()
  compile(${source} 17 failed text)
  string(REGEX MATCH " error: [^\n]*" first "${text}")
  if(failed EQUAL 0 OR NOT first MATCHES "twofold needs C\\+\\+20")
    message(FATAL_ERROR "${header} as C++17 does not say first that C++20 is needed:\n${text}")
  endif()
endforeach()
