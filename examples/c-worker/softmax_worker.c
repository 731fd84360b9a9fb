/* SPDX-License-Identifier: MIT
 * A worker in C for `attncert pipe`: softmax of each case's logits in f32, over standard input and output.
 *
 *   attncert accuracy --normalizer softmax --exec "attncert pipe ./softmax_worker"
 *
 * A case is a line that says how many bytes follow, and a file of tensors: the length of a header, eight bytes, the
 * header, JSON, and the numbers. The answer is such a line and file, or a line that says why the case is declined. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows the key in the text, or NULL. */
static const char* after(const char* text, const char* key) {
  const char* found = text == NULL ? NULL : strstr(text, key);
  return found == NULL ? NULL : found + strlen(key);
}

static void softmax(const float* logits, double T, size_t length, float* weights) {
  double total = 0, largest = -HUGE_VAL;
  for (size_t i = 0; i < length; ++i) largest = fmax(largest, logits[i]);
  for (size_t i = 0; i < length; ++i) total += exp((logits[i] - largest) / T);
  for (size_t i = 0; i < length; ++i) weights[i] = (float)(exp((logits[i] - largest) / T) / total);
}

static void answer(const float* logits, double T, size_t rows, size_t length) {
  char header[256];
  const size_t bytes = rows * length * sizeof(float);
  float* weights = malloc(bytes);
  for (size_t r = 0; r < rows; ++r) softmax(logits + r * length, T, length, weights + r * length);
  const uint64_t size = (uint64_t)snprintf(
      header, sizeof header, "{\"weights\":{\"dtype\":\"F32\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]}}", rows,
      length, bytes);
  printf("{\"done\":%zu}\n", sizeof size + size + bytes);
  fwrite(&size, sizeof size, 1, stdout);
  fwrite(header, 1, size, stdout);
  fwrite(weights, 1, bytes, stdout);
  free(weights);
}

int main(void) {
  char line[4096];
  puts("{\"hello\":\"attncert-worker/1\"}");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    const size_t bytes = strtoull(after(line, "\"bytes\":"), NULL, 10);
    char* file = calloc(1, bytes + 1);
    if (fread(file, 1, bytes, stdin) != bytes) return 1;
    uint64_t size;
    memcpy(&size, file, sizeof size);
    const size_t count = (bytes - sizeof size - size) / sizeof(float);
    float* logits = malloc(count * sizeof *logits);
    memcpy(logits, file + sizeof size + size, count * sizeof *logits);
    file[sizeof size + size] = 0; /* the header ends here */
    const char* header = file + sizeof size;
    const char* temperature = after(header, "\"temperature\":\"");
    const char* one = after(header, "\"dtype\":");
    const char* shape = after(header, "\"shape\":[");
    const size_t rows = shape == NULL ? 1 : strtoull(shape, NULL, 10);
    if (strstr(header, "\"logits\":") == NULL || after(one, "\"dtype\":") != NULL || strncmp(one, "\"F32\"", 5) != 0)
      puts("{\"refused\":\"only logits, in f32, without a mask\"}");
    else answer(logits, temperature == NULL ? 1 : atof(temperature), rows, count / rows);
    fflush(stdout);
    free(logits);
    free(file);
  }
  return 0;
}
