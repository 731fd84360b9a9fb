# Read by ctest when it starts (CMakeLists.txt of this folder): asks the programs for their names and adds a test of
# each.

cmake_policy(VERSION 3.25)   # ctest sets none

# Lines of what a command prints. Where it cannot be run, or no line is what is looked for, a test fails that is called
# after the list: a format that changed must not take the tests away in silence.
function(lines_of result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status STREQUAL 0)
    add_test("${result}_CANNOT_BE_LISTED" "${ARGN}")
    set(text "")
  endif()
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX REPLACE "\n" ";" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(none_of list)
  add_test("${list}_HAVE_NO_TEST" false)
endfunction()

# Without a device but for those that are about one, as in attncert_test.
function(add_certified name)
  add_test("${name}" ${ARGN})
  set_tests_properties("${name}" PROPERTIES WORKING_DIRECTORY "${source}" TIMEOUT 300)
  if(NOT name MATCHES "/device")
    set_tests_properties("${name}" PROPERTIES ENVIRONMENT ATTNCERT_DEVICE=none)
  endif()
endfunction()

# What is measured is measured on real attention, and only there.
lines_of(claims "${attncert}" list)
foreach(line IN LISTS claims)
  if(line MATCHES "^([^ ]+) +expected +([a-z]+)")
    set(id ${CMAKE_MATCH_1})
    set(real --no-real)
    if(CMAKE_MATCH_2 STREQUAL "measured")
      set(real --windows 1)
    endif()
    add_certified(certify/${id} "${attncert}" certify ${id} --no-kernels ${real} --effort quick --jobs 1 --force
      --out "${runs}/${id}")
    set(any ${id})
  endif()
endforeach()
if(NOT any)
  none_of(claims)
endif()

# A kernel's line, or a bound's: its name, what it computes, its budget.
lines_of(kernels "${attncert}" list --kernels)
foreach(line IN LISTS kernels)
  if(line MATCHES "^[^ ]+\\.[^ ]+ +([^ ]+) ")
    list(APPEND computed ${CMAKE_MATCH_1})
  elseif(line MATCHES "^device: " AND NOT line MATCHES "^device: none")
    set(device ON)
  endif()
endforeach()
if(NOT computed)
  none_of(kernels)
endif()
list(REMOVE_DUPLICATES computed)
foreach(name IN LISTS computed)
  add_certified(accuracy/${name} "${attncert}" accuracy --effort quick --normalizer ${name})
endforeach()
# Of a device, where there is one. PoCL compiles five programs or more a kernel, two seconds each: one kernel, and all
# where slow tests run.
if(device)
  add_certified(accuracy/device "${attncert}" accuracy --effort quick --isa device --normalizer softmax --dtype f32)
  add_certified(accuracy/device-all "${attncert}" accuracy --effort quick --isa device)
  set_tests_properties(accuracy/device-all PROPERTIES TIMEOUT 1800 LABELS slow)
endif()

# A target's whole corpus, the same inputs with each of its subjects in place of the one they pick, and 100 seeded ones.
# Without the refuted claims, "TARGET CLAIM CLAIM" among the wrong: an input that refutes one again is no failure.
lines_of(subjects "${replay}" --subjects)
lines_of(wrong "${replay}" --wrong)
foreach(list subjects wrong)
  if(NOT ${list})
    none_of(${list})
  endif()
endforeach()
foreach(line IN LISTS subjects)
  if(NOT line MATCHES "^([^ ]+) (.+)$")
    continue()
  endif()
  set(target ${CMAKE_MATCH_1})
  set(name "${CMAKE_MATCH_2}")
  if(NOT "${line} ${name}" IN_LIST wrong)
    add_certified("fuzz/${name}" "${replay}" --random 100 ${target} "${source}/fuzz/corpus/${target}")
    if(NOT name STREQUAL target)
      set_tests_properties("fuzz/${name}" PROPERTIES ENVIRONMENT "ATTNCERT_DEVICE=none;ATTNCERT_FUZZ_SUBJECT=${name}")
    endif()
  endif()
endforeach()

if(device)
  foreach(target normalizer bound)
    add_certified(fuzz/device-${target} "${replay}" --random 1000 ${target} "${source}/fuzz/corpus/${target}")
    set_tests_properties(fuzz/device-${target} PROPERTIES LABELS slow TIMEOUT 1800)
  endforeach()
endif()

# The last claim's ledger in every format: "--format TEXT:{table,markdown,...}".
lines_of(help "${attncert}" report --help)
if(help MATCHES "--format [A-Z:]*{([^}]*)}" AND any)
  string(REPLACE "," ";" formats "${CMAKE_MATCH_1}")
  set_tests_properties(certify/${any} PROPERTIES FIXTURES_SETUP ledger)
  foreach(format IN LISTS formats)
    add_certified(report/${format} "${attncert}" report "${runs}/${any}/ledger.json" --format ${format}
      --out "${runs}/report.${format}")
    set_tests_properties(report/${format} PROPERTIES FIXTURES_REQUIRED ledger)
  endforeach()
else()
  none_of(formats)
endif()
