/* SPDX-License-Identifier: MIT
 * A worker for `attncert judge FOLDER --exec`, in C: softmax of each case's logits in f32.
 *
 *   attncert cases /tmp/rows --normalizer softmax
 *   attncert judge /tmp/rows --exec ./softmax_worker
 *
 * A file of tensors is the length of its header, eight bytes, the header, JSON, and the numbers. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_bytes = 1 << 24 }; /* of a case's file */

/* What follows the key in the header, or NULL. */
static const char* after(const char* header, const char* key) {
  const char* found = strstr(header, key);
  return found == NULL ? NULL : found + strlen(key);
}

/* Writes `count` bytes behind `head` to the file, under another name until it is whole. */
static void write_whole(const char* path, const void* head, size_t head_bytes, const void* data, size_t bytes) {
  char partial[4200];
  snprintf(partial, sizeof partial, "%s.partial", path);
  FILE* file = fopen(partial, "wb");
  if (file == NULL) exit(1);
  fwrite(head, 1, head_bytes, file);
  fwrite(data, 1, bytes, file);
  fclose(file);
  rename(partial, path);
}

static void softmax(const char* path, const char* header, const float* logits, size_t length) {
  const char* tempered = after(header, "\"temperature\":\"");
  const double T = tempered == NULL ? 1 : atof(tempered);
  float* weights = malloc(length * sizeof *weights);
  double total = 0, largest = -HUGE_VAL;
  for (size_t i = 0; i < length; ++i) largest = fmax(largest, logits[i]);
  for (size_t i = 0; i < length; ++i) total += exp((logits[i] - largest) / T);
  for (size_t i = 0; i < length; ++i) weights[i] = (float)(exp((logits[i] - largest) / T) / total);
  char head[256];
  const int size = snprintf(head + 8, sizeof head - 8,
                            "{\"weights\":{\"dtype\":\"F32\",\"shape\":[1,%zu],\"data_offsets\":[0,%zu]}}", length,
                            length * sizeof *weights);
  memcpy(head, &(uint64_t){(uint64_t)size}, 8);
  write_whole(path, head, 8 + (size_t)size, weights, length * sizeof *weights);
  free(weights);
}

static void run_case(const char* folder, const char* name) {
  static char file[most_bytes + 1];
  static float logits[most_bytes / sizeof(float)];
  char path[4096], out[4096], refused[4096];
  uint64_t size = 0;
  const int stem = (int)(strlen(name) - strlen(".safetensors"));
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(out, sizeof out, "%s/%.*s.out.safetensors", folder, stem, name);
  snprintf(refused, sizeof refused, "%s/%.*s.refused", folder, stem, name);
  if (access(out, F_OK) == 0 || access(refused, F_OK) == 0) return; /* an earlier process did it */
  FILE* in = fopen(path, "rb");
  if (in == NULL || fread(&size, sizeof size, 1, in) != 1 || size > most_bytes) exit(1);
  file[fread(file, 1, size, in)] = 0;
  const size_t length = fread(logits, sizeof(float), sizeof logits / sizeof(float), in);
  fclose(in);
  const char *one = after(file, "\"logits\":"), *tensors = file;
  for (size_t n = 0; (tensors = after(tensors, "\"dtype\":")) != NULL; ++n)
    if (n > 0) one = NULL; /* a mask, or the gradient of the weights */
  const char what[] = "only logits, in f32, without a mask\n";
  if (one == NULL || strstr(one, "\"F32\"") == NULL) write_whole(refused, what, sizeof what - 1, "", 0);
  else softmax(out, file, logits, length);
}

static int is_case(const struct dirent* entry) {
  const char* end = strstr(entry->d_name, ".safetensors");
  return end != NULL && strlen(end) == strlen(".safetensors") && strstr(entry->d_name, ".out.") == NULL;
}

int main(int count, char** arguments) {
  struct dirent** names;
  const int cases = count < 2 ? -1 : scandir(arguments[1], &names, is_case, alphasort);
  for (int n = 0; n < cases; ++n) run_case(arguments[1], names[n]->d_name);
  return cases < 0 ? 2 : 0;
}
