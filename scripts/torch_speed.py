#!/usr/bin/env python3
"""torch's softmax beside torch's copy of the same memory, as attncert_bench_device measures ours (docs/device.md).

    scripts/torch_speed.py [DEVICE | --check]

DEVICE: cuda, cuda:1, ... or cpu [cuda]. --check: only whether torch and cuda are there. Rows of 2^29 elements in all, 2^24 on a processor; medians of nine rounds that take turns.
Exit status: 0; 2 where torch or the device is not there.
"""
import statistics
import sys
import time

try:
    import torch
except ImportError:
    torch = None

ROUNDS = 9


def seconds_of(work, device):
    """Of one call, waited for: by the device's own events where it has them."""
    if device.type != "cuda":
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def compare(device, dtype, length, elements):
    rows = (3 * torch.randn(elements, device=device)).to(dtype).reshape(-1, length)
    out = torch.empty_like(rows)
    copies, ratios = [], []
    for number in range(ROUNDS + 1):
        copy = seconds_of(lambda: out.copy_(rows), device)
        softmax = seconds_of(lambda: torch.softmax(rows, -1, out=out), device)
        if number > 0:  # the first warms up
            copies.append(copy)
            ratios.append(copy / softmax)
    speed = 2e-9 * rows.numel() * rows.element_size() / statistics.median(copies)
    print(f"torch {torch.__version__} softmax {str(dtype)[6:]:<8} L={length:<8} {100 * statistics.median(ratios):5.1f}% of "
          f"the copy ({100 * min(ratios):.1f} to {100 * max(ratios):.1f}); copy {speed:.0f} GB/s, read and written", flush=True)


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else "cuda"
    name = "cuda" if word == "--check" else word
    if name in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    if torch is None:
        print("torch_speed.py: torch is not installed; install it for this python3", file=sys.stderr)
        return 2
    try:
        device = torch.device(name)
        if device.type not in ("cuda", "cpu"):
            raise RuntimeError("is neither cuda nor cpu, which alone are waited for")
        torch.zeros(1, device=device)
    except Exception as error:
        print(f"torch_speed.py: {name}: {str(error).splitlines()[0]}; name a device of torch", file=sys.stderr)
        return 2
    if word == "--check":
        return 0
    elements = 2 ** 29 if device.type == "cuda" else 2 ** 24
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for power in range(6, 21):
            try:
                compare(device, dtype, 2 ** power, elements)
            except RuntimeError as error:  # a processor's softmax has no f16
                print(f"torch {torch.__version__} softmax {str(dtype)[6:]:<8} L={2 ** power}: {str(error).splitlines()[0]}")
                break
    return 0


if __name__ == "__main__":
    sys.exit(main())
