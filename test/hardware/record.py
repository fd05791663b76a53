#!/usr/bin/env python3
"""Runs every case on an NVIDIA GPU and writes what the hardware answered.

usage: record.py OUT_FOLDER [--missing]      needs .cubins/FAMILY.cubin (see README.md)
--missing: only the cases that expected/ has no answer for.
Each family runs in its own process: a case that traps or hangs costs only itself.
Writes OUT_FOLDER/results.json and OUT_FOLDER/results.bin.
"""

import json
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import catalogue  # noqa: E402
import driver  # noqa: E402
import inputs  # noqa: E402

REPEATS = 3
MAX_FAILURES = 30  # restarts of one family
START_SECONDS = 60
STALL_SECONDS = 8


def outputBytes(spec):
    """Size of `out:u32[N]:FILE`."""
    return int(spec.split("[")[1].split("]")[0]) * 4


class Launch:
    """A case's arguments, bound to device memory."""

    def __init__(self, gpu, case, files):
        self.gpu, self.parameters, self.outputs, self.buffers = gpu, [], [], []
        for spec in case["args"]:
            kind, _, rest = spec.partition(":")
            if kind == "tmap":
                encoded = json.loads(rest)
                self.parameters.append(gpu.encode(encoded, self.buffer(encoded["tensor"], files)))
            elif kind in ("in", "out", "inout"):
                self.parameters.append(self.buffer(spec, files).to_bytes(8, "little"))
            elif kind == "zeros":
                self.buffers.append(gpu.upload(bytes(int(rest))))
                self.parameters.append(self.buffers[-1].to_bytes(8, "little"))
            elif kind == "i32":
                self.parameters.append((int(rest) & 0xFFFFFFFF).to_bytes(4, "little"))
            elif kind == "u64":
                self.parameters.append(int(rest).to_bytes(8, "little"))
            else:
                raise ValueError(f"unknown argument {spec}")

    def buffer(self, spec, files):
        kind, name = spec.split(":")[:2]
        data = b"\xff" * outputBytes(spec) if kind == "out" else files[name]
        address = self.gpu.upload(data)
        self.buffers.append(address)
        if kind != "in":
            self.outputs.append((address, len(data)))
        return address

    def results(self):
        return b"".join(self.gpu.download(*output) for output in self.outputs)

    def release(self):
        for address in self.buffers:
            self.gpu.free(address)


def runOnce(gpu, function, case, files):
    launch = Launch(gpu, case, files)
    gpu.launch(function, case, launch.parameters)
    data = launch.results()
    launch.release()
    return data


def worker(family, start, listPath):
    """Prints one line a case: index, then hex results or an error."""
    chosen = json.loads(pathlib.Path(listPath).read_text())
    cases = [case for case in chosen["cases"] if case["family"] == family]
    gpu = driver.Driver()
    module = gpu.load((HERE / ".cubins" / f"{family}.cubin").read_bytes())
    print("ready", flush=True)
    for index in range(start, len(cases)):
        case = cases[index]
        print(f"begin {index}", flush=True)
        try:
            files = {name: inputs.make(spec, chosen["values"])
                     for name, spec in case["files"].items()}
            function = gpu.function(module, case["entry"])
            runs = [runOnce(gpu, function, case, files) for _ in range(REPEATS)]
        except driver.DriverError as error:
            print(f"error {index} {error}", flush=True)
            if "EncodeTiled" in str(error) or "GetFunction" in str(error):
                continue
            return
        stable = all(run == runs[0] for run in runs)
        print(f"{'done' if stable else 'unstable'} {index} {runs[0].hex()}", flush=True)
    print("end", flush=True)


def superviseFamily(family, count, listPath):
    """Restarts the worker after the case that broke or stalled it."""
    answers, start, failures = {}, 0, 0
    while start < count and failures < MAX_FAILURES:
        process = subprocess.Popen(
            [sys.executable, __file__, "--worker", family, str(start), listPath],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        finished, current = False, start
        lines = iterate(process)
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "begin":
                current = int(rest)
            elif word in ("done", "unstable", "error"):
                index, _, payload = rest.partition(" ")
                answers[int(index)] = (word, payload)
            elif word == "end":
                finished = True
        if finished:
            break
        failures += 1
        trouble = process.stderr.read()[-300:] if process.poll() is not None else ""
        answers.setdefault(current, ("error", f"stalled or died {trouble}"))
        print(family, current, answers[current], flush=True)
        start = current + 1
    return answers


def iterate(process):
    """Lines of the worker's output; kills it after a silence."""
    import selectors
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    pending, started = b"", False
    handle = process.stdout.buffer.raw
    while True:
        if not selector.select(STALL_SECONDS if started else START_SECONDS):
            process.kill()
            process.wait()
            return
        chunk = handle.read(1 << 20)
        if not chunk:
            process.wait()
            yield from (pending.decode().splitlines())
            return
        started = True
        pending += chunk
        *whole, pending = pending.split(b"\n")
        for line in whole:
            yield line.decode()


def isStored(case, keys):
    name = f"{case['family']}/{case['name']}"
    path = HERE / "expected" / "index.json"
    stored = json.loads(path.read_text()) if path.exists() else {}
    return stored.get(name, {}).get("key") == keys[name]


def main():
    if sys.argv[1] == "--worker":
        worker(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        return
    out = pathlib.Path(sys.argv[1])
    chosen = catalogue.load()
    keys = catalogue.keys(chosen)
    if sys.argv[2:] == ["--missing"]:
        chosen["cases"] = [case for case in chosen["cases"] if not isStored(case, keys)]
    cases, listPath = chosen["cases"], str(out / "chosen.json")
    pathlib.Path(listPath).write_text(json.dumps(chosen))
    families = list(dict.fromkeys(case["family"] for case in cases))
    index, blob, began = [], bytearray(), time.time()
    for family in families:
        mine = [case for case in cases if case["family"] == family]
        answers = superviseFamily(family, len(mine), listPath)
        for position, case in enumerate(mine):
            word, payload = answers.get(position, ("error", "not run"))
            data = b"" if word == "error" else bytes.fromhex(payload)
            index.append({"family": family, "name": case["name"], "status": word,
                          "key": keys[f"{family}/{case['name']}"],
                          "error": payload if word == "error" else "", "offset": len(blob),
                          "bytes": len(data)})
            blob += data
        bad = [entry for entry in index if entry["family"] == family and entry["status"] != "done"]
        print(f"{time.time() - began:6.1f} s {family}: {len(mine)} cases, {len(bad)} not done",
              flush=True)
        for entry in bad:
            print("   ", entry["name"], entry["status"], entry["error"], flush=True)
        (out / "results.bin").write_bytes(blob)
        (out / "results.json").write_text(json.dumps(index))


if __name__ == "__main__":
    main()
