# cmake -DSCRIPT=cmake/Commit.cmake -DFOLDER=<scratch> -P commit_test.cmake
# The commit of a build: given from outside it goes before git, and where git finds none it is unknown.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
# A worktree whose repository is out of reach.
file(WRITE ${FOLDER}/.git "gitdir: ${FOLDER}/nowhere\n")

# expect(<given, or "">, <line of the header>...)
function(expect given)
  set(environment --unset=ATTNCERT_COMMIT)
  if(given)
    set(environment ATTNCERT_COMMIT=${given})
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ${CMAKE_COMMAND} -DSOURCE=${FOLDER}
                          -DHEADER=${FOLDER}/header.hpp -P ${SCRIPT} COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${FOLDER}/header.hpp lines REGEX "^#define")
  if(NOT lines STREQUAL "${ARGN}")
    message(FATAL_ERROR "given \"${given}\": ${lines}, and not ${ARGN}")
  endif()
endfunction()

expect("" "#define ATTNCERT_COMMIT \"unknown\"" "#define ATTNCERT_DIRTY false")
expect("0123abcd" "#define ATTNCERT_COMMIT \"0123abcd\"" "#define ATTNCERT_DIRTY false")
expect("0123abcd-dirty" "#define ATTNCERT_COMMIT \"0123abcd\"" "#define ATTNCERT_DIRTY true")
execute_process(COMMAND ${CMAKE_COMMAND} -E env "ATTNCERT_COMMIT=v1.0" ${CMAKE_COMMAND} -DSOURCE=${FOLDER}
                        -DHEADER=${FOLDER}/header.hpp -P ${SCRIPT} RESULT_VARIABLE failed ERROR_VARIABLE said)
if(NOT failed OR NOT said MATCHES "ATTNCERT_COMMIT=v1.0: is no commit")
  message(FATAL_ERROR "v1.0 was taken for a commit: ${said}")
endif()
