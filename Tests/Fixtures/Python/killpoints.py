#!/usr/bin/python3
# killpoints: repeats one request, and kills daemon, extension or host before or after each of its calls in turn.
"""killpoints.py WHO EXTHOSTD APPLICATIONS FOLDER HOST FIRST STEP OPTIONS…; prints a line of JSON for each run, with
faults in `wrong`.

WHO is daemon, extension or host. HOST is a program that begins one request, prints its outcome on its last line and
exits. If the daemon is the victim, a host of this driver replaces HOST. If the extension is the victim, its program
stops itself first, so the driver misses none of its calls.

The driver kills at call FIRST and at every STEP-th one after it, until a call is not reached. It counts sends, receives
and spawns separately, because their relative order differs between runs.
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
LIMIT = 20  # seconds, the limit of a run


def play_host(daemon, report):
    """Runs a host with one request. Its record of the request's end is a word for each event."""
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
            if packet.kind == EXITED:  # no further packet is due
                break
    except (SystemExit, ConnectionError):
        os.write(report, b"lost\n")


class Run:
    """One request with one kill. All waits for children and tracees are in `finish`."""

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
        """Attaches to the process, or to the extension once it exists and has stopped itself."""

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
        """Waits until host and victim have ended."""
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
                    # The daemon has done its part: it gets the signal to end, and is still followed.
                    self.daemon.process.stdin.close()
        output = b""
        while more := os.read(self.output, 4096):
            output += more
        os.close(self.output)
        return output.decode().splitlines()


def run(who, daemon, host, point):
    """Returns the record of one run."""
    if who == "daemon":
        daemon.control.socket.close()
    one = Run(who, daemon, host, point)
    lines, wrong = one.finish(), []
    hit = one.stepper.hit
    if who == "daemon":
        # The request ends exactly once, by a message or by the loss; without a kill by the message. Its begin may have
        # been lost.
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
    """Yields kind, number and side of each kill; the caller sends back whether it was reached. A kind is exhausted once
    neither side of a call is reached.
    """
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
            daemon.process.returncode = 0  # it was reaped with all others
            daemon.process.stdin.close()
            daemon.process.stdout.close()
            daemon = None
    if daemon and (left := daemon.end()):
        print(json.dumps({"call": 0, "when": "end", "hit": None, "wrong": left}), flush=True)


if __name__ == "__main__":
    main()
