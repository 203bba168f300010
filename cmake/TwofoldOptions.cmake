# What our options may be set to.

# Makes `name` ON or OFF, said by any of CMake's words or by a whole number, or one of the words ARGN, and refuses all else: `if` would take
# it for the name of a variable that is not there, and so for OFF.
function(twofold_option name)
  string(TOUPPER "${${name}}" value)
  if(value MATCHES "^(1|ON|YES|TRUE|Y|[1-9][0-9]*)$")
    set(value ON)
  elseif(value MATCHES "^(|0|OFF|NO|FALSE|N|IGNORE|(.*-)?NOTFOUND)$")
    set(value OFF)
  elseif(NOT value IN_LIST ARGN)
    list(PREPEND ARGN ON OFF)
    list(JOIN ARGN " or " words)
    message(FATAL_ERROR "${name} is '${${name}}'; expected ${words}")
  endif()
  set(${name} ${value} PARENT_SCOPE)
endfunction()
