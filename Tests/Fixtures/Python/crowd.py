#!/usr/bin/python3
# crowd: one process with as many connections as it can get, or one that connects and disconnects without a pause.
"""crowd.py FOLDER WHAT, with exthost.py in FOLDER and with EXTHOST_SOCKET.

`strangers` and `hosts` print how many connections they have and why they get no more, and hold them until they are
interrupted. `flood` prints `flooding`, and at its end why it ended.
"""

import os
import plistlib
import select
import signal
import socket
import sys

sys.path[:0] = [sys.argv[1]]

import exthost

PATH = os.environ["EXTHOST_SOCKET"]


def flood():
    def ended(number, _):
        print("interrupted" if number == signal.SIGINT else "gave up", flush=True)
        os._exit(0)

    signal.signal(signal.SIGINT, ended)
    signal.signal(signal.SIGALRM, ended)
    signal.alarm(600)
    count = 0
    while True:
        stranger = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            stranger.connect(PATH)
        except OSError:
            pass
        stranger.close()
        count += 1
        if count == 1000:
            print("flooding", flush=True)


def silent(held):
    """Adds a connection that stays silent. Raises if the daemon refuses one, which it does at once."""
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stranger.connect(PATH)
    for door in select.select([*held, stranger], [], [], 0.01)[0]:
        heard(door)
    held.append(stranger)


def heard(door):
    """Returns the body of the received packet. Raises the text of an error."""
    body = plistlib.loads(door.recv(65536)[16:])
    if "message" in body:
        raise ConnectionError(body["message"])
    return body


def host():
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.connect(PATH)
    hello = {
        "minimum": "1.0",
        "maximum": "1.0",
        "role": "host",
        "sdk": "crowd",
        "limits": exthost.WINDOW,
        "name": "crowd",
    }
    try:
        door.send(exthost.Connection.packet(exthost.HELLO, 0, hello, 1, 0))
    except BrokenPipeError:
        pass  # the daemon refused it before, and sends the reason
    heard(door)
    return door


def main():
    what = sys.argv[2]
    if what == "flood":
        flood()
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    held = []
    try:
        while len(held) < 2000:
            if what == "strangers":
                silent(held)
            else:
                held.append(host())
    except Exception as end:
        print("has", len(held), "and no more:", str(end).replace("\n", " "), flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
