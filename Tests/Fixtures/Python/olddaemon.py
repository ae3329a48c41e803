#!/usr/bin/env python3
# olddaemon: a daemon of protocol 1.0, from docs/protocol.md. It has no registry, no rules and no points.
"""olddaemon.py SOCKET: listens there, prints `ready`, then one line of JSON for each received message.

A kind that 1.0 lacks ends the connection as a violation, as with every daemon. It ignores keys that 1.0 lacks.
"""

import json
import os
import plistlib
import socket
import struct
import sys
import threading

HELLO, WELCOME, FENCE, FENCE_REPLY, CREDIT, ACKNOWLEDGE, GOODBYE, ERROR = 1, 0x81, 2, 0x82, 3, 4, 5, 0xFF
LIST, EXTENSIONS, BEGIN, WATCH, SUCCESS = 0x301, 0x381, 0x101, 0x306, 0xFE
ENTRY = {
    "identifier": "org.example.old",
    "version": "1",
    "shortVersion": "1",
    "point": "com.apple.share-services",
    "path": "/x",
    "displayName": "Old",
    "problems": [],
}


class Door:
    def __init__(self, door):
        self.door, self.serial = door, 0

    def send(self, kind, body, answers=0):
        self.serial += 1
        data = plistlib.dumps(body, fmt=plistlib.FMT_BINARY)
        self.door.send(struct.pack("<HHIII", kind, 0, len(data), self.serial, answers) + data)

    def serve(self):
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self.door, 16 + 65536, 16)
            except ConnectionResetError:
                return
            for descriptor in descriptors:
                os.close(descriptor)
            if not data:
                return
            kind, _, length, serial, _ = struct.unpack("<HHIII", data[:16])
            body = plistlib.loads(data[16 : 16 + length])
            # One write a line: each connection has a thread, and print() writes the line's end apart.
            os.write(1, (json.dumps({"kind": kind, "keys": sorted(body)}) + "\n").encode())
            if not self.handle(kind, body, serial):
                self.door.close()
                return

    def handle(self, kind, body, serial):
        if kind == HELLO:
            self.send(
                WELCOME,
                {
                    "version": "1.0",
                    "limits": {"packets": 256, "bytes": 1 << 20},
                    "token": os.urandom(16),
                    "host": body.get("name", ""),
                },
                serial,
            )
        elif kind == LIST:
            self.send(EXTENSIONS, {"items": [ENTRY], "offset": 0, "count": 1}, serial)
        elif kind == FENCE:
            self.send(FENCE_REPLY, {}, serial)
        elif kind == WATCH:
            self.send(SUCCESS, {}, serial)
        elif kind == BEGIN:
            self.send(ERROR, {"code": 4, "message": "there is no such extension"}, serial)
        elif kind not in (CREDIT, ACKNOWLEDGE, GOODBYE):
            # The last message does not count against credit.
            self.serial = -1
            self.send(ERROR, {"code": 1, "message": f"0x{kind:04x} is no kind"})
            return False
        return True


listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listening.bind(sys.argv[1])
listening.listen(16)
print("ready", flush=True)
while True:
    accepted, _ = listening.accept()
    threading.Thread(target=Door(accepted).serve, daemon=True).start()
