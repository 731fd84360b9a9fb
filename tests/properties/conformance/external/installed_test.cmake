# The steps of a user outside the repository: installs attncert into an empty folder, builds the example against that
# folder alone, and has the installed program judge it; then, far from the checkout, runs what needs data, and completes.
#   cmake -DBUILD=... -DEXAMPLE=... -DFOLDER=... -DC_COMPILER=... -DGENERATOR=... -DMAKE_PROGRAM=... -P installed_test.cmake
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: exit status ${status}\n${output}\n${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
run("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/prefix)
file(COPY ${EXAMPLE}/ DESTINATION ${FOLDER}/example)
run("configure" ${CMAKE_COMMAND} -S ${FOLDER}/example -B ${FOLDER}/build -DCMAKE_PREFIX_PATH=${FOLDER}/prefix
  -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}   # a bare machine has the one that built us, not make
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_C_FLAGS=-Werror)
run("build" ${CMAKE_COMMAND} --build ${FOLDER}/build)
run("accuracy" ${FOLDER}/prefix/bin/attncert accuracy --effort quick --library ${FOLDER}/build/libplain_c_kernel.so)
message(STATUS "${output}")
foreach(word "plain-c-softmax.f32" "no violation")
  if(NOT output MATCHES "${word}")
    message(FATAL_ERROR "accuracy does not say \"${word}\"")
  endif()
endforeach()

# Moved away, where no folder above is the checkout.
run("mktemp" mktemp -d)
string(STRIP "${output}" far)
file(COPY ${FOLDER}/prefix DESTINATION ${far})
run("certify" ${CMAKE_COMMAND} -E chdir ${far}
  prefix/bin/attncert certify theorem1-upper --no-kernels --effort quick --out run)
if(NOT output MATCHES "1 as expected" OR NOT EXISTS ${far}/run/witnesses/theorem1-upper.json)
  message(FATAL_ERROR "certify, installed: ${output}")
endif()
run("gpt2" ${CMAKE_COMMAND} -E chdir ${far} prefix/bin/attncert gpt2 --windows 1 --out study)
file(WRITE ${far}/complete "source prefix/share/bash-completion/completions/attncert
COMP_WORDS=(prefix/bin/attncert cer)\nCOMP_CWORD=1\n_attncert attncert cer\necho $COMPREPLY
COMP_WORDS=(prefix/bin/attncert certify --see)\nCOMP_CWORD=2\n_attncert attncert --see\necho $COMPREPLY\n")
run("completion" ${CMAKE_COMMAND} -E chdir ${far} bash complete)
if(NOT output STREQUAL "certify\n--seed\n")
  message(FATAL_ERROR "completion: ${output}")
endif()
file(REMOVE_RECURSE ${far})
