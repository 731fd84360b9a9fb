# SPDX-License-Identifier: MIT
"""Cases of a folder or a pipe, which a kernel is run on: in this process, or in others that may end."""
import faulthandler
import json
import os
import re
import signal
import sys
import time

from .tensors import file_of, replace, tensors_of


def run_cases(folder, kernel):
    """Runs `kernel` on every case of the folder that has no output yet: `kernel(case)` returns o, or (o, lse), or a
    dictionary of tensors by name, which has some of dq, dk, dv and dsinks where the case has do; or it raises
    NotImplementedError, which declines the case. `case` has q, k, v, and what else there is of mask, bias, sinks, slopes,
    lengths and do (Array or None) and settings, as attributes. Of rows it returns the weights, in the logits' shape,
    or the gradient where the case has upstream; `case` has logits, mask (of the logits' shape, or of one row for all),
    temperature and row_stride: so many elements the rows are to be apart where the kernel reads and writes them."""
    for out in _waiting(folder):
        with open(out + ".safetensors", "rb") as file:
            what, result = _outcome(kernel, file.read())
        if what == "done":
            replace(out + ".out.safetensors", result)
        else:
            _note("%s.%s" % (out, what), result)


def _outcome(kernel, file):
    """"done" and the bytes of the outputs' file, or "refused" or "failed" and why."""
    try:
        tensors, settings = tensors_of(file)
        result = kernel(Case(tensors, settings))
        for name, given in tensors_of(file)[0].items():
            if tensors[name].data != given.data:
                return "failed", "wrote into its input %s" % name
        if "logits" in tensors:
            result = {"gradient" if "upstream" in tensors else "weights": result}
        elif not isinstance(result, dict):
            result = result if isinstance(result, tuple) else (result,)
            if len(result) > 2:
                raise TypeError("a tuple of %d: return o, (o, lse), or a dictionary by name" % len(result))
            result = dict(zip(("o", "lse"), result))
        return "done", file_of(result)
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


def run_apart(folder, kernel, limit):
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


def can_fork():
    """Threads of OpenMP and the drivers of GPUs do not live on in a forked process, which would wait for them."""
    if not os.path.exists("/proc/self/maps"):
        return False
    with open("/proc/self/maps") as file:
        return not re.search("lib(gomp|omp|iomp5|cuda|amdhip64|ze_loader)[.-]", file.read())


def _note(path, text):
    replace(path, (text.replace("\n", " ") + "\n").encode())


class Case:
    def __init__(self, tensors, settings):
        self.mask = self.bias = self.sinks = self.slopes = self.lengths = self.do = self.upstream = None
        self.k_scale = self.v_scale = None
        self.__dict__.update(tensors)
        self.settings = settings
        self.scale, self.temperature = (float(settings.get(name, 1)) for name in ("scale", "temperature"))
        self.causal = "causal" in settings
        if "logits" in tensors:
            self.row_stride = int(settings.get("row-stride", self.logits.shape[-1]))
        if "q" in tensors:  # the diagonal of query i is at key i + causal_offset, for windows and slopes too
            self.causal_offset = 0 if settings.get("causal") == "top-left" else self.k.shape[2] - self.q.shape[2]
        self.window = int(settings["window"]) if "window" in settings else None
        self.window_after = int(settings["window-after"]) if "window-after" in settings else None
        self.softcap = float(settings["softcap"]) if "softcap" in settings else None
        self.group = settings.get("group")
