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

/* What follows the key in the text, without spaces, or NULL. */
static const char* after(const char* text, const char* key) {
  const char* found = text == NULL ? NULL : strstr(text, key);
  return found == NULL ? NULL : found + strlen(key) + strspn(found + strlen(key), " ");
}

static void softmax(const float* logits, double T, size_t length, float* weights) {
  double total = 0, largest = -HUGE_VAL;
  for (size_t i = 0; i < length; ++i) largest = fmax(largest, logits[i]);
  for (size_t i = 0; i < length; ++i) total += exp((logits[i] - largest) / T);
  for (size_t i = 0; i < length; ++i) weights[i] = (float)(exp((logits[i] - largest) / T) / total);
}

/* The rows where a case wants them, so many elements from one to the next, NaN between them. */
static float* laid_out(const float* logits, size_t rows, size_t length, size_t stride) {
  float* memory = malloc(rows * stride * sizeof *memory + 1);
  for (size_t i = 0; i < rows * stride; ++i)
    memory[i] = i % stride < length ? logits[i / stride * length + i % stride] : NAN;
  return memory;
}

static void answer(const float* logits, double T, size_t rows, size_t length, size_t stride) {
  char header[256];
  const size_t bytes = rows * length * sizeof(float);
  float* weights = malloc(bytes);
  for (size_t r = 0; r < rows; ++r) softmax(logits + r * stride, T, length, weights + r * length);
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
    float* numbers = malloc(count * sizeof *numbers + 1);
    memcpy(numbers, file + sizeof size + size, count * sizeof *numbers);
    file[sizeof size + size] = 0; /* the header ends here */
    const char* header = file + sizeof size;
    const char* temperature = after(header, "\"temperature\":");
    const char* one = after(header, "\"dtype\":");
    const char* shape = after(header, "\"shape\":");
    const char* apart = after(header, "\"row-stride\":");
    size_t rows = 0, length = 0;
    const int whole =
        shape != NULL && sscanf(shape, "[%zu ,%zu ]", &rows, &length) == 2 && rows * length == count && count > 0;
    if (strstr(header, "\"logits\":") == NULL || after(one, "\"dtype\":") != NULL || strncmp(one, "\"F32\"", 5) != 0)
      puts("{\"refused\":\"only logits, in f32, without a mask\"}");
    else if (!whole) puts("{\"refused\":\"logits of two dimensions, rows and their length\"}");
    else {
      const size_t stride = apart == NULL ? length : strtoull(apart + 1, NULL, 10); /* texts */
      float* logits = laid_out(numbers, rows, length, stride);
      answer(logits, temperature == NULL ? 1 : atof(temperature + 1), rows, length, stride);
      free(logits);
    }
    fflush(stdout);
    free(numbers);
    free(file);
  }
  return 0;
}
