"""Attention over blocks of keys with a running maximum, as fused kernels compute it, in Python's floats: right in every
form, and wrong in one of two ways where `wrong` says so (the wrong kernels that the judge has to notice are those of
properties/conformance/attention)."""
import array
import math
import struct


def rounded(code, x):
    """To the nearest number of f32 ("f"); infinities stay."""
    try:
        return struct.unpack(code, struct.pack(code, x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


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
        if self.exp2:
            return self.round(2.0 ** self.round(x * 1.4426950408889634))
        return self.round(math.exp(x))

    # --- which keys, and their scores ---

    def pair(self, name, head, i, j):
        """Of the mask or bias, which is one for all heads, or each its own."""
        heads = getattr(self.case, name).shape[1]
        return getattr(self, name)[(head % heads * self.queries + i) * self.keys + j]

    def keeps(self, head, i, j):
        count = int(self.lengths[0]) if self.lengths else self.keys
        corner = 0 if self.wrong == "corner" else self.case.causal_offset
        diagonal = i + corner
        if j >= count:
            return False
        if self.case.causal and j > diagonal:
            return False
        if self.case.window is not None and j <= diagonal - self.case.window:
            return False
        if self.bias and self.pair("bias", head, i, j) == -math.inf:
            return False
        return not self.mask or bool(self.pair("mask", head, i, j))

    def kv_head(self, head):
        return head // (self.heads // self.kv_heads)

    def score(self, head, i, j):
        case, at = self.case, (self.kv_head(head) * self.keys + j) * self.size
        query, key = self.q[(head * self.queries + i) * self.size:][:self.size], self.k[at:at + self.size]
        dot = self.dot(query, key)
        bias = self.pair("bias", head, i, j) if self.bias else 0.0
        cap = (lambda x: case.softcap * math.tanh(x / case.softcap)) if case.softcap else (lambda x: x)
        x = self.round(cap(self.round(case.scale * dot)) + bias)
        if self.slopes:
            distance = j - i - case.causal_offset
            x = self.round(x + self.slopes[head] * (distance if case.causal else -abs(distance)))
        return x

    def value(self, head, j):
        at = (self.kv_head(head) * self.keys + j) * self.channels
        return self.v[at:at + self.channels]

    # --- one row ---

    def row(self, head, i):
        width = -(-self.keys // self.parts)
        sink = self.sinks[head] if self.sinks and self.sinks[head] > -math.inf else None
        states = [self.part(head, i, part, part + width, sink if part == 0 else None)
                  for part in range(0, self.keys, width)]
        states = [state for state in states if state[1] > 0]
        if not states:
            return [0.0] * self.channels, -math.inf
        lse = [m + math.log(l) for m, l, _ in states]
        top = max(lse)
        weights = [math.exp(x - top) for x in lse]
        total = sum(weights)
        o = [sum(w * acc[c] / l for w, (_, l, acc) in zip(weights, states)) / total for c in range(self.channels)]
        return o, top + math.log(total)

    def part(self, head, i, begin, end, sink):
        """Maximum, sum and outputs of some keys."""
        m, l, acc = (-math.inf, 0.0, [0.0] * self.channels) if sink is None else (sink, 1.0, [0.0] * self.channels)
        blocks = [range(b, min(b + self.block, end, self.keys)) for b in range(begin, min(end, self.keys), self.block)]
        for block in reversed(blocks) if self.descending else blocks:
            m, l, acc = self.step(head, i, block, m, l, acc)
        return m, l, acc

    def step(self, head, i, block, m, l, acc):
        kept = [j for j in block if self.keeps(head, i, j)]
        scores = [self.score(head, i, j) for j in kept]
        if self.wrong == "tail_of_zeros" and len(block) < self.block:
            kept, scores = kept + [None], scores + [0.0]
        if not kept:
            return m, l, acc
        top = max(scores)
        new = max(m, top) if m < top - self.lazy else m
        factor = self.exp(m - new) if m > -math.inf else 0.0
        weights = [self.exp(x - new) for x in scores]
        l = self.round(self.round(l * factor) + sum(weights))
        acc = [self.round(a * factor) for a in acc]
        for w, j in zip(weights, kept):
            if j is not None:
                acc = [self.round(a + self.round(w * x)) for a, x in zip(acc, self.value(head, j))]
        return new, l, acc
