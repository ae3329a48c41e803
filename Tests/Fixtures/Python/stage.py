#!/usr/bin/env python3
# stage: an extension that stops at the point of its life in its name, and fails there.
"""It prints a line at that point. SIGUSR1 closes its socket, SIGHUP exits with status 3.

It follows docs/protocol.md without the project's kits. At every point but `terminating` it obeys `terminate`.
"""

import os
import plistlib
import signal
import socket
import struct
import sys

HELLO, FENCE, FENCE_REPLY, ACKNOWLEDGE, WELCOME = 0x01, 0x02, 0x82, 0x04, 0x81
DELIVER, EXPIRED, TERMINATE, COMPLETE, LOAD, LOADED = 0x201, 0x204, 0x205, 0x211, 0x221, 0x2A1
CALL, CALLED = 0x261, 0x2E1
ANSWERING = {"answered", "handler", "expired", "idle", "terminating"}
WORKING = {"handler", "expired"}

point = os.path.basename(sys.argv[0])
door = socket.socket(fileno=int(os.environ["EXTHOST_EXTENSION_FD"]))
serial = 0


def say(line):
    os.write(1, line.encode() + b"\n")


def send(kind, body, answers=0):
    global serial
    serial += 1
    data = plistlib.dumps(body, fmt=plistlib.FMT_BINARY)
    door.send(struct.pack("<HHIII", kind, 0, len(data), serial, answers) + data)


def receive():
    """Returns the next packet's kind, serial and body."""
    data = door.recv(16 + 65536)
    if not data:
        os._exit(0)  # the daemon has gone
    kind, _, _, number, _ = struct.unpack("<HHIII", data[:16])
    return kind, number, plistlib.loads(data[16:])


def forever():
    while True:
        signal.pause()


def close(*_):
    door.close()
    say("closed")
    forever()


def main():
    signal.alarm(600)  # a safety limit
    signal.signal(signal.SIGUSR1, close)
    signal.signal(signal.SIGHUP, lambda *_: os._exit(3))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
    door.setblocking(True)
    if point == "launching":
        say(point)
        forever()
    if point == "ready":
        say("launching")
        signal.sigwait([signal.SIGWINCH])  # waits until its only request has been given up
    window = {"packets": 64, "bytes": 524288}
    send(HELLO, {"minimum": "1.0", "maximum": "1.2", "role": "extension", "sdk": "stage", "limits": window})
    deliveries = 0
    while True:
        kind, number, body = receive()
        if kind == FENCE:
            send(FENCE_REPLY, {}, answers=number)
        elif kind == WELCOME and point == "ready":
            say(point)
        elif kind == DELIVER:
            deliveries += 1
            if point in ANSWERING:
                items = plistlib.dumps([], fmt=plistlib.FMT_BINARY)
                send(COMPLETE, {"request": body["request"], "work": point in WORKING, "payload": items})
            elif point in ("loadOpen", "loadAnswered"):
                send(LOAD, {"request": body["request"], "provider": 1, "type": "public.url"})
            elif point in ("call", "called"):
                pass  # waits for its host's call
            elif deliveries == (2 if point == "two" else 1):
                say(point)
        elif kind == CALL:
            if point == "called":
                send(CALLED, {"payload": plistlib.dumps({"value": {}}, fmt=plistlib.FMT_BINARY)}, answers=number)
            say(point)
        elif (
            (kind == LOADED and point == "loadAnswered")
            or (kind == ACKNOWLEDGE and point in ("handler", "idle"))
            or (kind == EXPIRED and point == "expired")
        ):
            say(point)
        elif kind == TERMINATE:
            if point != "terminating":
                os._exit(0)
            say(point)


main()
