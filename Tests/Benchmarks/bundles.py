#!/usr/bin/env python3
"""What a thousand bundles cost a daemon, beside the least that can be asked: bundles.py EXTHOSTD [COUNT]

Starts the daemon without any bundle, with COUNT of them and with an index of them, and in turn with these, on the same folders, what
Bundles/peers.c does; then the rules, beside the sketch of Rules/MatchSketch.swift. What a daemon takes without a bundle is taken off.
Each figure is the best of its rounds: the work of others only adds. Prints a table in Markdown, of clock and processor: on the clock
the threads of a start run beside each other. Needs a C compiler and libplist-dev.
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROUNDS = 10
PLACE = pathlib.Path(__file__).resolve().parent


def load_start():
    spec = importlib.util.spec_from_file_location("start", PLACE / "start.py")
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    return start


def build(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libplist-2.0"], capture_output=True, text=True)
    if flags.returncode:
        raise SystemExit("bundles.py: libplist is missing; install libplist-dev")
    program = folder / "peers"
    subprocess.run(["cc", "-O2", "-o", program, PLACE / "Bundles/peers.c", *flags.stdout.split()], check=True)
    return program


def peers(program, apps):
    """Milliseconds of each pass, at best: on the clock, and on the processor."""
    text = subprocess.run([program, apps, "5"], check=True, capture_output=True, text=True).stdout
    return {name: (float(clock), float(run)) for name, clock, run, _ in (line.split() for line in text.splitlines())}


def least(figures, name, value):
    figures[name] = tuple(map(min, zip(figures[name], value))) if name in figures else value


def measure(daemon, program, count, each):
    start = load_start()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="exthost-bundles-"))
    figures = {}
    try:
        for name, bundles in ("none", 0), ("all", count):
            (folder / name / "apps").mkdir(parents=True)
            start.make(folder / name / "apps", bundles, each)
            # The index is whole when nothing in it was written a moment ago.
            for _ in range(2):
                start.start(daemon, folder / name, folder / name / "apps", folder / name / "state")
        for _ in range(ROUNDS):
            for name in "none", "all":
                place = folder / name
                least(figures, f"{name} read", start.start(daemon, place, place / "apps"))
                least(figures, f"{name} index", start.start(daemon, place, place / "apps", place / "state", settles=False))
            for name, milliseconds in peers(program, folder / "all" / "apps").items():
                least(figures, name, milliseconds)
    finally:
        shutil.rmtree(folder)
    return figures


def rules():
    text = subprocess.run([PLACE / "Rules/run", "rules"], check=True, capture_output=True, text=True).stdout
    return [float(re.search(rf"^{name}\.match\.1000\.min (\S+)", text, re.M)[1]) for name in ("rules", "sketch")]


def row(what, ours, limit, target, unit="ms"):
    print(f"| {what} | {ours:.2f} {unit} | {limit:.2f} {unit} | {ours / limit:.2f} | {target} |", flush=True)


def main():
    daemon, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    folder = pathlib.Path(tempfile.mkdtemp(prefix="exthost-peers-"))
    try:
        program = build(folder)
        print("| what | ours | limit | ratio | target |\n| --- | --- | --- | --- | --- |")
        for each, layout in (4, "four in an app"), (count, "all in one app"):
            figures = measure(daemon, program, count, each)
            for kind, limit, target in ("index", "stat", 3), ("read", "libplist", 1.5):
                for place, by in enumerate(("clock", "processor")):
                    ours = figures[f"all {kind}"][place] - figures[f"none {kind}"][place]
                    name = {"index": "start with an index", "read": "start without"}[kind]
                    row(f"{name}, {count} bundles, {layout}, {by}", ours, figures[limit][place], f"≤ {target}")
        ours, sketch = rules()
        row("which of 1000 rules accept", ours, sketch, "≤ 2", "µs")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
