# SPDX-License-Identifier: MIT
"""The program, and what it says of what was computed."""
import json
import os
import shutil
import subprocess
import tempfile

from .tensors import write


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


def run_program(arguments):
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
    are given. `settings` are those of `attncert judge`: layout, scale, causal, diagonal, window, window_after, softcap,
    lse_base, class_ (class is a word of Python's)."""
    settings = {name.rstrip("_"): value for name, value in settings.items() if value is not None and value is not False}
    tensors = dict(q=q, k=k, v=v, o=o, lse=lse, mask=mask, bias=bias, sinks=sinks, slopes=slopes, lengths=lengths,
                   do=do, dq=dq, dk=dk, dv=dv, dsinks=dsinks)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump.safetensors")
        write(path, tensors, settings)
        verdict = Verdict(json.loads(run_program(["judge", "--json", path])))
    if verdict["verdict"] == "cannot be read":
        raise ValueError(verdict["why"])
    return verdict
