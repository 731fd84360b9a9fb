# cmake -DSOURCE=<checkout> -DHEADER=<file> -P Commit.cmake
# The commit of the checkout and whether tracked files differ from it, as a header; rewritten only when that changes,
# so that a build with nothing to do stays one. "unknown" outside a checkout. safe.directory: the checkout may belong
# to another user (a container's mounted folder), and reading two facts from it runs nothing of it.
# ATTNCERT_COMMIT of the environment, "<hash>" or "<hash>-dirty", goes before git: of a worktree that is mounted
# elsewhere .git is a file that names a folder out of reach, and a source archive has none.
cmake_minimum_required(VERSION 3.25)
set(commit unknown)
set(dirty false)
find_program(GIT git)
if(NOT "$ENV{ATTNCERT_COMMIT}" STREQUAL "")
  if(NOT "$ENV{ATTNCERT_COMMIT}" MATCHES "^([0-9a-f]+)(-dirty)?$")
    message(FATAL_ERROR "ATTNCERT_COMMIT=$ENV{ATTNCERT_COMMIT}: is no commit; give what "
                        "git describe --always --abbrev=40 --exclude='*' --dirty prints")
  endif()
  set(commit ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2)
    set(dirty true)
  endif()
elseif(GIT AND EXISTS "${SOURCE}/.git")
  set(git ${GIT} -c safe.directory=* -c core.fsmonitor=false -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(commit ${found})
    execute_process(COMMAND ${git} --no-optional-locks status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(NOT changes STREQUAL "")
      set(dirty true)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "// Written by cmake/Commit.cmake at build time.
#define ATTNCERT_COMMIT \"${commit}\"
#define ATTNCERT_DIRTY ${dirty}
")
