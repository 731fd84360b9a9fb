# The steps of a user outside the repository: installs attncert into an empty folder, builds the example against that
# folder alone, and has the installed program judge it.
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
