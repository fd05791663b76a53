"""Fails where a README's code is not what the named file says.

An excerpt is a fenced block after `<!-- excerpt: PATH -->`; its lines must
stand in PATH in this order without a gap, apart from indentation.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
excerpt = re.compile(r"<!-- excerpt: (\S+) -->\n```\w*\n(.*?)```", re.S)


def normal(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


found, wrong = 0, 0
for page in root.glob("**/*.md"):
    if "build" in page.relative_to(root).parts[0]:
        continue
    for path, code in excerpt.findall(page.read_text()):
        found += 1
        if normal(code) not in normal((root / path).read_text()):
            wrong += 1
            print(f"{page.relative_to(root)}: excerpt differs from {path}")
print(f"{found} excerpts, {wrong} wrong")
sys.exit(wrong or not found)
