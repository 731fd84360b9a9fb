"""Attention over blocks of keys with a running maximum, as fused kernels compute it, in Python's floats: right in every
form, and wrong in one way where `wrong` says so. Each way is one that a public report tells of (docs/dumps.md)."""
import array
import math
import struct

NEGLIGIBLE = -1e300


def rounded(code, x):
    """To the nearest number of f32 ("f") or f16 ("e"); infinities stay."""
    try:
        return struct.unpack(code, struct.pack(code, x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bf16(x, half=0x8000):
    bits = struct.unpack("I", struct.pack("f", x))[0]
    return struct.unpack("f", struct.pack("I", (bits + half & 0xFFFF0000) & 0xFFFFFFFF))[0]


class Flash:
    """`block` keys at a time; `parts` split the keys, each with a state of its own, and are merged by their LSE;
    `lazy`: the pivot follows the maximum only where it is further behind; `descending`: the last block first."""

    def __init__(self, wrong=None, block=16, parts=1, lazy=0.0, descending=False, exp2=False, f32=False):
        self.wrong, self.block, self.parts, self.lazy = wrong, block, parts, lazy
        self.descending, self.exp2, self.f32 = descending, exp2, f32
        self.__name__ = wrong or "flash"

    def __call__(self, case):
        self.case = case
        (_, self.heads, self.queries, self.size), (_, self.kv_heads, self.keys, self.channels) = case.q.shape, case.v.shape
        numbers = {name: getattr(case, name).numbers() if getattr(case, name) is not None else None
                   for name in ("q", "k", "v", "bias", "mask", "sinks", "slopes", "lengths")}
        self.__dict__.update(numbers)
        o, lse = array.array("f"), array.array("f")
        for head in range(self.heads):
            for i in range(self.queries):
                row, of_row = self.row(head, i)
                o.extend(row)
                lse.append(of_row)
        if self.wrong == "lse_of_previous_row":
            lse = lse[:1] + lse[:-1]
        shape = (1, self.heads, self.queries, self.channels)
        return memoryview(o).cast("B").cast("f", shape), memoryview(lse).cast("B").cast("f", shape[:3])

    def round(self, x):
        return rounded("f", x) if self.f32 else x

    def dot(self, a, b):
        if not self.f32:
            return sum(map(float.__mul__, a, b))
        total = 0.0
        for x, y in zip(a, b):
            total = rounded("f", total + rounded("f", x * y))
        return total

    def exp(self, x):
        if self.wrong == "coarse_exponential":
            return math.exp(x) * (1 + 1e-3 * math.sin(50 * x))
        if self.exp2:
            return self.round(2.0 ** self.round(x * 1.4426950408889634))
        return self.round(math.exp(x))

    # --- which keys, and their scores ---

    def keeps(self, i, j):
        count = int(self.lengths[0]) if self.lengths else self.keys
        corner = 0 if self.wrong == "corner" else self.keys - self.queries
        diagonal = i + corner - (self.wrong == "causal_by_one")
        if j >= count or self.wrong == "tail_dropped" and j >= count // 16 * 16 and count > 16:
            return False
        if self.case.causal and j > diagonal:
            return False
        if self.case.window is not None and j <= diagonal - self.case.window - (self.wrong == "window_by_one"):
            return False
        return not self.mask or bool(self.mask[i * self.keys + j]) or self.wrong == "cap_after_mask"

    def kv_head(self, head):
        group = self.heads // self.kv_heads
        return head % self.kv_heads if self.wrong == "heads_modulo" else head // group

    def score(self, head, i, j):
        case, at = self.case, (self.kv_head(head) * self.keys + j) * self.size
        query, key = self.q[(head * self.queries + i) * self.size:][:self.size], self.k[at:at + self.size]
        dot = self.dot(query, key)
        bias = self.bias[i * self.keys + j] if self.bias else 0.0
        cap = (lambda x: case.softcap * math.tanh(x / case.softcap)) if case.softcap else (lambda x: x)
        if self.wrong == "cap_before_scale":
            x = case.scale * cap(dot) + bias
        elif self.wrong == "cap_after_bias":
            x = cap(case.scale * dot + bias)
        elif self.wrong == "bias_scaled":
            x = cap(case.scale * dot) + case.scale * bias
        else:
            x = self.round(cap(self.round(case.scale * dot)) + bias)
        if self.slopes:
            distance = j - i - (0 if self.wrong == "slope_corner" else self.keys - self.queries)
            sign = -1 if self.wrong == "slope_sign" else 1
            x = self.round(x + sign * self.slopes[head] * (distance if case.causal else -abs(distance)))
        if self.wrong == "scores_bf16":
            x = bf16(x)
        if self.wrong == "scores_f16":
            x = rounded("e", x)
        if self.wrong == "cap_after_mask" and self.mask and not self.mask[i * self.keys + j]:
            x = cap(NEGLIGIBLE) if case.softcap else -math.inf
        return x

    def value(self, head, j):
        if self.wrong == "stale_value" and j == self.keys - 1 and j > 0:
            j -= 1
        at = (self.kv_head(head) * self.keys + j) * self.channels
        return self.v[at:at + self.channels]

    # --- one row ---

    def sink(self, head):
        if not self.sinks or self.wrong == "no_sink":
            return None
        return self.sinks[head] * (self.case.scale if self.wrong == "sink_scaled" else 1)

    def row(self, head, i):
        width = -(-self.keys // self.parts)
        sink = self.sink(head)
        states = [self.part(head, i, part, part + width, sink if part == 0 or self.wrong == "sink_in_every_part" else None)
                  for part in range(0, self.keys, width)]
        states = [state for state in states if state[1] > 0 or self.wrong == "empty_part_counts"]
        if not states:
            return [0.0] * self.channels, -math.inf
        lse = [m + math.log(l) if l > 0 else 0.0 for m, l, _ in states]
        if self.wrong == "merged_by_maxima":
            lse = [m for m, _, _ in states]
        top = max(lse)
        base = 2.0 if self.wrong == "merged_in_base_2" else math.e
        weights = [base ** (x - top) for x in lse]
        total = sum(weights)
        o = [sum(w * (acc[c] / l if l > 0 else 0.0) for w, (_, l, acc) in zip(weights, states)) / total
             for c in range(self.channels)]
        return o, self.of_lse(top + math.log(total), states, sink)

    def of_lse(self, lse, states, sink):
        m, l, _ = states[0]
        if self.wrong == "lse_base_2":
            return lse / math.log(2)
        if self.wrong == "lse_without_maximum":
            return math.log(l)
        if self.wrong == "lse_unscaled":
            return m / self.case.scale + math.log(l)
        if self.wrong == "lse_without_sink" and sink is not None:
            return m + math.log(l - math.exp(sink - m))
        if self.wrong == "lse_stale_maximum":
            return self.first_maximum + math.log(l)
        return lse

    def part(self, head, i, begin, end, sink):
        """Maximum, sum and outputs of some keys."""
        m = {"maximum_from_zero": 0.0, "maximum_from_ten": 10.0}.get(self.wrong, -math.inf)
        l, acc = 0.0, [0.0] * self.channels
        if sink is not None:
            m, l = max(m, sink), 1.0
            if self.wrong == "sink_twice":
                l = 2.0
        blocks = [range(b, min(b + self.block, end, self.keys)) for b in range(begin, min(end, self.keys), self.block)]
        self.first_maximum = None
        for block in reversed(blocks) if self.descending else blocks:
            m, l, acc = self.step(head, i, block, m, l, acc)
        return m, l, acc

    def step(self, head, i, block, m, l, acc):
        kept = [j for j in block if self.keeps(i, j)]
        scores = [self.score(head, i, j) for j in kept]
        seen = [self.score(head, i, j) for j in block] if self.wrong == "maximum_of_masked" else scores
        if self.wrong == "tail_of_zeros" and len(block) < self.block:
            kept, scores = kept + [None], scores + [0.0]
            seen = scores
        if self.wrong == "mask_adds" and self.mask:
            kept = list(block)
            scores = seen = [self.score(head, i, j) - (0 if self.keeps(i, j) else 1e4) for j in block]
        if not kept or self.wrong == "small_blocks_skipped" and max(scores) < m - 4:
            return m, l, acc
        top = max(seen)
        if self.first_maximum is None:
            self.first_maximum = top
        new = max(m, top) if m < top - self.lazy else m
        factor = self.exp(m - new) if m > -math.inf else 0.0
        if self.wrong == "not_rescaled":
            acc_factor = 1.0
        else:
            acc_factor = factor
        if self.wrong != "sum_not_rescaled":
            l = self.round(l * factor)
        weights = [self.weight(self.exp(x - new)) for x in scores]
        l = self.round(l + sum(weights))
        if self.wrong == "sum_f16":
            l = rounded("e", l)
        acc = [self.round(a * acc_factor) for a in acc]
        for w, j in zip(weights, kept):
            if j is None:
                continue
            if self.f32 or self.wrong == "output_f16":
                code = "f" if self.f32 else "e"
                acc = [rounded(code, a + rounded("f", w * x)) for a, x in zip(acc, self.value(head, j))]
            else:
                acc = [a + w * x for a, x in zip(acc, self.value(head, j))]
        if self.wrong == "nan_in_padding":
            acc = [a + 0.0 * sum(self.value(head, j)[0] for j in block) for a in acc]
        if self.wrong == "divided_every_block":
            acc, l = [a / l for a in acc], 1.0
        return new, l, acc

    def weight(self, w):
        if self.wrong == "weights_bf16":
            return bf16(w)
        if self.wrong == "weights_cut":
            return bf16(w, half=0)
        return w
