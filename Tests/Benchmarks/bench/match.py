"""match: times a daemon's match of items, from the question on a socket to the last page of the answer.

The client follows docs/protocol.md and does not use the project's kits.
"""

import json
import plistlib
import socket
import struct
import subprocess
import time

HELLO, WELCOME, MATCH, OFFERS = 0x01, 0x81, 0x334, 0x3B4
ITEMS = [[["public.jpeg"], ["public.url"]]]


class Control:
    def __init__(self, path):
        # A client for one question: its window holds the whole answer, so it returns no credit.
        self.door, self.serial = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET), 0
        self.door.connect(path)
        self.send(
            HELLO,
            {
                "minimum": "1.1",
                "maximum": "1.1",
                "role": "control",
                "sdk": "benchmark",
                "limits": {"packets": 1024, "bytes": 1 << 23},
            },
        )
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


def answers(daemon, folder, count, rounds):
    """Returns the milliseconds of `rounds` questions.

    The first question is excluded, because the daemon reads and compiles every rule for it.
    """
    process = subprocess.Popen(
        [daemon, "--ephemeral", "--log-level", "critical", "--applications", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        place = json.loads(process.stdout.readline())["socket"]
        found = Control(place).match()[1]
        if found != count:
            raise ValueError(f"{found} of {count} extensions answered")
        return [Control(place).match()[0] for _ in range(rounds)]
    finally:
        process.stdin.close()
        process.wait()
