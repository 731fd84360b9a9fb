# SPDX-License-Identifier: MIT
"""Arrays of whatever kind, and the safetensors files that hold them."""
import ctypes
import json
import math
import os
import struct

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


def file_of(tensors, settings=None):
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


def tensors_of(file):
    """Tensors and settings of the bytes of such a file."""
    (length,) = struct.unpack("<Q", file[:8])
    header, data = json.loads(file[8:8 + length]), file[8 + length:]
    settings = header.pop("__metadata__", {})
    return {name: Array(entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
            for name, entry in header.items()}, settings


def write(path, tensors, settings=None):
    """Writes a safetensors file: arrays by name, and texts (docs/dumps.md). Nothing is left half-written."""
    replace(path, file_of(tensors, settings))


def replace(path, data):
    with open(path + ".partial", "wb") as file:
        file.write(data)
    os.replace(path + ".partial", path)


def read(path):
    """Tensors (Array by name) and settings of a safetensors file."""
    with open(path, "rb") as file:
        return tensors_of(file.read())
