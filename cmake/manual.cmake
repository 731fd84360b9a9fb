# Manual pages out of what --help prints: attncert.1, attncert-check.1 of the program, and attncert-COMMAND.1 of each other
# command that attncert --help lists.
#   cmake -DHELP2MAN=... -DPROGRAMS=folder -DVERSION=... -DFOLDER=... -P manual.cmake
set(ENV{PATH} "${PROGRAMS}:$ENV{PATH}")

function(page name summary)
  execute_process(COMMAND ${HELP2MAN} --no-info --version-string=${VERSION} --name=${summary} --output=${FOLDER}/${name}.1
    ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
page(attncert "judges claims about attention and the kernels that compute it" attncert)
execute_process(COMMAND attncert --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," help "${help}")  # which would part a list
string(REGEX MATCH "Subcommands:\n(.*)\n\n" commands "${help}")
string(REGEX MATCHALL "  [a-z0-9]+ +[^\n]+" commands "${CMAKE_MATCH_1}")
foreach(line IN LISTS commands)
  string(REGEX MATCH "  ([a-z0-9]+) +(.+)" line "${line}")
  set(summary "${CMAKE_MATCH_2}")
  if(CMAKE_MATCH_1 STREQUAL "check")
    page(attncert-check "${summary}" attncert-check)
  else()
    page(attncert-${CMAKE_MATCH_1} "${summary}" "attncert ${CMAKE_MATCH_1}")
  endif()
endforeach()
