#!/usr/bin/env python3
# comeback: a host that loses its connection and reconnects, by docs/protocol.md alone: comeback.py ACT, with
# EXTHOST_SOCKET.
"""Prints one line of JSON: the `received` count of its second welcome, absent for a new session, and the cause of its
request's end in that session; or the daemon's last message.
"""

import json
import os
import plistlib
import socket
import struct
import sys
import uuid

from hostile import BEGIN, ERROR, WELCOME, Peer, plist

FINISHED, BEGUN, CANCEL = 0x104, 0x181, 0x102


def connect():
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.connect(os.environ["EXTHOST_SOCKET"])
    return Peer(door, "host")


def serial(data):
    return struct.unpack("<I", data[8:12])[0]


class Host(Peer):
    """A host that counts received packets, and continues its serials over another socket."""

    def __init__(self):
        peer = connect()
        super().__init__(peer.door, "host")
        self.hello(resumable=True)
        self.token = self.wait(WELCOME)["token"]
        self.received = 1

    def receive(self):
        data, _, _, _ = socket.recv_fds(self.door, 16 + 65536, 16)
        if not data:
            return None
        if serial(data):
            self.received = serial(data)
        return struct.unpack("<H", data[:2])[0], plistlib.loads(data[16:])

    def begin(self):
        self.request = str(uuid.uuid4()).upper()
        items = plist([{"$kind": "item", "userInfo": {"do": "hang"}}])
        self.send(
            BEGIN,
            {"request": self.request, "extension": "org.exthost.tests.puppet", "attachments": [[]], "payload": items},
        )
        self.wait(BEGUN)

    def lose(self):
        self.door.close()

    def come_back(self, token=None, received=None):
        again = connect()
        resumption = {"token": token or self.token, "received": self.received if received is None else received}
        again.hello(name="hostile", resumable=True, resumption=resumption)
        found = again.receive()
        if found is None or found[0] == ERROR:
            print(json.dumps({"words": found[1]["message"] if found else "closed"}))
            sys.exit(0)
        self.door = again.door
        return found[1].get("received")


def report(received, cause=None):
    print(json.dumps({"received": received, "cause": cause}))


def sound(host):
    """The request survives. It ends by the cancel that the host sends under the next serial."""
    host.lose()
    received = host.come_back()
    host.send(CANCEL, {"request": host.request})
    report(received, host.wait(FINISHED)["cause"])


def said_again(host):
    """A packet that the daemon did not receive is sent again under the same serial."""
    host.lose()
    host.serial += 1  # a cancel that is lost in transit
    received = host.come_back()
    host.serial = received
    host.send(CANCEL, {"request": host.request})
    report(received, host.wait(FINISHED)["cause"])


def unknown_token(host):
    host.lose()
    report(host.come_back(token=bytes(16)))


def impossible_serial(host):
    host.lose()
    report(host.come_back(received=77))


def other_process(host):
    """A child that has obtained the token is not the host."""
    host.lose()
    sys.stdout.flush()
    if os.fork() == 0:
        report(host.come_back())
        sys.stdout.flush()
        os._exit(0)
    os.wait()


def two_at_once(host):
    """The first connection is still open: the daemon closes it and continues over the second."""
    first = host.door
    received = host.come_back()
    ended = first.recv(1) == b""
    host.send(CANCEL, {"request": host.request})
    report(received if ended else None, host.wait(FINISHED)["cause"])


if __name__ == "__main__":
    host = Host()
    host.begin()
    globals()[sys.argv[1]](host)
