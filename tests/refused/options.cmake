# SPDX-License-Identifier: Apache-2.0
# cmake -D root=<repository> -P options.cmake: what an option with the word AUTO may be set to, and what is refused.
cmake_minimum_required(VERSION 3.25)
include(${root}/cmake/TwofoldOptions.cmake)
if(DEFINED word) # the child of the last loop
  set(option "${word}")
  twofold_option(option AUTO)
  return()
endif()

foreach(case IN ITEMS AUTO=AUTO auto=AUTO ON=ON on=ON 1=ON 2=ON yes=ON True=ON Y=ON OFF=OFF off=OFF 0=OFF No=OFF FALSE=OFF
                      n=OFF ignore=OFF nvcc-NOTFOUND=OFF =OFF)
  string(REGEX MATCH "^(.*)=(.*)$" case "${case}")
  set(option "${CMAKE_MATCH_1}")
  set(wanted "${CMAKE_MATCH_2}")
  set(before "${option}")
  twofold_option(option AUTO)
  if(NOT option STREQUAL wanted)
    message(FATAL_ERROR "'${before}' became '${option}', not ${wanted}")
  endif()
endforeach()
foreach(word IN ITEMS OFFF maybe none disabled ONN -1)
  execute_process(COMMAND ${CMAKE_COMMAND} -D root=${root} -D word=${word} -P ${CMAKE_CURRENT_LIST_FILE}
                  RESULT_VARIABLE failed ERROR_VARIABLE text)
  if(failed EQUAL 0 OR NOT text MATCHES "option is '${word}'; expected ON or OFF or AUTO")
    message(FATAL_ERROR "'${word}' should have been refused with what is expected:\n${text}")
  endif()
endforeach()
