"""Writes the figures of a scripts/bench_gpu.sh log into the docs.

usage: bench_report.py LOG [PAGE.md PLOT.svg]
Replaces what stands between the page's bench markers, and draws the plot."""
import re
import sys

BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
PEERS = ("fa4-gen", "deterministic", "cudnn", "triton")
NAMES = {"fa4-gen": "fa4-gen", "deterministic": "fa4-gen, deterministic", "cudnn": "cuDNN", "triton": "Triton"}
COLORS = {"fa4-gen": "#d1495b", "deterministic": "#e9a03b", "cudnn": "#2e7d32", "triton": "#1565c0"}
OURS = re.compile(r"(deterministic )?(forward|backward) batch \d+, .*seqlen (\d+) x \d+, head dim (\d+), \w+,(.*?)scale .*?, ([\d.]+) TFLOP/s")
PEER = re.compile(r"(fwd|bwd) (cudnn|triton) d(\d+) (full|causal) (\d+) ([\d.]+)$")


def read(path):
    """The notes, and {(way, dim, mask): {peer: {seqlen: TFLOP/s}}}."""
    notes, figures = [], {}
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("# ") and line[2:] not in notes:
            notes.append(line[2:])
        if line.startswith("host time of a launch") and not any(n.startswith("host") for n in notes):
            notes.append(line)
        if found := OURS.match(line):
            form, way, seqlen, dim, words, rate = found.groups()
            key = ("fwd" if way == "forward" else "bwd", int(dim), "causal" if "causal" in words else "full")
            peer = "deterministic" if form else "fa4-gen"
        elif found := PEER.match(line):
            way, peer, dim, mask, seqlen, rate = found.groups()
            key = (way, int(dim), mask)
        else:
            continue
        figures.setdefault(key, {}).setdefault(peer, {})[int(seqlen)] = float(rate)
    return notes, figures


def short(seqlen):
    return f"{seqlen // 1024}k" if seqlen % 1024 == 0 else str(seqlen)


def table(notes, figures):
    lines = ["bf16, 16 heads, 16k tokens (batch x seqlen), medians of 30 launches by events. TFLOP/s.", ""]
    for key, peers in figures.items():
        lengths = sorted({s for rates in peers.values() for s in rates})
        way = "forward" if key[0] == "fwd" else "backward"
        lines += [f"| {way}, d {key[1]}, {key[2]} | " + " | ".join(map(short, lengths)) + " |",
                  "| --- |" + " --- |" * len(lengths)]
        for peer in PEERS:
            if peer in peers:
                rates = [f"{peers[peer][s]:.0f}" if s in peers[peer] else "" for s in lengths]
                lines.append(f"| {NAMES[peer]} | " + " | ".join(rates) + " |")
        lines.append("")
    return "\n".join(lines + [f"- {note}" for note in notes])


def panel(key, peers, x0, y0, width, height, top):
    lengths = sorted({s for rates in peers.values() for s in rates})
    place = lambda i, rate: (x0 + width * i / max(1, len(lengths) - 1), y0 + height * (1 - rate / top))
    way = "forward" if key[0] == "fwd" else "backward"
    parts = [f'<text x="{x0}" y="{y0 - 10}" font-weight="bold">{way}, d {key[1]}, {key[2]}</text>']
    for rate in range(0, top + 1, 200):
        y = place(0, rate)[1]
        parts.append(f'<line x1="{x0}" y1="{y:.1f}" x2="{x0 + width}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{rate}</text>')
    for i, seqlen in enumerate(lengths):
        parts.append(f'<text x="{place(i, 0)[0]:.1f}" y="{y0 + height + 16}" text-anchor="middle">{short(seqlen)}</text>')
    for peer in PEERS:
        points = [place(i, peers[peer][s]) for i, s in enumerate(lengths) if s in peers.get(peer, {})]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLORS[peer]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLORS[peer]}"/>' for x, y in points]
    return parts


def plot(figures):
    width, height, left, gap = 300, 180, 50, 70
    top = 200 * (1 + int(max(r for p in figures.values() for rates in p.values() for r in rates.values())) // 200)
    parts = []
    for i, (key, peers) in enumerate(figures.items()):
        parts += panel(key, peers, left + i % 2 * (width + gap), 60 + i // 2 * (height + gap), width, height, top)
    for i, peer in enumerate(PEERS):
        parts.append(f'<text x="{left + 110 * i}" y="20" fill="{COLORS[peer]}" font-weight="bold">{NAMES[peer]}</text>')
    parts.append(f'<text x="{left + 330}" y="20">TFLOP/s by seqlen</text>')
    rows = (len(figures) + 1) // 2
    size = (2 * (width + gap) + left, 60 + rows * (height + gap))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" font-family="sans-serif" '
            f'font-size="12"><rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    log = sys.argv[1]
    page, picture = sys.argv[2:] or ("kernels/attention/hopper.md", "kernels/attention/hopper.svg")
    notes, figures = read(log)
    text = open(page, encoding="utf-8").read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(page, "w", encoding="utf-8") as out:
        out.write(before + BEGIN + "\n" + table(notes, figures) + "\n" + END + after)
    with open(picture, "w", encoding="utf-8") as out:
        out.write(plot(figures))


main()
