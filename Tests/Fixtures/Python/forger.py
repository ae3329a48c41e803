#!/usr/bin/env python3
"""forger: a daemon that lies: it forwards the real daemon's output with one word of the log replaced.

forger.py DAEMON WORD OTHER OPTION…: as `exthostd OPTION…`. Both words have the same length.
"""

import json
import os
import select
import socket
import subprocess
import sys

daemon, word, other = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
assert len(word) == len(other)
process = subprocess.Popen([daemon] + sys.argv[4:], stdout=subprocess.PIPE)
greeting = json.loads(process.stdout.readline())
real = greeting["socket"]
# The socket is in the daemon's own folder, and is removed with it.
greeting["socket"] = real + ".forged"
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(greeting["socket"])
listener.listen()
print(json.dumps(greeting), flush=True)

partners = {}
is_running = True
# The daemon watches the lease. The daemon's end ends this program, once all that it has sent is forwarded.
while is_running or partners:
    ready, _, _ = select.select([listener, *partners, *([process.stdout] if is_running else [])], [], [])
    for source in ready:
        if source is process.stdout:
            is_running = False
            continue
        if source is listener:
            client, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                server.connect(real)
            except OSError:  # the daemon has gone
                client.close()
                continue
            partners[client], partners[server] = (server, False), (client, True)
            continue
        if source not in partners:
            continue
        target, is_word = partners[source]
        descriptors = []
        try:
            packet, descriptors, _, _ = socket.recv_fds(source, 1 << 20, 64)
        except ConnectionResetError:  # the peer closed with unread data; what it sent before comes next
            continue
        except OSError:
            packet = b""
        try:
            if packet:
                socket.send_fds(target, [packet.replace(word, other) if is_word else packet], descriptors)
        except OSError:  # that side has gone; its earlier output is still forwarded
            pass
        for descriptor in descriptors:
            os.close(descriptor)
        if not packet:
            for end in (source, target):
                partners.pop(end, None)
                end.close()
sys.exit(process.wait())
