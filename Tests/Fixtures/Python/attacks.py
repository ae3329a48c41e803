#!/usr/bin/env python3
# attacks: measures how another process of the same user, which takes all that it can get, affects a host.
"""attacks.py EXTHOSTD FOLDER [--seconds N] [--judge] [--share N/M] [--option DAEMONS_OPTION]… [ATTACK…]

It prints a line of JSON for each attack. An attack has a daemon and a folder in FOLDER of its own. A quiet host begins
one request after the other, N seconds without the attacker and N seconds beside it. If the attack targets new
connections, the host connects anew for each request.

- `idle` and `loud`: the median and the 99th percentile of the host's requests, in milliseconds.
- `waited`: how long host, daemon and extension together waited for a processor in the slowest hundredth, on average. A
  latency that this explains is the machine's.
- `acts`: the number of the attacker's actions.
- `wrong`: faults: a request that did not complete, a daemon that ended, an idle attacker, leftovers. With --judge, for
  a machine without other load, also a 99th percentile above twice the one without the attacker plus 5 ms.

--share is the Nth of M equal parts of the attacks.
"""

import fcntl
import json
import mmap
import os
import plistlib
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import uuid

QUIET, EVIL, PICKY, FRAIL = (f"org.exthost.{name}.attacks" for name in ("quiet", "evil", "picky", "frail"))
PROVIDER = {"$kind": "provider", "number": 1, "types": ["public.url"]}
RULE = (
    "SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $attachment, "
    'ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "public.t%d").@count == 1).@count == 1'
)
PATIENCE = 60  # seconds, for one answer: only a safety limit

import exthost
from exthost import (
    ADD_BUNDLE,
    BEGIN,
    CANCEL,
    CONTEXT_FAULT,
    EXPLAIN,
    FINISHED,
    GET_CONFIGURATION,
    GET_STATISTICS,
    KILL,
    KILLED,
    LIST_EXTENSIONS,
    MATCH,
    OPEN_URL,
    OUTPUT,
    READ_LOG,
    REGISTER,
    SET_STATE,
    SHOW_VIEW,
    STATUS,
    SUCCESS,
    WATCH,
)

if "EXTHOST_EXTENSION_FD" not in os.environ:
    import hostile
    import scene


# The extension of the attacker and of the host: it obeys its request.


class Evil(exthost.Extension):
    def __init__(self):
        super().__init__(self.begun)

    def begun(self, context):
        order = context.items[0]["userInfo"] if context.items else {}
        act = order.get("do", "return")
        getattr(self, act)(context)

    @staticmethod
    def loaded(then, packet):
        """An answer to a view has no contents."""
        exthost.Extension.loaded(then, packet) if packet.kind != SUCCESS else then(None, None)

    def hang(self, context):
        """Never ends."""

    def crash(self, context):
        os._exit(1)

    def spin(self, context):
        for _ in range(8):
            if os.fork() == 0:
                while True:
                    pass

    def bomb(self, context):
        for _ in range(64):
            try:
                if os.fork() == 0:
                    while True:
                        try:
                            os.fork()
                        except OSError:
                            time.sleep(0.001)
            except OSError:
                pass

    def gorge(self, context):
        held = []
        while True:
            held.append(bytearray(os.urandom(1) * (8 << 20)))

    def write(self, context):
        if os.fork() == 0:
            while True:
                os.write(1, b"x" * 65536)

    def lines(self, context):
        if os.fork() == 0:
            while True:
                os.write(1, b"x\n" * 2048)

    def newlines(self, context):
        if os.fork() == 0:
            while True:
                os.write(1, b"\n" * 65536)

    def load(self, context):
        """Requests eight loads at a time, forever."""

        def loaded(value, failure):
            if context.is_open:
                context.load(PROVIDER, "public.url", loaded)

        for _ in range(8):
            context.load(PROVIDER, "public.url", loaded)

    def view(self, context):
        """Shows a view as soon as the host has seen the previous one."""
        sequence = 0
        tree = {"kind": "stack", "views": [{"kind": "label", "text": "x" * 40} for _ in range(400)]}

        def show():
            nonlocal sequence
            sequence += 1
            serial = self.connection.send(SHOW_VIEW, {"request": context.request, "sequence": sequence}, tree)
            self.loads[serial] = (context, {}, lambda value, failure: show())

        show()

    def misuse(self, context):
        context.complete()
        while True:
            self.connection.send(CONTEXT_FAULT, {"request": context.request, "detail": "x" * 500})
            while self.connection.waiting:
                self.handle(self.connection.receive())

    def url(self, context):
        while True:
            self.connection.send(OPEN_URL, {"request": context.request, "url": "x:" + "y" * 8000})
            self.connection.receive()


setattr(Evil, "return", lambda self, context: context.complete(context.items))


# The attacker.


class Client(scene.Connection if "scene" in globals() else object):
    """A client that obeys the protocol and counts its actions."""

    def __init__(self, attacker, role="host", name="attacker", **more):
        link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        link.connect(attacker.path)
        exthost.Connection.__init__(self, link)
        hello = {"minimum": "1.0", "maximum": "1.1", "role": role, "sdk": "attacks", "limits": exthost.WINDOW, **more}
        self.hello({**hello, "name": name} if role == "host" else hello)
        self.attacker, self.welcome = attacker, self.receive().body
        self.answered = set()

    def deal(self):
        """Handles one packet: acknowledges the end of a request, and answers a load."""
        packet = self.receive()
        if packet.kind == FINISHED:
            self.send(exthost.ACKNOWLEDGE, {"request": packet.body["request"]})
            self.answered.add(packet.body["request"])
        elif packet.kind == exthost.LOAD_ITEM:
            self.attacker.act()
            self.send(exthost.ITEM_LOADED, {}, {"value": "x" * 20000}, answers=packet.serial)
        elif packet.kind == SHOW_VIEW:
            self.attacker.act()
            self.send(SUCCESS, {}, answers=packet.serial)
        elif packet.kind == OUTPUT:
            self.attacker.act()
        return packet

    def flow(self, kind, body, contents=None):
        """Sends a message as soon as it has the credit."""
        self.send(kind, body, contents)
        self.attacker.act()
        while self.waiting:
            self.deal()

    def begin(self, act="return", extension=EVIL, types=("public.url",), more=None):
        request = str(uuid.uuid4()).upper()
        provider = {**PROVIDER, "types": list(types)}
        items = [exthost.item({"do": act, **(more or {}), "NSExtensionItemAttachmentsKey": [provider]})]
        self.flow(BEGIN, {"request": request, "extension": extension, "attachments": [[list(types)]]}, items)
        return request

    def ask(self, kind, body):
        serial = self.send(kind, body)
        self.attacker.act()
        while self.deal().answers != serial:
            pass

    def serve(self):
        while True:
            self.deal()


class Attacker:
    def __init__(self, path, counter):
        self.path, self.counter = path, counter

    def act(self):
        struct.pack_into("<Q", self.counter, 0, struct.unpack_from("<Q", self.counter)[0] + 1)

    def link(self):
        link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        link.connect(self.path)
        return link

    def raw(self, role="host"):
        """Connects a client that has sent its hello; its other messages are free."""
        peer = hostile.Peer(self.link(), role)
        peer.hello(maximum="1.1", name="attacker" if role == "host" else None)
        peer.wait(exthost.WELCOME)
        return peer

    def again(self, body):
        """Repeats an action forever, over new connections."""
        while True:
            try:
                body()
            except (OSError, SystemExit):
                pass
            self.act()

    def cut_off(self, body):
        """Connects, acts until the daemon ends the connection, and starts again."""

        def once():
            peer = self.raw()
            try:
                body(peer)
                peer.verdict()
            finally:
                peer.door.close()

        self.again(once)

    # Connections.

    def connects(self):
        self.again(lambda: self.link().close())

    def leavesAByte(self):
        """Against a host that connects anew: the earlier connections have data to read, and no reader."""

        def once():
            link = self.link()
            link.send(b"x")
            link.close()

        self.again(once)

    def staysSilent(self):
        held = []

        def once():
            held.append(self.link())
            if len(held) > 500:
                held.pop(0).close()

        self.again(once)

    def saysHello(self):
        self.again(lambda: self.raw().door.close())

    def saysHelloToMany(self):
        held = []

        def once():
            held.append(self.raw())
            if len(held) > 200:
                held.pop(0).door.close()

        self.again(once)

    def resumesStrangers(self):
        def once():
            peer = hostile.Peer(self.link(), "host")
            peer.hello(
                maximum="1.1", name="attacker", resumable=True, resumption={"token": os.urandom(16), "received": 1}
            )
            peer.receive()
            peer.door.close()

        self.again(once)

    def saysRubbish(self):
        self.cut_off(lambda peer: peer.raw(os.urandom(4000)))

    def saysNothingMuch(self):
        self.cut_off(lambda peer: peer.raw(b""))

    def nests(self):
        self.cut_off(hostile.deep)

    def circles(self):
        self.cut_off(hostile.circle)

    def leavesUnread(self):
        """Closes with answers in flight."""

        def once():
            peer = self.raw("control")
            for _ in range(30):
                peer.send(STATUS, {})
            peer.door.close()

        self.again(once)

    # Questions.

    def fences(self):
        client = Client(self)
        while True:
            client.flow(exthost.FENCE, {})

    def fencesDeaf(self):
        """Reads no answer."""
        self.cut_off(lambda peer: [peer.send(exthost.FENCE, {}) or self.act() for _ in range(64)] and time.sleep(0.2))

    def lists(self):
        client = Client(self, "control")
        while True:
            client.ask(LIST_EXTENSIONS, {"criteria": ["*"] * 16, "allVersions": True, "allCopies": True})

    def asksStatus(self):
        client = Client(self, "control")
        while True:
            client.flow(STATUS, {})
            client.flow(GET_CONFIGURATION, {})
            client.flow(GET_STATISTICS, {})

    def watchesDeaf(self):
        """Requests the log on many connections and never reads it."""
        peers = []

        def once():
            peer = self.raw("control")
            peer.send(WATCH, {"since": 0, "follow": True})
            peers.append(peer)
            if len(peers) > 40:
                peers.pop(0).door.close()

        self.again(once)

    def watchesAll(self):
        client = Client(self, "control")
        while True:
            client.ask(WATCH, {"since": 0, "follow": False})

    def readsLogs(self):
        client = Client(self, "control")
        while True:
            client.ask(READ_LOG, {"name": EVIL, "follow": False})

    def matches(self):
        client = Client(self, "control")
        types = [[f"org.example.type{number}" for number in range(16)]] * 16
        while True:
            client.ask(MATCH, {"attachments": [types] * 4})

    def explains(self):
        client = Client(self, "control")
        types = [["public.plain-text" for _ in range(16)]] * 16
        while True:
            client.ask(EXPLAIN, {"extension": PICKY, "attachments": [types] * 4})

    def registers(self):
        client = Client(self)
        while True:
            client.ask(REGISTER, {"path": "/usr/bin/true"})
            client.ask(REGISTER, {"path": "/proc/self/exe"})

    def addsBundles(self):
        client = Client(self, "control")
        while True:
            client.ask(ADD_BUNDLE, {"path": "/usr/share"})

    # Requests.

    def beginsStrangers(self):
        client = Client(self)
        while True:
            client.begin(extension="org.exthost.nobody")

    def beginsRefused(self):
        client = Client(self)
        while True:
            client.begin(extension=PICKY, types=("org.example.none",), more={"text": "x" * 20000})

    def beginsAndCancels(self):
        client = Client(self)
        while True:
            client.flow(CANCEL, {"request": client.begin("hang")})

    def callsRefused(self):
        """Makes calls that its extension point does not list, and cancels them."""
        client = Client(self, maximum="1.2")
        request, number = client.begin("hang"), 0
        while True:
            number += 1
            body = {"request": request, "number": number}
            client.flow(exthost.CALL, {**body, "name": "test.none"}, {"text": "x" * 20000})
            client.flow(exthost.CANCEL_CALL, body)

    def beginsWithoutEnd(self):
        client = Client(self)
        while True:
            client.begin("hang")

    def returns(self):
        client = Client(self)
        while True:
            client.begin("return", more={"text": "x" * 20000})

    def returnsLarge(self):
        client = Client(self)
        while True:
            client.begin("return", more={"data": b"x" * (4 << 20)})

    def movesItsState(self):
        client = Client(self)
        for _ in range(16):
            client.begin("hang")
        while True:
            client.flow(SET_STATE, {"state": "background"})
            client.flow(SET_STATE, {"state": "active"})

    def sendsMemory(self, prepare):
        """Sends items in an invalid memory file."""

        def once():
            peer = self.raw()
            memory = os.memfd_create("items", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            prepare(memory)
            peer.serial += 1
            body = {"request": str(uuid.uuid4()).upper(), "extension": EVIL, "attachments": []}
            peer.raw(hostile.packet(BEGIN, body, serial=peer.serial, flags=1), [memory])
            os.close(memory)
            peer.receive()
            peer.door.close()

        self.again(once)

    def sendsUnsealed(self):
        self.sendsMemory(lambda memory: os.write(memory, plistlib.dumps([], fmt=plistlib.FMT_BINARY)))

    def sendsSparse(self):
        def prepare(memory):
            os.ftruncate(memory, 60 << 20)
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, exthost.SEALS)

        self.sendsMemory(prepare)

    def sendsDescriptors(self):
        def once():
            peer = self.raw()
            null = os.open("/dev/null", os.O_RDONLY)
            for _ in range(60):
                peer.serial += 1
                peer.raw(hostile.packet(exthost.FENCE, {}, serial=peer.serial), [null] * 16)
            os.close(null)
            peer.verdict()
            peer.door.close()

        self.again(once)

    def crashes(self):
        """Makes its extension crash each time. The breaker must not affect the other extension."""
        client = Client(self)
        while True:
            request = client.begin("crash", extension=FRAIL)
            while request not in client.answered:
                client.deal()

    # Their extensions.

    def keeps(self, act, count=1, **more):
        client = Client(self, **more)
        for _ in range(count):
            client.begin(act)
        client.serve()

    def loads(self):
        self.keeps("load", 8)

    def shows(self):
        self.keeps("view", 8)

    def spins(self):
        self.keeps("spin")

    def bombs(self):
        self.keeps("bomb")

    def gorges(self):
        self.keeps("gorge")

    def prints(self):
        self.keeps("write", output=True)

    def printsLines(self):
        self.keeps("lines")

    def printsNewlines(self):
        self.keeps("newlines")

    def misuses(self):
        self.keeps("misuse")

    def opens(self):
        self.keeps("url")


ATTACKS = [
    name
    for name, member in vars(Attacker).items()
    if not name.startswith("_") and name not in {"act", "link", "raw", "again", "cut_off", "keeps", "sendsMemory"}
]

# For these attacks, the quiet host connects for each of its requests.
ANEW = {"connects", "leavesAByte"}


# The quiet host, and the measurement.


def bundle(applications, name, rule="TRUEPREDICATE"):
    folder = f"{applications}/{name}.app"
    appex = f"{folder}/PlugIns/{name}.appex"
    os.makedirs(appex)
    extension = {
        "NSExtensionPointIdentifier": "com.apple.services",
        "NSExtensionAttributes": {"NSExtensionActivationRule": rule},
    }
    for path, content in (
        (folder, {"CFBundleIdentifier": f"org.exthost.{name}"}),
        (
            appex,
            {
                "CFBundleIdentifier": f"org.exthost.{name}.attacks",
                "CFBundleExecutable": "evil.py",
                "CFBundlePackageType": "XPC!",
                "CFBundleName": name,
                "CFBundleVersion": "1",
                "NSExtension": extension,
            },
        ),
    ):
        with open(f"{path}/Info.plist", "wb") as file:
            plistlib.dump(content, file)
    shutil.copy(os.path.abspath(__file__), f"{appex}/evil.py")
    os.chmod(f"{appex}/evil.py", 0o755)
    shutil.copy(os.path.abspath(exthost.__file__), appex)


class Quiet:
    anew = False  # whether it connects for each request

    def __init__(self, daemon):
        self.daemon = daemon
        self.pids = {os.getpid(), daemon.process.pid}
        self.connect()

    def waited(self):
        """Returns how long the main threads of a request's processes have waited for a processor, in milliseconds."""
        total = 0
        for pid in self.pids:
            try:
                with open(f"/proc/{pid}/schedstat") as file:
                    total += int(file.read().split()[1])
            except OSError:
                pass  # The process has ended.
        return total / 1e6

    def connect(self):
        self.connection = scene.Connection(self.daemon.socket, "host", "quiet")
        self.connection.socket.settimeout(PATIENCE)

    def request(self):
        """Returns the time of one request, and its wait for processors, in ms. Raises if it did not complete."""
        before = self.waited()
        start = time.monotonic()
        if self.anew:
            self.leave()
            self.connect()
        request = str(uuid.uuid4()).upper()
        body = {"request": request, "extension": QUIET, "attachments": []}
        self.connection.send(BEGIN, body, [exthost.item({"do": "return"})])
        while (packet := self.connection.receive()).kind != FINISHED:
            if packet.kind == exthost.BEGUN and packet.body.get("pid"):
                self.pids = {os.getpid(), self.daemon.process.pid, packet.body["pid"]}
        took = time.monotonic() - start
        self.connection.send(exthost.ACKNOWLEDGE, {"request": request})
        if packet.body["outcome"] != "completed":
            raise RuntimeError(f"a request of the quiet host: {packet.body['cause']} {packet.body.get('detail', '')}")
        return took * 1000, self.waited() - before

    def requests(self, seconds):
        end, found = time.monotonic() + seconds, []
        while time.monotonic() < end or len(found) < 10:
            found.append(self.request())
        return found

    def leave(self):
        self.connection.socket.close()


def attacked(daemon, name):
    """Starts the attacker. Returns its process and its counter."""
    counter = mmap.mmap(-1, 8)
    pid = os.fork()
    if pid == 0:
        try:
            daemon.close_here()
            signal.alarm(PATIENCE * 4)
            getattr(Attacker(daemon.socket, counter), name)()
        except BaseException as error:
            print(f"{name}: the attacker ended: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)
    return pid, counter


def figures(values):
    ordered = sorted(values)
    slowest = ordered[len(ordered) * 99 // 100 :]
    waited = sum(waited for _, waited in slowest) / len(slowest)
    return {
        "count": len(ordered),
        "p50": round(ordered[len(ordered) // 2][0], 3),
        "p99": round(slowest[0][0], 3),
        "waited": round(waited, 3),
    }


def one(name, daemon, seconds, judge):
    idle, loud, acts, wrong = [], [], 0, []
    quiet = Quiet(daemon)
    quiet.anew = name in ANEW
    try:
        for _ in range(20):
            quiet.request()
        idle = quiet.requests(seconds)
        pid, counter = attacked(daemon, name)
        try:
            start = time.monotonic()
            while not struct.unpack_from("<Q", counter)[0] and time.monotonic() < start + PATIENCE:
                quiet.request()
            loud = quiet.requests(seconds)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        acts = struct.unpack_from("<Q", counter)[0]
        if not acts:
            wrong.append("the attacker did nothing")
        limit = 2 * figures(idle)["p99"] + 5
        if judge and figures(loud)["p99"] > limit:
            found = figures(loud)
            wrong.append(
                f"the slowest in a hundred took {found['p99']} ms, above {limit:.3f} ms; "
                f"for {found['waited']} ms host, daemon or extension waited for a processor"
            )
    except (Exception, SystemExit) as error:
        wrong.append(f"the quiet host: {error!r}")
    quiet.leave()
    result = {
        "attack": name,
        "acts": acts,
        "idle": figures(idle) if idle else None,
        "loud": figures(loud) if loud else None,
    }
    if daemon.process.poll() is not None:
        wrong.append(f"the daemon ended with {daemon.process.returncode}")
        daemon.was_killed()
    else:
        for extension in (QUIET, EVIL, FRAIL):
            daemon.control.send(KILL, {"extension": extension})
            while daemon.control.receive().kind not in (KILLED, exthost.ERROR):
                pass
        left, _ = scene.until(daemon.leftovers, scene.GONE)
        wrong += left + daemon.end()
    return {**result, "wrong": wrong}


def main():
    program, parent, *arguments = sys.argv[1:]
    options, names, seconds, judge = ["--timer", "idle=60s"], [], 2.0, False
    while arguments:
        word = arguments.pop(0)
        if word == "--seconds":
            seconds = float(arguments.pop(0))
        elif word == "--judge":
            judge = True
        elif word == "--share":
            number, parts = map(int, arguments.pop(0).split("/"))
            names += ATTACKS[number - 1 :: parts]
        elif word == "--option":
            options.append(arguments.pop(0))
        elif word in ATTACKS:
            names.append(word)
        else:
            sys.exit(f"attacks: there is no attack {word}; there are {', '.join(ATTACKS)}")
    failed = False
    for name in names or ATTACKS:
        with tempfile.TemporaryDirectory(prefix="attacks-", dir=parent) as folder:
            applications, temporary = f"{folder}/Applications", f"{folder}/temporary"
            os.mkdir(temporary)
            for bundled in ("quiet", "evil", "frail"):
                bundle(applications, bundled)
            bundle(applications, "picky", " OR ".join(RULE % number for number in range(20)))
            daemon = scene.Daemon(program, applications, temporary, options)
            found = one(name, daemon, seconds, judge)
            failed = failed or bool(found["wrong"])
            print(json.dumps(found), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    if "EXTHOST_EXTENSION_FD" in os.environ:
        Evil().run()
    else:
        main()
