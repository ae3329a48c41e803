#!/usr/bin/python3
# groupsteps: kills a member of an app group that sets a value, before or after each of its calls on a file.
"""groupsteps.py MEMBER FOLDER SIZE; prints a line of JSON for each run, with faults in `wrong`.

MEMBER is the test's program. Each run has a fresh container with one value in FOLDER. A second process then checks that
the value is the old one or the new one, complete, and sets another.
"""

import json
import os
import plistlib
import shutil
import signal
import subprocess
import sys

import stepper

GROUP = "group.org.example.steps"
CALLS = {
    "x86_64": {
        257: "openat",
        83: "mkdir",
        258: "mkdirat",
        263: "unlinkat",
        18: "pwrite",
        264: "renameat",
        72: "fcntl",
        3: "close",
    },
    "aarch64": {56: "openat", 34: "mkdirat", 35: "unlinkat", 68: "pwrite", 38: "renameat", 25: "fcntl", 57: "close"},
}
LIMIT = 120  # seconds, the limit of a run


class Member:
    def __init__(self, program, folder):
        environment = dict(os.environ, EXTHOST_GROUP_CONTAINERS=folder, EXTHOST_APP_GROUPS=GROUP, HOME=folder)
        self.process = subprocess.Popen(
            [program, GROUP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
        )
        assert self.answer() == "ready"

    def answer(self):
        return self.process.stdout.readline().strip()

    def ask(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self):
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def run(program, folder, old, size, at, when):
    """Kills a writer at one call. Returns the stepper's record and the faults."""
    new = "b" * size
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    wrong = []
    if old is not None:
        first = Member(program, folder)
        first.ask("fill", "value", "a", str(size))
        first.end()
    writer = Member(program, folder)
    steps = stepper.Stepper(writer.process.pid, at, when, CALLS)
    # The line is short, because a stopped process does not read.
    writer.process.stdin.write(f"fill value b {size}\n")
    writer.process.stdin.flush()
    # Follows it until it has answered or is dead.
    os.set_blocking(writer.process.stdout.fileno(), False)
    acknowledged = b""
    while True:
        child, status = os.waitpid(-1, stepper.WALL)
        steps.stopped(child, status)
        if child == writer.process.pid and (os.WIFEXITED(status) or os.WIFSIGNALED(status)):
            writer.process.returncode = -9
            break
        try:
            acknowledged += os.read(writer.process.stdout.fileno(), 100)
        except BlockingIOError:
            pass
        if b"done" in acknowledged and steps.hit is None:
            os.kill(writer.process.pid, signal.SIGKILL)
    writer.process.stdin.close()
    writer.process.stdout.close()
    second = Member(program, folder)
    found = second.ask("get", "value")
    allowed = [new] if b"done" in acknowledged else [old or "nothing", new]
    if found not in allowed:
        wrong.append(f"“{found[:20]}” was found, acknowledged: {acknowledged!r}")
    second.ask("set", "after", "x")
    if second.ask("keep") != "true":
        wrong.append("the next writer could not write")
    second.end()
    preferences = f"{folder}/{GROUP}/Library/Preferences"
    with open(f"{preferences}/{GROUP}.plist", "rb") as file:
        values = plistlib.load(file)
    if values.get("after") != "x":
        wrong.append("the next writer's value is not there")
    rest = set(os.listdir(preferences)) - {f"{GROUP}.plist", f".{GROUP}.plist.lock"}
    if rest:
        wrong.append(f"left over: {sorted(rest)}")
    return steps, wrong


def main():
    program, folder, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    for name, old in [("first", None), ("changed", "a" * size)]:
        for when in ("before", "after"):
            at = 1
            while True:
                signal.alarm(LIMIT)
                steps, wrong = run(program, folder + "/run", old, size, at, when)
                signal.alarm(0)
                print(
                    json.dumps({"what": name, "call": at, "when": when, "hit": steps.hit, "wrong": wrong}), flush=True
                )
                if steps.hit is None:
                    break
                at += 1


main()
