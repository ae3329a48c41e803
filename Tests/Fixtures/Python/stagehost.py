#!/usr/bin/env python3
# stagehost: a host that obeys lines on its standard input, and prints every packet about its requests.
"""stagehost.py NAME [silent], with EXTHOST_SOCKET; from docs/protocol.md alone.

    begin REQUEST EXTENSION     with a time limit of 30 s and one attachment
    cancel REQUEST              `said N CODE` of the Nth question, 0 for success
    state NAME                  `said N CODE`
    answer REQUEST              the load that waits
    call REQUEST NAME           without arguments
    acknowledge REQUEST         of a silent host, which does not do so by itself
    fence                       `said N 0` when the daemon has read all that came before

It prints `begun REQUEST`, `asked REQUEST`, `called REQUEST CODE`, `finished REQUEST CAUSE`, and `up` at first.
"""

import os
import plistlib
import select
import signal
import socket
import struct
import sys

HELLO, FENCE, CREDIT, ACKNOWLEDGE, WELCOME, FENCE_REPLY = 0x01, 0x02, 0x03, 0x04, 0x81, 0x82
BEGIN, BEGUN, CANCEL, STATE, FINISHED, LOAD, LOADED = 0x101, 0x181, 0x102, 0x103, 0x104, 0x221, 0x2A1
CALL, CALLED, ERROR = 0x261, 0x2E1, 0xFF


def plist(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)


class Host:
    def __init__(self, name, silent):
        self.silent, self.serial, self.asked, self.questions, self.loads, self.calls = silent, 0, 0, {}, {}, {}
        self.door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.door.connect(os.environ["EXTHOST_SOCKET"])
        limits = {"packets": 64, "bytes": 524288}
        self.send(
            HELLO, {"minimum": "1.0", "maximum": "1.2", "role": "host", "name": name, "sdk": "stage", "limits": limits}
        )

    def send(self, kind, body, answers=0, counted=True):
        self.serial += counted
        data = plist(body)
        self.door.send(struct.pack("<HHIII", kind, 0, len(data), self.serial if counted else 0, answers) + data)

    def ask(self, kind, body):
        self.send(kind, body)
        self.asked += 1
        self.questions[self.serial] = self.asked

    def do(self, order, request=None, *more):
        if order == "begin":
            provider = {"$kind": "provider", "number": 1, "types": ["public.url"]}
            item = {"$kind": "item", "userInfo": {"NSExtensionItemAttachmentsKey": [provider]}}
            about = {"request": request, "extension": more[0], "attachments": [[["public.url"]]], "timeout": 30.0}
            self.send(BEGIN, {**about, "payload": plist([item])})
        elif order == "cancel":
            self.ask(CANCEL, {"request": request})
        elif order == "state":
            self.ask(STATE, {"state": request})
        elif order == "answer":
            self.send(LOADED, {"payload": plist({"value": "x"})}, answers=self.loads.pop(request))
        elif order == "call":
            self.send(CALL, {"request": request, "number": 1, "name": more[0], "payload": plist({})})
            self.calls[self.serial] = request
        elif order == "acknowledge":
            self.send(ACKNOWLEDGE, {"request": request})
        elif order == "fence":
            self.ask(FENCE, {})

    def take(self):
        data = self.door.recv(16 + 65536)
        if not data:
            sys.exit("the daemon has gone")
        kind, _, _, serial, answers = struct.unpack("<HHIII", data[:16])
        body = plistlib.loads(data[16:])
        if kind not in (WELCOME, CREDIT):
            self.send(CREDIT, {"packets": 1, "bytes": len(data)}, counted=False)
        if kind == WELCOME:
            say("up")
        elif kind == FENCE:
            self.send(FENCE_REPLY, {}, answers=serial)
        elif kind == BEGUN:
            say("begun", body["request"])
        elif kind == LOAD:
            self.loads[body["request"]] = serial
            say("asked", body["request"])
        elif kind == FINISHED:
            say("finished", body["request"], body["cause"])
            if not self.silent:
                self.send(ACKNOWLEDGE, {"request": body["request"]})
        elif kind == ERROR and not answers:
            sys.exit(body["message"])
        elif answers in self.calls:
            say("called", self.calls.pop(answers), str(body["code"] if kind == ERROR else 0))
        elif answers in self.questions:
            say("said", str(self.questions.pop(answers)), str(body["code"] if kind == ERROR else 0))


def say(*words):
    os.write(1, " ".join(words).encode() + b"\n")


def main():
    signal.alarm(3600)
    host = Host(sys.argv[1], "silent" in sys.argv)
    buffered = b""
    while True:
        ready, _, _ = select.select([host.door, 0], [], [])
        if host.door in ready:
            host.take()
        if 0 in ready:
            data = os.read(0, 4096)
            if not data:
                return
            *lines, buffered = (buffered + data).split(b"\n")
            for line in lines:
                host.do(*line.decode().split())


main()
