#!/usr/bin/env bash
# Medians of what a user waits for: generating a kernel (whole process), ptxas,
# and the emulator on 1 x 1 x 1024 x 1024, d 128 (process start excluded).
# usage: scripts/bench.sh [RUNS]   needs a finished build/
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - "${FA4_BUILD:-build}" "${1:-7}" <<'PY'
import json, os, re, resource, shutil, statistics, subprocess, sys, tempfile, time

build, runs = sys.argv[1], int(sys.argv[2])
gen = [build + "/bin/fa4-gen", "emit"]
run = [build + "/bin/fa4-run", "fwd", "--batch", "1", "--heads", "1", "--kv-heads", "1",
       "--seqlen-q", "1024", "--seqlen-k", "1024", "--head-dim", "128",
       "--kernels", build + "/kernels", "--device", "emulator"]


def wall(command):
    """Wall seconds, peak MiB, standard output and CPU seconds of one run."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, text, usage.ru_utime + usage.ru_stime


def repeat(label, command, seconds=lambda wall, text: wall):
    results = [wall(command) for _ in range(runs)]
    median = statistics.median(seconds(r[0], r[2]) for r in results)
    cpu = statistics.median(r[3] for r in results)
    peak = max(r[1] for r in results)
    print(f"{label:<44} {median:7.3f} s   process CPU {cpu:7.3f} s   peak {peak:5.0f} MiB", flush=True)


def own_time(wall, text):
    """What the tool says the launch took, without its start."""
    found = re.search(r"on emulator: grid [0-9x]+, ([0-9.]+) s", text)
    return float(found.group(1)) if found else wall


with tempfile.TemporaryDirectory() as folder:
    kernels = [k["name"] for k in json.loads(wall([gen[0], "list", "--json"])[2])]
    variants = [["fa4_fwd"], ["fa4_fwd", "--causal"]]
    if "fa4_bwd" in kernels:
        variants += [["fa4_bwd"]]
    ptxas = shutil.which("ptxas", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
    for variant in variants:
        ptx = folder + "/k.ptx"
        label = " ".join(variant)
        repeat(f"fa4-gen emit {label} --emit=ptx", gen + variant + ["-o", ptx])
        if ptxas:
            repeat(f"ptxas {label}", [ptxas, "-arch=sm_100a", "-O3", ptx, "-o", folder + "/k.cubin"])
if os.access(run[0], os.X_OK):
    repeat("emulated forward, no checks", run + ["--checks", "none"], own_time)
    repeat("emulated forward, all checks", run + ["--checks", "all"], own_time)
PY
