"""ephemeral: times a private daemon from its start to its first answer, beside a private dbus-daemon.

The same process starts both in the same way: a new process with a pipe for its greeting, then a connection to the
address in that line, and one question. Our first answer is the welcome, then a fence. That of dbus-daemon is the
authentication, then Hello. The unit is milliseconds. Our daemon ends with its standard input, and leaves nothing.

`ephemeral.py EXTHOSTD` is a check for Scripts/test --long. Its exit status is 1 if the median answer takes 15 ms or
longer, or the best of 64 at once a second.
"""

import json
import os
import pathlib
import plistlib
import socket
import statistics
import struct
import subprocess
import sys
import time

HEADER = struct.Struct("<HHIII")
TOGETHER = 64
# The bounds of the check in milliseconds.
LONGEST, LONGEST_TOGETHER = 15, 1000


def packet(kind, body, serial):
    data = plistlib.dumps(body, fmt=plistlib.FMT_BINARY)
    return HEADER.pack(kind, 0, len(data), serial, 0) + data


class Ours:
    name = "exthostd --ephemeral"

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "--ephemeral", "--applications", "/nonexistent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def answer(self):
        greeting = json.loads(self.process.stdout.readline())
        self.greeted = time.perf_counter()
        self.folder = pathlib.Path(greeting["socket"]).parent
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.connect(greeting["socket"])
            connection.send(
                packet(
                    0x0001,
                    {
                        "minimum": "1.0",
                        "maximum": "1.1",
                        "role": "control",
                        "sdk": "bench",
                        "limits": {"packets": 64, "bytes": 524288},
                    },
                    1,
                )
            )
            assert HEADER.unpack_from(connection.recv(65536))[0] == 0x0081
            connection.send(packet(0x0002, {}, 2))
            while HEADER.unpack_from(connection.recv(65536))[0] != 0x0082:
                pass

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(30) == 0
        self.process.stdout.close()
        assert not self.folder.exists(), self.folder


class Bus:
    name = "dbus-daemon --session"

    def __init__(self, _):
        self.process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", "--address=unix:tmpdir=/tmp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def answer(self):
        address = self.process.stdout.readline().decode()
        self.greeted = time.perf_counter()
        part = dict(pair.split("=", 1) for pair in address.strip().split(":", 1)[1].split(","))
        path = "\0" + part["abstract"] if "abstract" in part else part["path"]
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(path)
            connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
            assert connection.recv(4096).startswith(b"OK")
            connection.sendall(b"BEGIN\r\n" + self.hello())
            assert connection.recv(4096)[1] == 2

    @staticmethod
    def hello():
        """Returns the call of org.freedesktop.DBus.Hello."""

        def field(code, signature, text):
            data = text.encode()
            return struct.pack("<B", code) + b"\x01" + signature + b"\0" + struct.pack("<I", len(data)) + data + b"\0"

        fields = b""
        for entry in [
            (1, b"o", "/org/freedesktop/DBus"),
            (6, b"s", "org.freedesktop.DBus"),
            (2, b"s", "org.freedesktop.DBus"),
            (3, b"s", "Hello"),
        ]:
            fields += b"\0" * (-len(fields) % 8) + field(*entry)
        head = struct.pack("<cBBBIII", b"l", 1, 0, 1, 0, 1, len(fields)) + fields
        return head + b"\0" * (-len(head) % 8)

    def end(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()


def one(kind, program):
    began = time.perf_counter()
    daemon = kind(program)
    daemon.answer()
    answered = time.perf_counter()
    daemon.end()
    return (daemon.greeted - began) * 1000, (answered - began) * 1000


def together(kind, program):
    began = time.perf_counter()
    daemons = [kind(program) for _ in range(TOGETHER)]
    for daemon in daemons:
        daemon.answer()
    taken = (time.perf_counter() - began) * 1000
    for daemon in daemons:
        daemon.end()
    return taken


def check(program, rounds=40):
    """Returns why a private daemon is too slow; empty if it is not."""
    median = statistics.median(one(Ours, program)[1] for _ in range(rounds))
    best = min(together(Ours, program) for _ in range(5))
    if median >= LONGEST or best >= LONGEST_TOGETHER:
        return (
            f"too slow: {median:.1f} ms for one and {best:.0f} ms for {TOGETHER} at once, "
            f"where {LONGEST} ms and {LONGEST_TOGETHER} ms are the bounds"
        )
    return None


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
