"""The few CUDA driver calls that the recorder needs, through ctypes."""

import ctypes
from ctypes import (POINTER, Structure, byref, c_char, c_char_p, c_int, c_size_t, c_ubyte,
                    c_uint, c_uint32, c_uint64, c_void_p)

DTYPES = {name: code for code, name in enumerate(
    "u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32ftz tf32 tf32ftz".split())}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
MAX_DYNAMIC_SHARED = 8
NON_PORTABLE_CLUSTER = 14
CLUSTER_DIMENSION = 4


class Attribute(Structure):
    _fields_ = [("id", c_uint), ("pad", c_uint), ("value", c_uint * 16)]


class Config(Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint),
                ("stream", c_void_p), ("attributes", POINTER(Attribute)), ("count", c_uint)]


class DriverError(Exception):
    pass


class Driver:
    """One context on device 0."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", c_uint(0))
        device, self.context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), c_int(0))
        self.call("cuDevicePrimaryCtxRetain", byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *args):
        code = getattr(self.cuda, name)(*args)
        if code:
            text = c_char_p()
            self.cuda.cuGetErrorName(code, byref(text))
            raise DriverError(f"{name}: {(text.value or b'?').decode()}")

    def load(self, image):
        module = c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(image))
        return module

    def function(self, module, name):
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module, c_char_p(name.encode()))
        return function

    def upload(self, data, margin=256):
        """A fresh buffer with poisoned margins on both sides; returns the data's address."""
        pointer = c_uint64()
        size = margin * 2 + len(data)
        self.call("cuMemAlloc_v2", byref(pointer), c_size_t(size))
        self.call("cuMemsetD8_v2", pointer, c_ubyte(0xFF), c_size_t(size))
        self.call("cuMemcpyHtoD_v2", c_uint64(pointer.value + margin), c_char_p(bytes(data)),
                  c_size_t(len(data)))
        return pointer.value + margin

    def download(self, address, size):
        data = (c_char * size)()
        self.call("cuMemcpyDtoH_v2", data, c_uint64(address), c_size_t(size))
        return bytes(data)

    def free(self, address, margin=256):
        self.call("cuMemFree_v2", c_uint64(address - margin))

    def encode(self, spec, address):
        """A 128-byte tensor map, 64-byte aligned, from the argument of a `tmap:` SPEC."""
        raw = (c_ubyte * 192)()
        start = -(-ctypes.addressof(raw) // 64) * 64
        rank = len(spec["dims"])
        self.call("cuTensorMapEncodeTiled", c_void_p(start), c_int(DTYPES[spec["dtype"]]),
                  c_uint32(rank), c_void_p(address), (c_uint64 * rank)(*spec["dims"]),
                  (c_uint64 * 5)(*spec["strides"]), (c_uint32 * rank)(*spec["box"]),
                  (c_uint32 * rank)(*spec["elementStrides"]), c_int(0),
                  c_int(SWIZZLES[spec["swizzle"]]), c_int(0),
                  c_int({"zero": 0, "nan": 1}[spec["oobFill"]]))
        return ctypes.string_at(start, 128)

    def launch(self, function, case, parameters):
        """Launches and waits; `parameters` are the bytes of each kernel parameter."""
        if case["shared"] > 48 * 1024:
            self.call("cuFuncSetAttribute", function, c_int(MAX_DYNAMIC_SHARED),
                      c_int(case["shared"]))
        holders = []
        for data in parameters:
            raw = (c_ubyte * (len(data) + 64))()
            start = -(-ctypes.addressof(raw) // 64) * 64
            ctypes.memmove(start, data, len(data))
            holders.append((raw, start))
        pointers = (c_void_p * max(1, len(holders)))(*[start for _, start in holders])
        config = Config(shared=case["shared"])
        config.grid[:], config.block[:] = case["grid"], case["block"]
        attribute = Attribute(id=CLUSTER_DIMENSION)
        attribute.value[0:3] = case["cluster"]
        if case["cluster"] != [1, 1, 1]:
            config.attributes, config.count = ctypes.pointer(attribute), 1
        self.call("cuLaunchKernelEx", byref(config), function, pointers, None)
        self.call("cuCtxSynchronize")
