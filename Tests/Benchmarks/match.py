#!/usr/bin/env python3
"""How long a daemon takes to say which of its extensions accept some items: match.py EXTHOSTD [COUNT…]

From the question on a socket to the last page of the answer, in milliseconds, for each number of bundles: the first question, which
reads and compiles every rule, then the best and the median of many. Bundles are those of start.py. Ends with status 1 where 1,000
extensions take longer than LIMIT at best: the work of others only adds. Written from docs/protocol.md, without the project's kits.
"""

import importlib.util
import json
import pathlib
import plistlib
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

LIMIT = 50.0  # milliseconds, for 1,000 extensions: half of what a person takes for at once, the rest left for drawing
ROUNDS = 50
HELLO, WELCOME, MATCH, OFFERS = 0x01, 0x81, 0x334, 0x3B4
ITEMS = [[["public.jpeg"], ["public.url"]]]


class Control:
    def __init__(self, path):
        # For one question each: its window holds the answer, and nothing has to be given back.
        self.door, self.serial = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET), 0
        self.door.connect(path)
        self.send(HELLO, {"minimum": "1.1", "maximum": "1.1", "role": "control", "sdk": "benchmark",
                          "limits": {"packets": 1024, "bytes": 1 << 23}})
        assert self.receive(WELCOME)["version"] == "1.1"

    def send(self, kind, body):
        self.serial += 1
        data = plistlib.dumps(body, fmt=plistlib.FMT_BINARY)
        self.door.send(struct.pack("<HHIII", kind, 0, len(data), self.serial, 0) + data)

    def receive(self, wanted):
        while True:
            data = self.door.recv(16 + 65536)
            kind = struct.unpack("<H", data[:2])[0]
            body = plistlib.loads(data[16:])
            if kind == wanted:
                return body
            if kind == 0xFF:
                raise SystemExit(body)

    def match(self):
        found, began = 0, time.perf_counter()
        while True:
            self.send(MATCH, {"attachments": ITEMS, "offset": found})
            page = self.receive(OFFERS)
            found += len(page["items"])
            if not page["items"] or found >= page["count"]:
                return (time.perf_counter() - began) * 1000, found


def main():
    place = pathlib.Path(__file__).with_name("start.py")
    spec = importlib.util.spec_from_file_location("start", place)
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    daemon, counts = sys.argv[1], [int(text) for text in sys.argv[2:]] or [10, 100, 1000, 10_000]
    tooSlow = False
    print("bundles     first      best    median      (ms from the question to the last page)")
    for count in counts:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="exthost-match-"))
        try:
            start.make(folder, count)
            process = subprocess.Popen([daemon, "--ephemeral", "--log-level", "critical", "--applications", str(folder)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            place = json.loads(process.stdout.readline())["socket"]
            first, found = Control(place).match()
            assert found == count, f"{found} of {count} extensions answered"
            later = [Control(place).match()[0] for _ in range(ROUNDS if count < 5000 else 10)]
            process.stdin.close()
            process.wait()
            median = statistics.median(later)
            tooSlow = tooSlow or (count == 1000 and min(later) > LIMIT)
            print(f"{count:7}   {first:7.1f}   {min(later):7.1f}   {median:7.1f}", flush=True)
        finally:
            shutil.rmtree(folder)
    if tooSlow:
        raise SystemExit(f"1,000 extensions take longer than {LIMIT} ms")


main()
