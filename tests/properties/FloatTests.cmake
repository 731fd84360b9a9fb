attncert_test(attncert_float_generators_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/float_generators_test.cpp
  LINK attncert_float_generators)
attncert_test(attncert_row_truth_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/row_truth_test.cpp
  LINK attncert_reference attncert_float_generators)
attncert_test(attncert_faults_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/faults_test.cpp
  LINK attncert_kill_matrix)
attncert_test(attncert_plain_kernels_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/plain_kernels_test.cpp
  LINK attncert_faults attncert_float_generators attncert_reference attncert_kernel)
attncert_test(attncert_laws_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/laws_test.cpp
  LINK attncert_laws attncert_faults)
attncert_test(attncert_accuracy_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/accuracy_test.cpp ${CMAKE_CURRENT_LIST_DIR}/guarded_call_test.cpp
  LINK attncert_accuracy attncert_float_generators)
attncert_test(attncert_bulk_tier_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/bulk_tier_test.cpp
  LINK attncert_accuracy attncert_float_generators)
attncert_test(attncert_accuracy_sweep_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/accuracy_sweep_test.cpp
  LINK attncert_accuracy
  LABELS slow)
attncert_test(attncert_bulk_bounds_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/bulk_bounds_test.cpp ${CMAKE_CURRENT_LIST_DIR}/bulk_sparsemax_test.cpp
  LINK attncert_bulk attncert_reference attncert_float_generators attncert_kernel)
attncert_test(attncert_bulk_judge_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/bulk_judge_test.cpp
  LINK attncert_bulk attncert_reference attncert_float_generators attncert_kernel)
attncert_test(attncert_optimality_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/optimality_test.cpp
  LINK attncert_optimality)
