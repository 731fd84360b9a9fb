// The k largest logits of a row; of equal ones those that stand first. The bits of the k-th largest are found one by
// one, from the highest, by counting; those of the place behind the last of its equals that is chosen, likewise.
#ifndef ATTNCERT_TOP_K
#define ATTNCERT_TOP_K
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"

typedef struct {
  u32 key;    // of the k-th largest
  u32 limit;  // of logits equal to it, those before this place are chosen
} Choice;

DEVICE Choice all_chosen() {
  Choice choice;
  choice.key = 0u, choice.limit = 0x80000000u;
  return choice;
}
DEVICE u32 key_of_logit(float x) { return key_of(x + 0.0f, false); }  // -0 is 0
DEVICE bool is_chosen(Choice choice, float x, u32 at) {
  const u32 key = key_of_logit(x);
  return key > choice.key || (key == choice.key && at < choice.limit);
}

// How many logits of this thread are chosen.
DEVICE u64 chosen_of(Choice choice, float* x, GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length) {
  u64 count = 0u;
#if HOLD
  UNROLL for (int j = 0; j < HOLD; j += VEC) {
    const u32 at = (u32)j * GROUP + thread_id() * VEC;
    UNROLL for (int c = 0; c < VEC; ++c) count += is_chosen(choice, x[j + c], at + (u32)c) ? 1u : 0u;
  }
#else
  for (u32 at = thread_id() * VEC; at < length; at += GROUP * VEC) {
    load_some(x, row, mask, at, length);
    UNROLL for (int c = 0; c < VEC; ++c) count += is_chosen(choice, x[c], at + (u32)c) ? 1u : 0u;
  }
#endif
  return count;
}

// Fewer logits than k: all that are there are chosen.
DEVICE Choice choice_of(LOCAL_PTR u64* all, LOCAL_PTR u64* few, u32 k, float* x, GLOBAL const Element* row,
                        GLOBAL const uchar* mask, u32 length) {
  Choice choice = all_chosen();
  u32 bit = 0x80000000u;
  do {  // the largest key that k logits reach
    Choice next = choice;
    next.key += bit;
    if (group_sum(all, few, chosen_of(next, x, row, mask, length)) >= k) choice.key = next.key;
    bit >>= 1;
  } while (bit > 0u);
  bit = 0x40000000u, choice.limit = 0u;
  do {  // the farthest place at which no more than k are chosen
    Choice next = choice;
    next.limit += bit;
    if (group_sum(all, few, chosen_of(next, x, row, mask, length)) <= k) choice.limit = next.limit;
    bit >>= 1;
  } while (bit > 0u);
  return choice;
}

#endif  // ATTNCERT_TOP_K
