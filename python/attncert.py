# SPDX-License-Identifier: MIT
"""attncert for Python: judge what an attention kernel computed, from Python, with the standard library only.

    import attncert
    attncert.assert_attention(my_attention, features=["causal", "heads"])   # runs it on attncert's cases
    attncert.assert_softmax(my_softmax, dtype="f16")
    attncert.judge(q, k, v, o, causal="top-left").holds                      # judges what was computed elsewhere

Arrays are whatever has the buffer protocol (numpy, array, memoryview), the array interface, or `detach().cpu()` and
`numpy()` as PyTorch's tensors have. The verdict is the program's `attncert judge`, which is looked for in the variable
ATTNCERT and then on the PATH; docs/dumps.md says what is judged and how.

With pytest, `-p attncert` makes a test of every function that `@attncert.kernel(...)` stands above, notes what was
judged as properties of its test case (--junitxml), and with `--attncert-report DIR` keeps cases, outputs and reports
below DIR.
"""
import ctypes
import faulthandler
import functools
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

FORMATS = {"d": "F64", "f": "F32", "e": "F16", "?": "BOOL", "B": "U8", "b": "I8", "i": "I32", "I": "U32", "q": "I64",
           "l": "I64", "Q": "U64", "L": "U64"}  # of struct and memoryview


class Array:
    """A tensor of a case: `shape`, `dtype` (F32, F16, BF16, F8_E4M3, F8_E5M2, BOOL) and `data`, its bytes,
    row-major. It has numpy's array interface (BF16 as its bit patterns, int16, and eight bits as theirs, uint8), and
    nothing in it can be written."""

    TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<i2", "BOOL": "|b1", "U8": "|u1",
             "F8_E4M3": "|u1", "F8_E5M2": "|u1"}

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, tuple(shape), bytes(data)

    @property
    def __array_interface__(self):
        return {"version": 3, "shape": self.shape, "typestr": self.TYPES[self.dtype], "data": self.data}

    def numbers(self):
        """The entries as a flat list of Python floats, BF16 and eight bits included."""
        if self.dtype.startswith("F8"):
            return [_of_eight_bits(self.dtype, code) for code in self.data]
        if self.dtype == "BF16":
            halves = struct.unpack("<%dH" % (len(self.data) // 2), self.data)
            return list(struct.unpack("<%df" % len(halves), struct.pack("<%dI" % len(halves), *(h << 16 for h in halves))))
        code = next(code for code, dtype in FORMATS.items() if dtype == self.dtype)
        return list(struct.unpack("<%d%s" % (len(self.data) // struct.calcsize("<" + code), code), self.data))


def _of_eight_bits(dtype, code):
    """As the OCP specification OFP8 has them."""
    bits, bias = (3, 7) if dtype == "F8_E4M3" else (2, 15)
    exponent, fraction = (code & 0x7f) >> bits, code & ((1 << bits) - 1)
    if code & 0x7f == 0x7f or (dtype == "F8_E5M2" and exponent == 31):
        magnitude = math.inf if dtype == "F8_E5M2" and fraction == 0 else math.nan
    else:
        magnitude = math.ldexp(fraction + (exponent > 0) * (1 << bits), max(exponent, 1) - bias - bits)
    return -magnitude if code & 0x80 else magnitude


def _stored(name, value):
    """dtype, shape and bytes of anything that holds numbers in a row."""
    if isinstance(value, Array):
        return value.dtype, value.shape, value.data
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu().contiguous()
        if str(value.dtype) == "torch.bfloat16":
            return "BF16", tuple(value.shape), value.view(__import__("torch").int16).numpy().tobytes()
        eight = {"torch.float8_e4m3fn": "F8_E4M3", "torch.float8_e5m2": "F8_E5M2"}.get(str(value.dtype))
        if eight:
            return eight, tuple(value.shape), value.view(__import__("torch").uint8).numpy().tobytes()
        value = value.numpy()
    try:
        view = memoryview(value)
    except TypeError:
        if hasattr(value, "__array__"):  # JAX and others
            return _stored(name, value.__array__())
        if hasattr(value, "__array_interface__"):
            return _stored(name, _of_interface(name, value.__array_interface__))
        if hasattr(value, "__dlpack__"):  # whoever has no numpy cannot read these
            return _stored(name, __import__("numpy").from_dlpack(value))
        raise TypeError(f"{name} is {type(value).__name__}, no array: give one with the buffer protocol") from None
    code = view.format.lstrip("@=<")
    if code not in FORMATS:
        raise TypeError("%s has entries of type %r; give float32, float16 or bfloat16" % (name, view.format))
    return FORMATS[code], view.shape, view.tobytes()


def _of_interface(name, interface):
    """The Array of numpy's array interface: rows first, little-endian."""
    typestr, shape, data = interface["typestr"], interface["shape"], interface["data"]
    dtype = {known: dtype for dtype, known in Array.TYPES.items()
             if dtype != "BF16" and not dtype.startswith("F8")}.get(typestr)
    if dtype is None or interface.get("strides") is not None:
        raise TypeError("%s has the type %s or strides that are not read" % (name, typestr))
    if isinstance(data, tuple):  # an address
        data = ctypes.string_at(data[0], int(typestr[2:]) * math.prod(shape))
    return Array(dtype, shape, data)


def _file(tensors, settings=None):
    """The bytes of a safetensors file."""
    header, data = {}, b""
    if settings:
        header["__metadata__"] = {name.replace("_", "-"): str(value) for name, value in settings.items()}
    for name, value in tensors.items():
        if value is None:
            continue
        dtype, shape, stored = _stored(name, value)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(stored)]}
        data += stored
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def _tensors(file):
    """Tensors and settings of the bytes of such a file."""
    (length,) = struct.unpack("<Q", file[:8])
    header, data = json.loads(file[8:8 + length]), file[8 + length:]
    settings = header.pop("__metadata__", {})
    return {name: Array(entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
            for name, entry in header.items()}, settings


def write(path, tensors, settings=None):
    """Writes a safetensors file: arrays by name, and texts (docs/dumps.md). Nothing is left half-written."""
    _replace(path, _file(tensors, settings))


def _replace(path, data):
    with open(path + ".partial", "wb") as file:
        file.write(data)
    os.replace(path + ".partial", path)


def read(path):
    """Tensors (Array by name) and settings of a safetensors file."""
    with open(path, "rb") as file:
        return _tensors(file.read())


class Verdict(dict):
    """What `attncert judge --json` says of one file; its keys are attributes too."""

    __getattr__ = dict.__getitem__

    @property
    def holds(self):
        return self["verdict"] == "holds"

    def __str__(self):
        text = "%s: %s" % (self["file"], self["verdict"])
        if "why" in self:
            return text + ": " + self["why"]
        backward = self.get("gradients", {"verdict": "holds"})
        more = "" if backward["verdict"] == "holds" else "\n  gradients: " + backward["verdict"] + _part(backward)
        return text + _part(self) + more


def _part(part):
    text = " (class %s, %d of %d elements outside)" % (part["class"], part["outside"], part["elements"])
    for worst in part["worst"][:3]:
        text += "\n  %s%s: got %s, exact %s, bound %s" % (worst["tensor"], [worst[axis] for axis in (
            "batch", "head", "query", "key", "channel", "row", "entry") if axis in worst], worst["got"], worst["exact"],
            worst["bound"])
    for name in part.get("explained_by", []):
        text += "\n  explained by: " + name
    return text


def _run(arguments):
    program = os.environ.get("ATTNCERT") or shutil.which("attncert")
    if program is None:
        raise FileNotFoundError("attncert is not on the PATH; install it, or set ATTNCERT to the program")
    done = subprocess.run([program] + arguments, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3) and not (done.returncode == 2 and done.stdout):
        raise ValueError(done.stderr.strip() or "attncert ended with status %d" % done.returncode)
    return done.stdout


def judge(q, k, v, o, lse=None, mask=None, bias=None, sinks=None, slopes=None, lengths=None, do=None, dq=None, dk=None,
          dv=None, dsinks=None, **settings):
    """The Verdict on one computation, of its gradients as well where `do`, that of o, and some of dq, dk, dv and dsinks
    are given. `settings` are those of `attncert judge`: layout, scale, causal, window, window_after, softcap, lse_base,
    class_ (class is a word of Python's)."""
    settings = {name.rstrip("_"): value for name, value in settings.items() if value is not None and value is not False}
    tensors = dict(q=q, k=k, v=v, o=o, lse=lse, mask=mask, bias=bias, sinks=sinks, slopes=slopes, lengths=lengths,
                   do=do, dq=dq, dk=dk, dv=dv, dsinks=dsinks)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump.safetensors")
        write(path, tensors, settings)
        verdict = Verdict(json.loads(_run(["judge", "--json", path])))
    if verdict["verdict"] == "cannot be read":
        raise ValueError(verdict["why"])
    return verdict


def run_cases(folder, kernel):
    """Runs `kernel` on every case of the folder that has no output yet: `kernel(case)` returns o, or (o, lse), or a
    dictionary of tensors by name, which has some of dq, dk, dv and dsinks where the case has do; or it raises
    NotImplementedError, which declines the case. `case` has q, k, v, and what else there is of mask, bias, sinks, slopes,
    lengths and do (Array or None) and settings, as attributes. Of rows it returns the weights, in the logits' shape,
    or the gradient where the case has upstream; `case` has logits, mask and temperature."""
    for out in _waiting(folder):
        with open(out + ".safetensors", "rb") as file:
            what, result = _outcome(kernel, file.read())
        if what == "done":
            _replace(out + ".out.safetensors", result)
        else:
            _note("%s.%s" % (out, what), result)


def _outcome(kernel, file):
    """"done" and the bytes of the outputs' file, or "refused" or "failed" and why."""
    try:
        tensors, settings = _tensors(file)
        result = kernel(Case(tensors, settings))
        for name, given in _tensors(file)[0].items():
            if tensors[name].data != given.data:
                return "failed", "wrote into its input %s" % name
        if "logits" in tensors:
            result = {"gradient" if "upstream" in tensors else "weights": result}
        elif not isinstance(result, dict):
            result = result if isinstance(result, tuple) else (result,)
            if len(result) > 2:
                raise TypeError("a tuple of %d: return o, (o, lse), or a dictionary by name" % len(result))
            result = dict(zip(("o", "lse"), result))
        return "done", _file(result)
    except NotImplementedError as why:
        return "refused", str(why) or "not implemented"
    except Exception as why:
        return "failed", "raised %s: %s" % (type(why).__name__, why)


def serve(kernel):
    """run_cases for `attncert pipe`: cases come on standard input, and outputs go to standard output. What the kernel
    prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def say(line, data=b""):
        answers.write(json.dumps(line).encode() + b"\n" + data)
        answers.flush()
    say({"hello": "attncert-worker/1"})
    for line in iter(sys.stdin.buffer.readline, b""):
        what, result = _outcome(kernel, sys.stdin.buffer.read(json.loads(line)["bytes"]))
        done = what == "done"
        say({what: len(result) if done else result.replace("\n", " ")[:2000]}, result if done else b"")


def _waiting(folder):
    """The cases without output, refusal or failure, by their paths without an ending."""
    cases = (os.path.join(folder, file)[:-len(".safetensors")] for file in sorted(os.listdir(folder))
             if file.endswith(".safetensors") and not file.endswith(".out.safetensors"))
    return [case for case in cases
            if not any(os.path.exists(case + end) for end in (".out.safetensors", ".refused", ".failed"))]


def _run_apart(folder, kernel, limit):
    """run_cases in processes of its own: a case at which one ends, or that takes longer than `limit` seconds, has failed,
    and the others go on."""
    while _waiting(folder):
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            faulthandler.disable()  # a crash is noted, not printed
            try:
                run_cases(folder, kernel)
                sys.stdout.flush()
                os._exit(0)
            finally:
                os._exit(1)
        case, since, ended = _waiting(folder)[:1], time.monotonic(), 0
        while not ended:
            time.sleep(0.01)
            ended, status = os.waitpid(child, os.WNOHANG)
            if _waiting(folder)[:1] != case:
                case, since = _waiting(folder)[:1], time.monotonic()
            elif not ended and time.monotonic() - since > limit:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                _note(case[0] + ".failed", "took longer than %g seconds" % limit)
                break
        else:
            for left in case:
                _note(left + ".failed", "ended by signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else
                      "ended with status %d" % os.WEXITSTATUS(status))


def _can_fork():
    """Threads of OpenMP and the drivers of GPUs do not live on in a forked process, which would wait for them."""
    if not os.path.exists("/proc/self/maps"):
        return False
    with open("/proc/self/maps") as file:
        return not re.search("lib(gomp|omp|iomp5|cuda|amdhip64|ze_loader)[.-]", file.read())


def _note(path, text):
    _replace(path, (text.replace("\n", " ") + "\n").encode())


class Case:
    def __init__(self, tensors, settings):
        self.mask = self.bias = self.sinks = self.slopes = self.lengths = self.do = self.upstream = None
        self.k_scale = self.v_scale = None
        self.__dict__.update(tensors)
        self.settings = settings
        self.scale, self.temperature = (float(settings.get(name, 1)) for name in ("scale", "temperature"))
        self.causal = settings.get("causal") == "bottom-right"
        self.window = int(settings["window"]) if "window" in settings else None
        self.window_after = int(settings["window-after"]) if "window-after" in settings else None
        self.softcap = float(settings["softcap"]) if "softcap" in settings else None
        self.group = settings.get("group")


def assert_attention(kernel, features=(), dtype="f32", head_size=64, seed=1, effort=1, dtype_kv=None, **more):
    """Runs `kernel` (as run_cases) on attncert's cases and raises AssertionError where an output differs, where it raises,
    writes into an input, ends its process or takes longer than `time_limit` seconds for a case. `dtype_kv` is the type of k
    and v where it is another than q's: "e4m3" with the feature "kv-scales", say. Of `more`: `declared` is
    the rounding class, `keep` a folder that keeps what was run, `apart` whether the kernel runs in processes of its own:
    where it is not said, unless this one has loaded OpenMP or a GPU's driver. Returns the verdicts."""
    wishes = ["--head-size", str(head_size), "--effort", str(effort)] + (["--dtype-kv", dtype_kv] if dtype_kv else [])
    return _assert(kernel, wishes + (["--features", ",".join(features)] if features else []), dtype, seed, **more)


def assert_normalizer(kernel, normalizer="softmax", dtype="f32", seed=1, **more):
    """The same of a kernel of rows: `kernel(case)` returns the weights of case.logits, or, of "softmax-vjp" and the other
    derivatives, their gradient by case.upstream, that of the weights. `declared` is the class of budgets
    (docs/budgets.md)."""
    return _assert(kernel, ["--normalizer", normalizer], dtype, seed, **more)


assert_softmax = functools.partial(assert_normalizer, normalizer="softmax")


def kernel(normalizer="attention", **wishes):
    """Stands above a kernel and gives it `certify()`: assert_attention, or assert_normalizer of another name, with these
    wishes. pytest runs it as a test."""
    def named(function):
        of, more = (assert_attention, {}) if normalizer == "attention" else (assert_normalizer, {"normalizer": normalizer})
        function.certify = functools.partial(of, function, **more, **wishes)
        return function
    return named


def _assert(kernel, wishes, dtype, seed, declared=None, keep=None, time_limit=60, apart=None):
    with tempfile.TemporaryDirectory() as scratch:
        name = (_test.nodeid + "-" if _test else "") + getattr(kernel, "__name__", "kernel")
        folder = os.path.join(keep or _report or scratch, "%s-%s-%d" % (
            "".join(c if c.isalnum() or c in "._-" else "-" for c in name), dtype, seed))
        report = folder + "-report"
        for earlier in (folder, report):
            shutil.rmtree(earlier, ignore_errors=True)
        _run(["cases", folder, "--dtype", dtype, "--seed", str(seed)] + wishes)
        if _can_fork() if apart is None else apart:
            _run_apart(folder, kernel, time_limit)
        else:
            run_cases(folder, kernel)
        more = (["--class", declared] if declared else []) + (["--out", report] if keep or _report else [])
        verdicts = [Verdict(json.loads(line)) for line in _run(["judge", "--json", folder] + more).splitlines()]
        count = sum(file.endswith(".safetensors") and ".out." not in file for file in os.listdir(folder))
    if len({verdict["file"] for verdict in verdicts}) != count:
        raise RuntimeError("attncert judged %d of %d cases" % (len(verdicts), count))
    _note_properties(verdicts)
    if bad := [verdict for verdict in verdicts if verdict["verdict"] not in ("holds", "refused", "undecided")]:
        raise AssertionError("%d of %d cases\n%s" % (len(bad), len(verdicts), "\n".join(map(str, bad[:5]))))
    if not any(verdict.holds for verdict in verdicts):
        raise AssertionError("no case was judged: all were refused or undecided")
    return verdicts


_report = _test = None  # pytest's: the folder, and the test that runs


def _note_properties(verdicts):
    """What pytest writes beside the test case, into its XML."""
    note = _test.user_properties.append if _test else lambda _: None
    for name in sorted({verdict["verdict"] for verdict in verdicts}):
        note(("attncert " + name, sum(verdict["verdict"] == name for verdict in verdicts)))
    shares = [float(worst["of_bound"]) for verdict in verdicts for worst in verdict.get("worst", [])[:1]]
    note(("attncert largest share of the bound", max(shares, default=0.0)))


def pytest_addoption(parser):
    parser.addoption("--attncert-report", metavar="DIR", help="keep cases, outputs and reports of attncert's assertions")


def pytest_configure(config):
    global _report
    config.addinivalue_line("markers", "attncert: a kernel that attncert judges (for -m)")
    if _report := config.getoption("--attncert-report"):
        _report = os.path.join(os.path.abspath(_report), os.environ.get("PYTEST_XDIST_WORKER", ""))  # each its own
        os.makedirs(_report, exist_ok=True)


def pytest_pycollect_makeitem(collector, name, obj):
    import pytest
    certify = getattr(obj, "certify", None)
    own = getattr(obj, "__module__", None) == getattr(getattr(collector, "obj", None), "__name__", "")
    if own and isinstance(certify, functools.partial) and certify.func in (assert_attention, assert_normalizer):
        def test():
            certify()
        test.pytestmark = [pytest.mark.attncert] + getattr(obj, "pytestmark", [])
        return pytest.Function.from_parent(collector, name=name, callobj=test)


def pytest_runtest_setup(item):
    global _test
    _test = item
