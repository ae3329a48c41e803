#!/usr/bin/python3
# hog: a host at its quota of requests, loads, lines of output and packets, until it is interrupted.
"""hog.py FOLDER, with exthost.py in FOLDER and with EXTHOST_SOCKET. Prints when it is at its quota, and at the end how
many of its requests ended.
"""

import os
import signal
import sys
import uuid

sys.path[:0] = [sys.argv[1]]

import exthost
import scene
from exthost import BEGIN, FINISHED

ACTS = ["load", "return", "print"]
PROVIDER = {"$kind": "provider", "number": 1, "types": ["public.url"]}


def begin(connection, number):
    # Half of its open requests stay open; the others end and begin again.
    act = "hang" if number < 32 else ACTS[number % len(ACTS)]
    argument = "60000" if act == "print" else "x" * 20000
    order = {"do": act, "argument": argument, "NSExtensionItemAttachmentsKey": [PROVIDER]}
    body = {
        "request": str(uuid.uuid4()).upper(),
        "extension": "org.exthost.tests.hog",
        "attachments": [[["public.url"]]],
    }
    connection.send(BEGIN, body, [exthost.item(order)])


def main():
    ended = refused = begun = 0

    def interrupted(*_):
        print("ended", ended, flush=True)
        os._exit(0)

    signal.signal(signal.SIGINT, interrupted)
    connection = scene.Connection(os.environ["EXTHOST_SOCKET"], "host", "hog")
    # The host begins more requests than its quota. The daemon refuses the excess, and the host retries at once.
    for begun in range(80):
        begin(connection, begun)
    while True:
        packet = connection.receive()
        if packet.kind == exthost.LOAD_ITEM:
            connection.send(exthost.ITEM_LOADED, {}, {"value": "x" * 20000}, answers=packet.serial)
        elif packet.kind == FINISHED:
            ended += 1
            connection.send(exthost.ACKNOWLEDGE, {"request": packet.body["request"]})
            if packet.body["cause"] == "quota":
                refused += 1
                if refused == 1:
                    print("at its quota", flush=True)
            begun += 1
            begin(connection, begun)


if __name__ == "__main__":
    main()
