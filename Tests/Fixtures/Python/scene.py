# scene: a private daemon as drivers of tests see it from outside: its processes, descriptors, folders and log.

import collections
import json
import os
import re
import socket
import subprocess
import sys
import time

import exthost
from exthost import STATUS, SUCCESS, WATCH

ENDS = {"request." + end for end in ("completed", "cancelled", "interrupted", "timedOut", "refused")}
# Seconds in which nothing is to be left: one is the claim, of a machine with nothing else to do; beside other tests what counts is that nothing stays.
GONE = float(os.environ.get("EXTHOST_GONE_WITHIN", "1"))


class Process:
    """One process, by what /proc says of it; named for good by its number and its start."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        self.pid, self.state, self.start = pid, fields[0], fields[19]
        self.parent, self.session = int(fields[1]), int(fields[3])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            self.words = file.read().decode(errors="replace").split("\0")

    @property
    def key(self):
        return self.pid, self.start

    @property
    def is_enclosure(self):
        return os.path.basename(self.words[0]) == "exthost-init" and self.words[1] != "janitor"

    def __repr__(self):
        return f"{self.pid} {' '.join(self.words)[:120]}"


def everybody():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                yield Process(int(name))
            except (OSError, IndexError):
                pass  # just gone


before = {process.key for process in everybody()}


def processes(marker):
    """Those born after this module whose command line holds the path `marker`. What only waits to be reaped has none any more."""
    # As a path of its own: another's may end in the same folder, seen from outside of where that one runs.
    path = re.compile(r"(?<![\w./-])" + re.escape(marker))
    return [
        process
        for process in everybody()
        if process.state not in "ZX" and process.key not in before and any(path.search(word) for word in process.words)
    ]


def until(condition, limit):
    """Looks again until `condition` gives nothing; what it still gives after `limit` seconds, and how long it took."""
    start = time.monotonic()
    while left := condition():
        if time.monotonic() - start > limit:
            break
        time.sleep(0.002)
    return left, time.monotonic() - start


class Connection(exthost.Connection):
    """A client of the daemon, with credit and all."""

    def __init__(self, path, role, name=None):
        door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        door.connect(path)
        super().__init__(door)
        hello = {"minimum": "1.0", "maximum": "1.0", "role": role, "sdk": "scene", "limits": exthost.WINDOW}
        self.hello({**hello, "name": name} if name else hello)
        self.welcome = self.receive().body


class Daemon:
    """An ephemeral exthostd whose temporary files lie in `folder`, which nobody else uses."""

    def __init__(self, program, applications, folder, options):
        self.marker, self.temporary = applications, folder
        self.process = subprocess.Popen(
            [program, "--ephemeral", "--applications", applications, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TMPDIR": folder, "PATH": "/usr/bin:/bin"},
            start_new_session=True,
        )
        greeting = self.process.stdout.readline()
        if not greeting:
            sys.exit("the daemon did not come up")
        self.pid, self.socket = self.process.pid, json.loads(greeting)["socket"]
        self.folder = os.path.dirname(self.socket)
        self.seen = 0
        self.control = Connection(self.socket, "control")
        self.events()
        # What holds extensions together is tried before the first launch, or when somebody asks.
        self.control.send(STATUS, {})
        self.control.receive()
        # It begins to watch its folders when it serves already.
        self.descriptors = self.open()
        for _ in range(500):
            time.sleep(0.01)
            before, self.descriptors = self.descriptors, self.open()
            if "anon_inode:inotify" in before and before == self.descriptors:
                break
        self.descriptors = collections.Counter(self.descriptors)
        self.files = set(os.listdir(self.folder))

    def close_here(self):
        """In a fork of the driver, which must not keep the daemon alive."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.control.socket.close()

    def open(self):
        """What its descriptors are, without their numbers."""
        kinds = []
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                kinds.append(os.readlink(f"/proc/{self.pid}/fd/{name}").partition(":[")[0])
            except OSError:
                pass  # just closed
        return sorted(kinds)

    def events(self):
        """Those since the last question."""
        found = []
        self.control.send(WATCH, {"since": self.seen, "follow": False})
        while (packet := self.control.receive()).kind != SUCCESS:
            found += packet.body["events"]
        self.seen = found[-1]["sequence"] if found else self.seen
        return found

    def extensions(self):
        """Enclosures and all that is in them, and whoever has come out."""
        return [each for each in processes(self.marker) if each.pid != self.pid and "janitor" not in each.words]

    def dead_children(self):
        children = set()
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{task}/children") as file:
                    children.update(int(word) for word in file.read().split())
            except OSError:
                pass  # a thread that has just ended: its children are another's now
        for pid in children:
            try:
                if Process(pid).state == "Z":
                    yield pid
            except OSError:
                pass  # just reaped

    def leftovers(self):
        """Of a daemon that lives and has no host: everything but itself."""
        left = [repr(each) for each in self.extensions()]
        if left:
            return left
        left = [f"a child that is not reaped: {pid}" for pid in self.dead_children()]
        now = collections.Counter(self.open())
        if more := now - self.descriptors:
            left.append(f"descriptors: {sorted(more.elements())} besides {sorted(self.descriptors.elements())}")
        # One that has closed since, say of a folder that was still being read at the start, is not to come back.
        self.descriptors &= now
        left += [f"{name} in its folder" for name in set(os.listdir(self.folder)) - self.files - {"Containers"}]
        return left + [
            f"{name} beside its folder" for name in os.listdir(self.temporary) if name != os.path.basename(self.folder)
        ]

    def remains(self):
        """Of a daemon that is gone: its extensions, janitor, folder and sockets."""
        left = [repr(each) for each in processes(self.marker) + processes(self.folder)]
        left += [f"{name} in the temporary folder" for name in os.listdir(self.temporary)]
        with open("/proc/net/unix") as file:
            left += [line.strip() for line in file if self.temporary in line]
        return left

    def end(self):
        """In order. What is left of it, which is an error."""
        self.control.socket.close()
        self.process.stdin.close()
        status = self.process.wait(30)
        self.process.stdout.close()
        left, _ = until(self.remains, GONE)
        return left + ([f"the daemon's status was {status}"] if status else [])

    def was_killed(self):
        self.process.wait(30)
        for file in (self.control.socket, self.process.stdin, self.process.stdout):
            file.close()


def twice_ended(events, created):
    """What is wrong with the ends of requests: `created` holds those open so far, and is brought up to date."""
    wrong = []
    for event in events:
        request = event.get("request")
        if event["event"] == "request.created":
            created[request] = 0
        elif event["event"] in ENDS:
            created[request] = created.get(request, 0) + 1
            if created[request] != 1:
                wrong.append(f"{request} ended {created[request]} times")
    return wrong
