#!/usr/bin/python3
# killpoints: one request again and again, in which daemon, extension or host is killed before or after each call it makes in turn.
"""killpoints.py WHO EXTHOSTD APPLICATIONS FOLDER HOST FIRST STEP OPTIONS…; prints a line of JSON for each run, with what went `wrong`.

WHO is daemon, extension or host. HOST is a program that begins one request, prints its outcome on its last line and exits; where
the daemon is killed a host of this driver's own plays its part. The program of the extension stops itself first if it is the one to
be killed, so that nothing of it is missed. Of its sends, receives and spawns the FIRST, and every STEP-th after it, until one is not
reached: each kind is counted by itself, as their order among each other differs from run to run.
"""

import json
import os
import signal
import subprocess
import sys
import uuid

import exthost
import scene
import stepper
from exthost import BEGIN, EXITED, FINISHED

EXTENSION = "org.example.app.share"
LIMIT = 20  # seconds, of a run


def play_host(daemon, report):
    """A host with one request; what it has seen of its end, a word each."""
    connection = scene.Connection(daemon.socket, "host", "killpoints")
    daemon.close_here()
    request = str(uuid.uuid4()).upper()
    provider = {"$kind": "provider", "number": 1, "types": ["public.url"]}
    body = {"request": request, "extension": EXTENSION, "attachments": [[["public.url"]]]}
    connection.send(BEGIN, body, [exthost.item({"NSExtensionItemAttachmentsKey": [provider]})])
    try:
        while True:
            packet = connection.receive()
            if packet.kind == exthost.LOAD_ITEM:
                connection.send(
                    exthost.ITEM_LOADED, {}, {"value": {"$kind": "url", "string": "x:y"}}, answers=packet.serial
                )
            if packet.kind == FINISHED:
                os.write(report, packet.body["cause"].encode() + b"\n")
                connection.send(exthost.ACKNOWLEDGE, {"request": request})
            if packet.kind == EXITED:  # nothing more is to come
                break
    except (SystemExit, ConnectionError):
        os.write(report, b"lost\n")


class Run:
    """One request with one kill. Everything that waits for a child or a tracee does so in `finish`."""

    def __init__(self, who, daemon, host, point):
        self.who, self.daemon, self.point = who, daemon, point
        self.stepper = self.step(daemon.pid) if who == "daemon" else None
        self.ended = {}
        reading, writing = os.pipe()
        if who == "daemon":
            self.host = os.fork()
            if self.host == 0:
                signal.alarm(LIMIT)
                try:
                    play_host(daemon, writing)
                except (ConnectionError, SystemExit):
                    os.write(writing, b"unconnected\n")
                finally:
                    os._exit(0)
        else:
            words = ["/bin/sh", "-c", 'kill -STOP $$; exec "$0"', host] if who == "host" else [host]
            self.host = subprocess.Popen(words, env={**os.environ, "EXTHOST_SOCKET": daemon.socket}, stdout=writing).pid
            self.follow(self.host if who == "host" else None)
        os.close(writing)
        self.output = reading

    def step(self, pid):
        kind, at, when = self.point
        return stepper.Stepper(pid, at, when, kind=kind)

    def follow(self, pid):
        """Takes over the process, or the extension once there is one, which has stopped itself."""

        def stopped():
            found = [pid] if pid else [each.pid for each in self.daemon.extensions() if not each.is_enclosure]
            return [each for each in found if scene.Process(each).state == "T"]

        left, _ = scene.until(lambda: not stopped(), LIMIT)
        if left:
            raise SystemExit("nobody stopped")
        pid = stopped()[0]
        self.stepper = self.step(pid)
        os.kill(pid, signal.SIGCONT)

    def finish(self):
        """Until host and victim have ended."""
        while self.stepper.threads or self.host not in self.ended:
            found = stepper.wait()
            if found is None:
                break
            pid, status = found
            if self.stepper.owns(pid) or os.WIFSTOPPED(status):
                self.stepper.stopped(pid, status)
            if not os.WIFSTOPPED(status):
                self.ended[pid] = os.waitstatus_to_exitcode(status)
                if pid == self.host and self.who == "daemon" and not self.stepper.hit:
                    # Its part is done; the daemon is told to end, and goes on being followed.
                    self.daemon.process.stdin.close()
        output = b""
        while more := os.read(self.output, 4096):
            output += more
        os.close(self.output)
        return output.decode().splitlines()


def run(who, daemon, host, point):
    """What is told of one run."""
    if who == "daemon":
        daemon.control.socket.close()
    one = Run(who, daemon, host, point)
    lines, wrong = one.finish(), []
    hit = one.stepper.hit
    if who == "daemon":
        # Exactly one end, by a message or by the loss; without a kill by the message. Its begin may never have got there.
        ends = [line for line in lines if line not in ("lost", "unconnected")]
        if len(ends) > 1 or len(lines) > 2 or not lines or (not hit and len(ends) != 1):
            wrong.append(f"the host saw {lines}")
        if not hit and one.ended.get(daemon.pid) != 0:
            wrong.append(f"the daemon ended with {one.ended.get(daemon.pid)}")
        left, took = scene.until(daemon.remains, scene.GONE)
    else:
        if who == "extension" and (len(lines) != 2 or one.ended[one.host] != 0):
            wrong.append(f"the host ended with {one.ended[one.host]} and had shown {lines}")
        if daemon.pid in one.ended:
            return {"hit": hit, "wrong": [f"the daemon ended with {one.ended[daemon.pid]}"]}
        left, took = scene.until(daemon.leftovers, scene.GONE)
        created = {}
        wrong += scene.twice_ended(daemon.events(), created)
        wrong += [f"{request} has no end" for request, count in created.items() if count == 0]
        if len(created) > 1 or (who == "extension" and len(created) != 1):
            wrong.append(f"{len(created)} requests were begun")
    return {"hit": hit, "outcome": lines[-1] if lines else None, "took": {"gone": took}, "wrong": wrong + left}


def points(first, step):
    """Kind, number and side of each kill; what is sent back is whether it was reached. A kind has ended where neither side of one is."""
    for kind in ("spawn", "receive", "send"):
        at, reached = first, True
        while reached:
            before = yield kind, at, "before"
            after = yield kind, at, "after"
            reached, at = before or after, at + step


def main():
    who, program, applications, folder, host, first, step = sys.argv[1:8]
    daemon, reached = None, None
    kills = points(int(first), int(step))
    while True:
        try:
            point = kills.send(reached)
        except StopIteration:
            break
        if daemon is None:
            daemon = scene.Daemon(program, applications, folder, sys.argv[8:])
        signal.alarm(LIMIT + int(scene.GONE))
        told = run(who, daemon, host, point)
        signal.alarm(0)
        reached = told["hit"] is not None
        kind, at, when = point
        print(json.dumps({"kind": kind, "call": at, "when": when, **told}), flush=True)
        if who == "daemon":
            daemon.process.returncode = 0  # collected with all others
            daemon.process.stdin.close()
            daemon.process.stdout.close()
            daemon = None
    if daemon and (left := daemon.end()):
        print(json.dumps({"call": 0, "when": "end", "hit": None, "wrong": left}), flush=True)


if __name__ == "__main__":
    main()
