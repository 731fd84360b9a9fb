# Targets of the floating-point side: generators of rows, the list of subjects, the accuracy job, laws and faults.
set(here ${CMAKE_CURRENT_LIST_DIR})
attncert_library(attncert_float_generators
  SOURCES ${here}/generators/logits.cpp ${here}/generators/masks.cpp ${here}/generators/temperatures.cpp
  PUBLIC attncert_core attncert_counter)
attncert_library(attncert_subjects
  SOURCES ${here}/subjects.cpp
  PUBLIC attncert_reference attncert_normalizers)
attncert_library(attncert_optimality
  SOURCES ${here}/optimality/optimality.cpp
  PUBLIC attncert_reference attncert_kernel)
attncert_unguided(attncert_float_generators)
