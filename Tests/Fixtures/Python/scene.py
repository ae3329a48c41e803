# scene: observes a private daemon for test drivers: its processes, descriptors, folders and log.

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
# The seconds within which all leftovers must be gone. One second is the claim for a machine without other load. Beside
# other tests, only the complete removal counts.
GONE = float(os.environ.get("EXTHOST_GONE_WITHIN", "1"))


class Process:
    """One process, from /proc. Its pid and start time identify it uniquely."""

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
                pass  # the process has just exited


before = {process.key for process in everybody()}


def processes(marker):
    """Returns the processes born after this module with the path `marker` in their command line. Zombies have no
    command line.
    """
    # The path must match as a whole: another path may end in the same folder, if that one runs in a namespace.
    path = re.compile(r"(?<![\w./-])" + re.escape(marker))
    return [
        process
        for process in everybody()
        if process.state not in "ZX" and process.key not in before and any(path.search(word) for word in process.words)
    ]


def until(condition, limit):
    """Polls until `condition` returns nothing. Returns its remainder after `limit` seconds at most, and the time."""
    start = time.monotonic()
    while left := condition():
        if time.monotonic() - start > limit:
            break
        time.sleep(0.002)
    return left, time.monotonic() - start


class Connection(exthost.Connection):
    """A client of the daemon that handles credit."""

    def __init__(self, path, role, name=None):
        door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        door.connect(path)
        super().__init__(door)
        hello = {"minimum": "1.0", "maximum": "1.0", "role": role, "sdk": "scene", "limits": exthost.WINDOW}
        self.hello({**hello, "name": name} if name else hello)
        self.welcome = self.receive().body


class Daemon:
    """An ephemeral exthostd with its temporary files in `folder`, which has no other user."""

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
        # The daemon probes its launch capabilities before the first launch, or at this question.
        self.control.send(STATUS, {})
        self.control.receive()
        # It begins to watch its folders after it serves.
        self.descriptors = self.open()
        for _ in range(6000):
            time.sleep(0.01)
            before, self.descriptors = self.descriptors, self.open()
            if "anon_inode:inotify" in before and before == self.descriptors:
                break
        else:
            sys.exit("the daemon does not watch its folders")
        self.descriptors = collections.Counter(self.descriptors)
        self.files = set(os.listdir(self.folder))

    def close_here(self):
        """Closes the daemon's files in a fork of the driver, which must not hold the daemon alive."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.control.socket.close()

    def open(self):
        """Returns the targets of its descriptors."""
        kinds = []
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                kinds.append(os.readlink(f"/proc/{self.pid}/fd/{name}").partition(":[")[0])
            except OSError:
                pass  # the descriptor was just closed
        return sorted(kinds)

    def events(self):
        """Returns the events since the last call."""
        found = []
        self.control.send(WATCH, {"since": self.seen, "follow": False})
        while (packet := self.control.receive()).kind != SUCCESS:
            found += packet.body["events"]
        self.seen = found[-1]["sequence"] if found else self.seen
        return found

    def extensions(self):
        """Returns the enclosures, the processes in them, and those that escaped."""
        return [each for each in processes(self.marker) if each.pid != self.pid and "janitor" not in each.words]

    def dead_children(self):
        children = set()
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{task}/children") as file:
                    children.update(int(word) for word in file.read().split())
            except OSError:
                pass  # the thread has just ended; its children have another parent now
        for pid in children:
            try:
                if Process(pid).state == "Z":
                    yield pid
            except OSError:
                pass  # the process was just reaped

    def leftovers(self):
        """Returns the leftovers of a running daemon without hosts: everything but the daemon itself."""
        left = [repr(each) for each in self.extensions()]
        if left:
            return left
        left = [f"a child that is not reaped: {pid}" for pid in self.dead_children()]
        now = collections.Counter(self.open())
        if more := now - self.descriptors:
            left.append(f"descriptors: {sorted(more.elements())} besides {sorted(self.descriptors.elements())}")
        # A descriptor that has closed since, such as that of a folder scan at the start, must not reappear.
        self.descriptors &= now
        left += [f"{name} in its folder" for name in set(os.listdir(self.folder)) - self.files - {"Containers"}]
        return left + [
            f"{name} beside its folder" for name in os.listdir(self.temporary) if name != os.path.basename(self.folder)
        ]

    def remains(self):
        """Returns the leftovers of a dead daemon: its extensions, janitor, folder and sockets."""
        left = [repr(each) for each in processes(self.marker) + processes(self.folder)]
        left += [f"{name} in the temporary folder" for name in os.listdir(self.temporary)]
        with open("/proc/net/unix") as file:
            left += [line.strip() for line in file if self.temporary in line]
        return left

    def end(self):
        """Stops the daemon in order. Returns its leftovers, which are an error."""
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
    """Returns the faults in the ends of requests. `created` has the requests open so far, and is updated."""
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
