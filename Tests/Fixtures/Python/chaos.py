#!/usr/bin/python3
# chaos: kills host, daemon, extension or descendant at random times, and checks for leftovers.
"""chaos.py EXTHOSTD APPLICATIONS FOLDER SEED ROUNDS OPTIONS…; prints a line of JSON for each round, with faults in
`wrong`.

A round has two hosts with requests, loads and completion work in progress. Their extensions have child processes.
"""

import json
import os
import random
import select
import signal
import sys
import time
import uuid

import exthost
import scene
from exthost import BEGIN, BEGUN, FINISHED

SHARED, SINGLE = "org.exthost.tests.puppet", "org.exthost.tests.single"
# Actions that restart whenever they have ended, with their extension.
ACTS = [("load", SHARED), ("handler", SHARED), ("return", SINGLE), ("hang", SHARED), ("surround", SHARED)]
PROVIDER = {"$kind": "provider", "number": 1, "types": ["public.url"]}


class Host:
    """A host in a process of its own. It reports through `report` when all actions are in progress, and at the end its
    record.
    """

    def __init__(self, path, orders, report):
        self.connection = scene.Connection(path, "host", "chaos")
        self.orders, self.report = orders, report
        self.open, self.ended = {}, {}
        self.unanswered, self.under_way = [], set()
        self.last = None

    def begin(self, act, extension):
        request = str(uuid.uuid4()).upper()
        self.open[request] = [act, extension, None]
        order = {"do": act, "argument": "obey", "NSExtensionItemAttachmentsKey": [PROVIDER]}
        body = {"request": request, "extension": extension, "attachments": [[["public.url"]]]}
        self.connection.send(BEGIN, body, [exthost.item(order)])
        return request

    def note(self, act):
        if act not in self.under_way:
            self.under_way.add(act)
            if len(self.under_way) == len(ACTS):
                os.write(self.report, b"under way\n")

    def handle(self, packet):
        request = packet.body.get("request")
        if packet.kind == BEGUN and request in self.open:
            self.open[request][2] = packet.body.get("pid")
            if self.open[request][0] == "hang":
                self.note("hang")
        elif packet.kind == exthost.LOAD_ITEM:
            self.note("load")
            self.unanswered.append(packet.serial)
            if len(self.unanswered) > 1:  # one load always remains unanswered
                self.connection.send(exthost.ITEM_LOADED, {}, {"value": "x"}, answers=self.unanswered.pop(0))
                self.begin("load", SHARED) if len(self.open) < 8 else None
        elif packet.kind == FINISHED:
            self.ended[request] = self.ended.get(request, 0) + 1
            self.connection.send(exthost.ACKNOWLEDGE, {"request": request})
            act, extension, _ = self.open.pop(request, (None, None, None))
            if act and act != "load":
                self.note(act)
            if act and self.last is None:
                self.begin(act, extension)

    def run(self):
        for act, extension in ACTS + [("load", SHARED)]:
            self.begin(act, extension)
        reason = "left"
        try:
            link, killed = self.connection.socket.fileno(), None
            while True:
                ready = select.select([link, self.orders], [], [])[0]
                if link in ready:
                    self.handle(self.connection.receive())
                if self.orders in ready and self.last is None:
                    # Another process was killed: sends one more request, and waits for the ends of the requests that
                    # died with it.
                    killed = int(os.read(self.orders, 32) or b"0")
                    self.orders = link
                    self.last = self.begin("return", SINGLE)
                if self.last in self.ended and not any(pid == killed for _, _, pid in self.open.values()):
                    break
        except (SystemExit, ConnectionError):
            reason = "lost"
        doubles = [request for request, count in self.ended.items() if count != 1]
        told = {"reason": reason, "ended": len(self.ended), "open": len(self.open), "doubles": doubles}
        os.write(self.report, json.dumps(told).encode() + b"\n")


class RunningHost:
    """The driver's handle of a host."""

    def __init__(self, daemon, others):
        orders, self.orders = os.pipe()
        self.report, report = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            signal.alarm(600)
            daemon.close_here()
            for other in [self, *others]:
                os.close(other.orders)
                os.close(other.report)
            try:
                Host(daemon.socket, orders, report).run()
            except BaseException as error:
                os.write(report, f"{error!r}\n".encode())
            os._exit(0)
        os.close(orders)
        os.close(report)
        self.lines = b""

    def line(self, limit=120):
        """Returns the next line of its report; empty at its end."""
        while b"\n" not in self.lines:
            if not select.select([self.report], [], [], limit)[0]:
                return b"a host is stuck"
            more = os.read(self.report, 4096)
            if not more:
                return b""
            self.lines += more
        line, _, self.lines = self.lines.partition(b"\n")
        return line

    def finish(self, killed):
        os.write(self.orders, str(killed).encode())

    def verdict(self):
        line = self.line()
        return (
            json.loads(line)
            if line.startswith(b"{")
            else {"reason": line.decode(), "doubles": [], "ended": 0, "open": 0}
        )

    def collect(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.orders)
        os.close(self.report)


def tree(daemon, pid):
    """Returns the enclosure of `pid` and all processes in it, by their parents."""
    everybody = {each.pid: each for each in daemon.extensions()}

    def enclosure(process):
        while process and not process.is_enclosure:
            process = everybody.get(process.parent)
        return process

    root = enclosure(everybody.get(pid))
    return [each for each in everybody.values() if root and enclosure(each) is root]


def choose(daemon, hosts, wanted, dice):
    """Chooses the victim, and the processes that must end with it."""
    if wanted == "host":
        return dice.choice(hosts).pid, []
    if wanted == "daemon":
        return daemon.pid, []
    everybody = [each for each in daemon.extensions() if each.pid not in [host.pid for host in hosts]]
    enclosures = {each.pid for each in everybody if each.is_enclosure}
    inside = [each for each in everybody if not each.is_enclosure]
    programs = [each for each in inside if each.parent in enclosures and each.session == each.pid]
    if wanted == "extension":
        victim = dice.choice(programs)
        return victim.pid, tree(daemon, victim.pid)
    descendants = [each for each in inside if each not in programs]
    return (dice.choice(descendants).pid if descendants else 0), []


def round_of(daemon, wanted, dice):
    hosts, wrong, took = [], [], {}
    try:
        for _ in range(2):
            hosts.append(RunningHost(daemon, hosts))
        for host in hosts:
            if (line := host.line()) != b"under way":
                return {"wrong": [f"a host did not come so far: {line!r}"]}
        time.sleep(dice.random() * 0.02)  # the time is random, not a wait
        victim, with_it = choose(daemon, hosts, wanted, dice)
        if not victim:
            return {"wrong": ["nobody to kill"]}
        start = time.monotonic()
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass  # a link of a fork chain
        if with_it:
            keys = {each.key for each in with_it}
            left, took["tree"] = scene.until(
                lambda: [each for each in daemon.extensions() if each.key in keys], scene.GONE
            )
            wrong += [f"outlived its extension: {each}" for each in left]
        survivors = [host for host in hosts if host.pid != victim]
        if wanted != "daemon":
            for host in survivors:
                host.finish(victim if wanted == "extension" else 0)
        for host in survivors:
            verdict = host.verdict()
            if verdict["reason"] != ("lost" if wanted == "daemon" else "left"):
                wrong.append(f"a host: {verdict['reason']}")
            wrong += [f"{request} ended twice" for request in verdict["doubles"]]
        if wanted == "daemon":
            daemon.was_killed()
            for host in hosts:
                host.collect()
            hosts = []
            left, _ = scene.until(daemon.remains, scene.GONE - (time.monotonic() - start))
            took["gone"] = time.monotonic() - start
        else:
            for host in hosts:
                host.collect()
            hosts = []
            left, took["gone"] = scene.until(daemon.leftovers, scene.GONE)
        return {"wrong": wrong + left, "took": took}
    finally:
        for host in hosts:
            host.collect()


def main():
    program, applications, folder, seed, rounds = sys.argv[1:6]
    dice, daemon = random.Random(int(seed)), None
    created = {}
    for number in range(int(rounds)):
        wanted = dice.choice(["host", "daemon", "extension", "descendant"])
        if daemon is None:
            created = {}
            daemon = scene.Daemon(program, applications, folder, sys.argv[6:])
        told = {"round": number, "killed": wanted, **round_of(daemon, wanted, dice)}
        if wanted != "daemon" and daemon.process.poll() is None:
            told["wrong"] += scene.twice_ended(daemon.events(), created)
            told["wrong"] += [f"{request} has no end" for request, count in created.items() if count == 0]
            created = {}
        elif wanted != "daemon":
            told["wrong"].append(f"the daemon ended with {daemon.process.returncode}")
        print(json.dumps(told), flush=True)
        if wanted == "daemon" or daemon.process.poll() is not None:
            daemon = None
    if daemon:
        left = daemon.end()
        print(json.dumps({"round": int(rounds), "killed": "nobody", "wrong": left}), flush=True)


if __name__ == "__main__":
    main()
