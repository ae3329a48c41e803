#!/usr/bin/env python3
# door: an extension that tries to get other sessions than its own through its reconnect socket.

import os
import plistlib
import socket

import exthost

DOOR = socket.socket(fileno=int(os.environ.pop("EXTHOST_EXTENSION_DOOR")))
HELLO = {
    "minimum": "1.0",
    "maximum": "1.0",
    "role": "host",
    "name": "impostor",
    "sdk": "door",
    "limits": exthost.WINDOW,
}


def knock(kind=socket.SOCK_SEQPACKET):
    near, far = socket.socketpair(socket.AF_UNIX, kind)
    socket.send_fds(DOOR, [b"\0"], [far.fileno()])
    far.close()
    near.settimeout(10)
    return near


def answer(near):
    try:
        data = near.recv(65536)
    except ConnectionResetError:
        return "closed"
    if not data:
        return "closed"
    return plistlib.loads(data[exthost.HEADER.size :])["message"]


def say_hello(near):
    near.send(exthost.Connection.packet(exthost.HELLO, 0, HELLO, 1, 0))
    return answer(near)


def begin(context):
    first, second = knock(), knock()
    found = {"first": answer(first)}
    found["second"] = say_hello(second)
    found["rubbish"] = answer(knock(socket.SOCK_STREAM))
    found["again"] = say_hello(knock())
    context.complete([exthost.item(found)])


exthost.run(begin)
