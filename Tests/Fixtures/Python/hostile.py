#!/usr/bin/env python3
# hostile: a peer of the daemon that breaks the protocol in one way, written from docs/protocol.md without the project's kits.
"""As an extension its act is the name under which it is executed; as a client: hostile.py host|control ACT, with EXTHOST_SOCKET.

An act whose name begins with `first` stands in place of the hello; any other comes after the welcome, of an extension after
its first request. A client prints what the daemon's last words were, or what else became of it, as one line of JSON.
"""

import ctypes
import fcntl
import json
import os
import plistlib
import select
import signal
import socket
import struct
import sys
import tempfile
import time
import uuid

HELLO, FENCE, CREDIT, ERROR, WELCOME, DELIVER, LOAD, COMPLETE, BEGIN = 1, 2, 3, 0xFF, 0x81, 0x201, 0x221, 0x211, 0x101
CANCELLED, TERMINATE, CANCEL_REQUEST, ACKNOWLEDGE = 0x203, 0x205, 0x212, 4
REQUEST = str(uuid.uuid4()).upper()  # nobody's, until a host begins it


def plist(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)


def packet(kind, body=b"", serial=1, answers=0, flags=0, length=None):
    data = body if isinstance(body, bytes) else plist(body)
    return struct.pack("<HHIII", kind, flags, len(data) if length is None else length, serial, answers) + data


class Peer:
    def __init__(self, door, role):
        self.door, self.role, self.serial, self.request = door, role, 0, REQUEST

    def raw(self, data, descriptors=()):
        socket.send_fds(self.door, [data], descriptors)

    def send(self, kind, body, **more):
        self.serial += 1
        self.raw(packet(kind, body, **{"serial": self.serial, **more}))

    def hello(self, minimum="1.0", maximum="1.0", role=None, window=(64, 524288), **more):
        body = {"minimum": minimum, "maximum": maximum, "role": role or self.role, "sdk": "hostile"}
        body["limits"] = {"packets": window[0], "bytes": window[1]}
        if (role or self.role) == "host" and "name" not in more:
            body["name"] = "hostile"
        body.update({key: value for key, value in more.items() if value is not None})
        self.send(HELLO, body)

    def receive(self):
        """The next packet's kind and body; None at the end."""
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self.door, 16 + 65536, 16)
            except ConnectionResetError:
                continue  # the daemon closed with something of ours unread; what it had sent is still there
            for descriptor in descriptors:
                os.close(descriptor)
            if not data:
                return None
            return struct.unpack("<H", data[:2])[0], plistlib.loads(data[16:])

    def wait(self, kind):
        while found := self.receive():
            if found[0] == kind:
                return found[1]
        raise SystemExit(f"the connection ended before 0x{kind:x} came")

    def verdict(self):
        """What the daemon says before it closes."""
        words = {}
        while found := self.receive():
            if found[0] == ERROR:
                words = found[1]
        return words or {"code": -1, "message": "closed without a word"}


# In place of the hello.


def firstGarbage(peer):
    peer.raw(bytes(range(64)))


def firstEmpty(peer):
    peer.raw(b"")


def firstFence(peer):
    peer.send(FENCE, {})


def firstBegin(peer):
    peer.send(BEGIN if peer.role != "extension" else COMPLETE, {"request": REQUEST})


def firstLater(peer):
    peer.hello("2.0", "3.0")


def firstEarlier(peer):
    peer.hello("0.1", "0.9")


def firstUpsideDown(peer):
    peer.hello("1.5", "1.0")


def firstNoVersion(peer):
    peer.hello("one", "two")


def firstRole(peer):
    peer.hello(role="extension" if peer.role != "extension" else "host", name="liar")


def firstNoRole(peer):
    peer.hello(role="operator")


def firstNoWindow(peer):
    peer.hello(window=(0, 0))


def firstNegativeWindow(peer):
    peer.hello(window=(-1, -(2**63)))


def firstName(peer):
    peer.hello(name="a/b")


# After the welcome.


def garbage(peer):
    peer.raw(bytes(range(64)))


def short(peer):
    peer.raw(b"\x02\x00\x00\x00\x00\x00")


def cut(peer):
    peer.send(FENCE, {}, length=1000)


def longer(peer):
    peer.send(FENCE, {}, length=1)


def oversized(peer):
    peer.send(FENCE, {"ignored": bytes(100_000)})


def overLimit(peer):
    peer.send(FENCE, bytes(65_537))


def empty(peer):
    peer.raw(b"")


def laterKind(peer):
    peer.send(0x7777, {})


def laterFlag(peer):
    peer.send(FENCE, {}, flags=0x8000)


def gap(peer):
    peer.serial += 1
    peer.send(FENCE, {})


def repeat(peer):
    peer.send(FENCE, {})
    peer.serial -= 1
    peer.send(FENCE, {})


# Floods: without regard for credit, and without reading what comes back.


def flood(peer):
    endlessly(peer, FENCE, {})


def floodLarge(peer):
    endlessly(peer, FENCE, {"ignored": bytes(60_000)})


def floodUnanswered(peer):
    # Nothing that would be answered: all that the daemon has to say is how much more may come.
    endlessly(peer, 0x213 if peer.role == "extension" else 4, {"request": REQUEST})


def endlessly(peer, kind, body):
    try:
        while True:
            peer.send(kind, body)
    except (BrokenPipeError, ConnectionResetError):
        pass  # cut off


def creditNothing(peer):
    peer.raw(packet(CREDIT, {"packets": 0, "bytes": 0}, serial=0))


def creditTooMuch(peer):
    peer.raw(packet(CREDIT, {"packets": 2**62, "bytes": 2**62}, serial=0))


def creditCounted(peer):
    peer.send(CREDIT, {"packets": 1, "bytes": 1})


def daemonsKind(peer):
    peer.send(DELIVER, {"request": REQUEST, "host": "me", "hostState": "active"})


def anothersKind(peer):
    body = {
        "request": REQUEST,
        "extension": "org.exthost.tests.puppet",
        "attachments": [],
        "work": False,
        "payload": b"",
    }
    peer.send(COMPLETE if peer.role != "extension" else BEGIN, body)


def unknownAnswer(peer):
    peer.send(0x82, {}, answers=4711)


def helloAgain(peer):
    peer.hello()


def array(peer):
    peer.send(FENCE, [])


def text(peer):
    peer.send(FENCE, plistlib.dumps({}, fmt=plistlib.FMT_XML))


def circle(peer):
    # One array, whose only element is itself, in a dictionary.
    peer.send(
        FENCE, b"bplist00\xd1\x01\x02\x51a\xa1\x02\x08\x0b\x0d" + bytes(6) + b"\x01\x01" + struct.pack(">QQQ", 3, 0, 15)
    )


def deep(peer):
    value = []
    for _ in range(200):
        value = [value]
    peer.send(FENCE, {"a": value})


OWN = {"host": BEGIN, "control": 0x305, "extension": COMPLETE}


def missingKey(peer):
    peer.send(OWN[peer.role], {})


def wrongType(peer):
    peer.send(OWN[peer.role], {"request": 1, "host": 1, "work": 1})


def descriptors(peer):
    peer.serial += 1
    peer.raw(packet(FENCE, {}, serial=peer.serial), [0] * 20)


def noDescriptor(peer):
    peer.send(OWN[peer.role], {"request": peer.request, "work": False}, flags=1)


# Of extensions only: no breach of the page, but of manners.


def exitsBeforeHello(peer):
    sys.exit(3)


def stopsBeforeHello(peer):
    os.kill(os.getpid(), signal.SIGSTOP)


def closesBeforeHello(peer):
    peer.door.close()
    forever()


def forksTwice(peer):
    # As a daemon of old would: who was launched is gone, and a grandchild goes on in its place.
    reading, writing = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            report()
            peer.hello()
            os.write(writing, b"x")
            forever()
        os._exit(0)
    os.read(reading, 1)
    os._exit(0)


def hugeWindow(peer):
    peer.hello(window=(2**63 - 1, 2**63 - 1))
    peer.wait(WELCOME)
    peer.request = peer.wait(DELIVER)["request"]
    complete(peer)


def stops(peer):
    os.kill(os.getpid(), signal.SIGSTOP)


def deaf(peer):
    forever()


def surrounds(peer):
    # Leaves behind what is hard to find: out of its session, stopped, forking.
    reading, writing = os.pipe()
    for stopped in False, True:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                report()
                os.write(writing, b"x")
                if stopped:
                    os.kill(os.getpid(), signal.SIGSTOP)
                forever()
            os._exit(0)
    if os.fork() == 0:
        os.setsid()
        os.write(writing, b"x")
        while True:
            if os.fork():
                os._exit(0)
    for _ in range(3):
        os.read(reading, 1)
    report()
    forever()


# Of those that will not go; each says when it has begun.


def shrugs(peer):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    report()
    forever()


def stands(peer):
    report()
    os.kill(os.getpid(), signal.SIGSTOP)


def spins(peer):
    report()
    while True:
        pass


def forksOn(peer):
    # A chain, of which there is one link at a time, each with another number.
    if os.fork() == 0:
        report()
        while True:
            if os.fork():
                os._exit(0)
    forever()


def escapes(peer):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            report()
            forever()
        os._exit(0)
    forever()


def leaks(peer):
    leak(peer, escape=False)


def leaksFarther(peer):
    leak(peer, escape=True)


def leak(peer, escape):
    reading, writing = os.pipe()
    if os.fork() == 0:
        if escape:
            os.setsid()
        report()
        os.write(writing, b"x")
        forever()  # with the socket and the pipes of the log
    os.read(reading, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def killsItsGuardian(peer, escape=False):
    # And wants to hear nothing of its death. A guardian's is the daemon's namespace: numbers are those outside.
    ctypes.CDLL(None).prctl(1, 0)  # PR_SET_PDEATHSIG
    reading, writing = os.pipe()
    if os.fork() == 0:
        if escape:
            os.setsid()
        os.write(1, b"%d\n" % os.getpid())
        os.write(writing, b"x")
        forever()
    os.read(reading, 1)
    os.write(1, b"%d\n" % os.getpid())
    os.kill(os.getppid(), signal.SIGKILL)
    forever()


def killsItsGuardianAndEscapes(peer):
    killsItsGuardian(peer, escape=True)


def locksLate(peer):
    """Cannot be stopped, as it waits for what it has started by vfork(2); and what it has started before, in a session of its own,
    takes a lock on the file that the request names once the signal to stop is on its way."""
    peer.hello()
    peer.wait(WELCOME)
    path = plistlib.loads(peer.wait(DELIVER)["payload"])[0]["userInfo"]["argument"]
    extension = os.getpid()
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        peer.door.close()
        os.write(writing, b"x")
        while not waits_for_it(signal.SIGSTOP, extension):
            time.sleep(0.0005)
        file = open(path, "w")
        fcntl.flock(file, fcntl.LOCK_EX)
        while os.getppid() == extension:
            time.sleep(0.01)
        os._exit(0)
    os.read(reading, 1)
    ctypes.CDLL(None).vfork()
    forever()


def waits_for_it(number, pid):
    """Whether a signal to the whole process is pending."""
    with open(f"/proc/{pid}/status") as status:
        pending = next(line for line in status if line.startswith("ShdPnd:"))
    return int(pending.split()[1], 16) >> (number - 1) & 1 == 1


def ignoresTerm(peer):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    complete(peer)


def prints(peer):
    for stream in (sys.stdout.buffer, sys.stderr.buffer):
        stream.write(b"secret!\n" * (512 * 1024))  # 4 MiB
        stream.flush()
    complete(peer)


def completesAtOnce(peer):
    complete(peer)


def completesTwice(peer):
    complete(peer, 1)
    complete(peer, 2)


def cancelsAfterComplete(peer):
    complete(peer, 1)
    peer.send(CANCEL_REQUEST, {"request": peer.request, "payload": plist({"$kind": "error", "domain": "d", "code": 1})})


def completesLate(peer):
    peer.wait(CANCELLED)
    complete(peer)


def completesAnother(peer):
    peer.send(COMPLETE, {"request": REQUEST, "work": False})
    complete(peer)


def loadsAnother(peer):
    peer.send(LOAD, {"request": REQUEST, "provider": 1, "type": "public.url"})
    code = peer.wait(ERROR)["code"]
    complete(peer, code)


def loadsSecret(peer):
    """A type that the items did not name; completes with the error's code."""
    peer.send(LOAD, {"request": peer.request, "provider": 1, "type": "org.example.secret"})
    answer = plistlib.loads(peer.wait(0x2A1)["payload"])
    complete(peer, answer.get("error", {}).get("code", 0))


def finishesNothing(peer):
    peer.send(0x213, {"request": REQUEST})
    complete(peer)


def cancelsNothing(peer):
    peer.send(0x222, {"request": peer.request, "load": 4711})
    peer.send(0x222, {"request": REQUEST, "load": 1})
    complete(peer)


def gorges(peer):
    """Loads as long as its credit lasts and gives none back for what it gets; says when it can ask no more, and on SIGUSR1
    takes everything. Counts the questions that have got an answer."""
    credit, owed = {"packets": 64, "bytes": 524288}, [0, 0]
    question = plist({"request": peer.request, "provider": 1, "type": "public.data"})
    size, asked, answered, takes = 16 + len(question), 0, set(), False
    while len(answered) < 1000:
        may = asked < 1000 and credit["packets"] > 0 and credit["bytes"] >= size
        if may:
            peer.send(LOAD, question)
            asked += 1
            credit["packets"] -= 1
            credit["bytes"] -= size
        # A daemon that is still at work has a moment; one that is not stands still.
        if not select.select([peer.door], [], [], 0 if may else 0.5 if not takes else None)[0]:
            if not may:
                os.write(1, b"full %d\n" % asked)
                signal.sigwait({signal.SIGUSR1})
                takes = True
                give_back(peer, owed)
            continue
        data, descriptors, _, _ = socket.recv_fds(peer.door, 16 + 65536, 16)
        for descriptor in descriptors:
            os.close(descriptor)
        kind, _, _, _, answers = struct.unpack("<HHIII", data[:16])
        if kind == CREDIT:
            given = plistlib.loads(data[16:])
            credit = {key: credit[key] + given[key] for key in credit}
            continue
        answered.add(answers)
        owed[0] += 1
        owed[1] += len(data)
        if takes:
            give_back(peer, owed)
    complete(peer, len(answered))


def give_back(peer, owed):
    if owed[0]:
        peer.raw(packet(CREDIT, {"packets": owed[0], "bytes": owed[1]}, serial=0))
    owed[:] = [0, 0]


def changesItsMind(peer):
    """From SIGUSR1 on begins 3000 loads and cancels each at once; reads as it should, and counts the answers."""
    signal.sigwait({signal.SIGUSR1})
    complete(peer, len(begin_and_cancel(peer, 3000, {"packets": 64, "bytes": 524288})))


def changesItsMindAgain(peer):
    """Begins 300 loads for each request that it gets, cancels each at once, and counts those that its host had no room for."""
    credit = {"packets": 64, "bytes": 524288}
    while True:
        words = begin_and_cancel(peer, 300, credit)
        complete(peer, sum("including those of ended requests" in text for text in words.values()))
        credit["packets"] -= 1
        credit["bytes"] -= 1024
        while found := peer.receive():
            if found[0] == CREDIT:
                credit.update({key: credit[key] + found[1][key] for key in credit})
            if found[0] == DELIVER:
                peer.request = found[1]["request"]
                break


def begin_and_cancel(peer, count, credit):
    """What each load was answered, by its serial."""
    owed, answered = [0, 0], {}
    messages = []
    for load in range(1, count + 1):
        messages.append(
            (LOAD, plist({"request": peer.request, "provider": 1, "type": "public.plain-text", "load": load}))
        )
        messages.append((0x222, plist({"request": peer.request, "load": load})))
    messages.reverse()
    while messages or len(answered) < count:
        while messages and credit["packets"] > 0 and credit["bytes"] > 16 + len(messages[-1][1]):
            kind, body = messages.pop()
            peer.send(kind, body)
            credit["packets"] -= 1
            credit["bytes"] -= 16 + len(body)
        data = peer.door.recv(16 + 65536)
        kind, _, _, _, answers = struct.unpack("<HHIII", data[:16])
        if kind == CREDIT:
            given = plistlib.loads(data[16:])
            credit.update({key: credit[key] + given[key] for key in credit})
            continue
        answered[answers] = plistlib.loads(data[16:]).get("message", "")
        owed[0] += 1
        owed[1] += len(data)
        give_back(peer, owed)
    return answered


def returnsUnsealed(peer):
    returns_value(peer, [os.memfd_create("unsealed")])


def returnsNoMemory(peer):
    returns_value(peer, [os.open("/dev/zero", os.O_RDONLY)])


def returnsNoDescriptor(peer):
    returns_value(peer, [])


def returns_value(peer, descriptors):
    """Completes with data that is said to be in a descriptor."""
    items = [{"$kind": "item", "userInfo": {"answer": {"$kind": "data", "descriptor": 0}}}]
    peer.serial += 1
    body = {"request": peer.request, "work": False, "payload": plist(items)}
    peer.raw(packet(COMPLETE, body, serial=peer.serial), descriptors)


def returnsNoFile(peer):
    returns_file(peer, os.open("/dev/zero", os.O_RDONLY))


def returnsWritableFile(peer):
    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    returns_file(peer, descriptor)


def returns_file(peer, descriptor):
    """Completes with a file that is said to be in a descriptor."""
    representation = {"type": "public.data", "value": {"$kind": "url", "string": "file:///x"}, "file": 0}
    provider = {"$kind": "loadedProvider", "representations": [representation]}
    peer.serial += 1
    items = [{"$kind": "item", "userInfo": {"NSExtensionItemAttachmentsKey": [provider]}}]
    body = {"request": peer.request, "work": False, "payload": plist(items)}
    peer.raw(packet(COMPLETE, body, serial=peer.serial), [descriptor])


def sparseMemory(peer):
    """Sealed memory of 3.9 GiB of which nothing was written: whoever reads it makes its pages."""
    memory = os.memfd_create("sparse", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, 31 << 27)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    returns_value(peer, [memory])


def sparseFile(peer):
    """A file of a tebibyte that takes no room."""
    path = os.path.join(os.environ["HOME"], "sparse")
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    returns_file(peer, os.open(path, os.O_RDONLY))


def answersNonsense(peer):
    peer.send(COMPLETE, {"request": peer.request, "work": False, "payload": b"no property list"})


def answersUnsealed(peer):
    peer.serial += 1
    reading, _ = os.pipe()
    peer.raw(packet(COMPLETE, {"request": peer.request, "work": False}, serial=peer.serial, flags=1), [reading])


def answersBeforeDelivery(peer):
    # A request that waits for a debugger, and of which another one tells: it answers that one, too, and dies.
    peer.hello()
    peer.wait(WELCOME)
    body = peer.wait(DELIVER)
    peer.request = body["request"]
    other = plistlib.loads(body["payload"])[0]["userInfo"]["argument"]
    complete(peer)
    peer.wait(4)
    peer.send(COMPLETE, {"request": other, "work": False})
    os.kill(os.getpid(), signal.SIGKILL)


def complete(peer, number=1):
    items = [{"$kind": "item", "userInfo": {"answer": number}}]
    peer.send(COMPLETE, {"request": peer.request, "work": False, "payload": plist(items)})


def report():
    # That this process is there. Which number it has outside of its namespace, nobody knows inside.
    os.write(1, b"here\n")


def forever():
    while True:
        time.sleep(1000)


# Of hosts: what they send to a sound extension.


def begin(peer, extension="org.exthost.tests.puppet", **more):
    body = {"request": REQUEST, "extension": extension, "attachments": [], **more}
    peer.send(BEGIN, body)


def nonsenseItems(peer):
    begin(peer, payload=b"no property list")
    return outcome(peer)


def noItems(peer):
    begin(peer)
    return outcome(peer)


def unsealedItems(peer):
    peer.serial += 1
    reading, _ = os.pipe()
    body = {"request": REQUEST, "extension": "org.exthost.tests.puppet", "attachments": []}
    peer.raw(packet(BEGIN, body, serial=peer.serial, flags=1), [reading])
    return peer.wait(ERROR)


def shrinkingItems(peer):
    """Data in memory without seals, of which nothing is left when the extension looks."""
    memory = os.memfd_create("shrinking", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, 1 << 20)
    peer.serial += 1
    items = [{"$kind": "item", "userInfo": {"do": "return", "blob": {"$kind": "data", "descriptor": 0}}}]
    body = {"request": REQUEST, "extension": "org.exthost.tests.puppet", "attachments": [], "payload": plist(items)}
    peer.raw(packet(BEGIN, body, serial=peer.serial), [memory])
    os.ftruncate(memory, 0)
    return peer.wait(ERROR)


def shrinkingPayload(peer):
    """All of the items in such memory."""
    memory = os.memfd_create("shrinking", os.MFD_ALLOW_SEALING)
    os.write(memory, plist([{"$kind": "item", "userInfo": {"do": "return", "blob": b"x" * 100000}}]))
    peer.serial += 1
    body = {"request": REQUEST, "extension": "org.exthost.tests.puppet", "attachments": []}
    peer.raw(packet(BEGIN, body, serial=peer.serial, flags=1), [memory])
    os.ftruncate(memory, 10)
    return peer.wait(ERROR)


def emptyItems(peer):
    begin(peer, payload=plist([{"$kind": "item", "userInfo": {"$kind": 7}}, 5]))
    return outcome(peer)


def nonsenseLoad(peer):
    provider = {"$kind": "provider", "number": 1, "types": ["public.url"]}
    order = {"do": "load", "NSExtensionItemAttachmentsKey": [provider]}
    begin(peer, attachments=[[["public.url"]]], payload=plist([{"$kind": "item", "userInfo": order}]))
    peer.wait(LOAD)
    # The only question of the daemon's so far: begun, then loadItem; it has its second serial after the welcome's.
    peer.send(0x2A1, {"payload": b"no property list"}, answers=3)
    return outcome(peer)


def errorForLoad(peer):
    return load_answered(peer, 0xFE, {})


def load_answered(peer, kind, body):
    provider = {"$kind": "provider", "number": 1, "types": ["public.url"]}
    order = {"do": "load", "NSExtensionItemAttachmentsKey": [provider]}
    begin(peer, attachments=[[["public.url"]]], payload=plist([{"$kind": "item", "userInfo": order}]))
    peer.wait(LOAD)
    peer.send(kind, body, answers=3)


def ask(peer, act, argument=""):
    """Begins a request whose extension loads an attachment; returns the question."""
    provider = {"$kind": "provider", "number": 1, "types": ["public.data"]}
    order = {"do": act, "argument": argument, "NSExtensionItemAttachmentsKey": [provider]}
    begin(peer, attachments=[[["public.data"]]], payload=plist([{"$kind": "item", "userInfo": order}]))
    return peer.wait(LOAD)


def answersTwice(peer):
    ask(peer, "load")
    for _ in range(2):
        peer.send(0x2A1, {"payload": plist({"value": "x"})}, answers=3)


def answersAfterCancel(peer):
    """Says that it works, is told that nobody waits, and answers all the same, with more progress behind it."""
    question = ask(peer, "cancelLoad")
    told = {"request": question["request"], "load": question["load"], "total": 9}
    peer.send(0x223, {**told, "completed": 1})
    peer.wait(0x222)
    peer.send(0x2A1, {"payload": plist({"value": b"late"})}, answers=3)
    peer.send(0x223, {**told, "completed": 5})
    return outcome(peer)


def answersNoLoad(peer):
    """Begins a request after the other, reads what comes, and lets every load wait; prints what each request's answer was."""
    provider = {"$kind": "provider", "number": 1, "types": ["public.plain-text"]}
    payload = plist([{"$kind": "item", "userInfo": {"NSExtensionItemAttachmentsKey": [provider]}}])
    numbers, owed = [], [0, 0]
    while len(numbers) < 18:
        request = str(uuid.uuid4()).upper()
        begin(
            peer,
            "org.exthost.tests.changesItsMindAgain",
            request=request,
            attachments=[[["public.plain-text"]]],
            payload=payload,
        )
        while True:
            data = peer.door.recv(16 + 65536)
            kind, body = struct.unpack("<H", data[:2])[0], plistlib.loads(data[16:])
            if kind == CREDIT:
                continue
            owed[0] += 1
            owed[1] += len(data)
            give_back(peer, owed)
            if kind == 0x104:
                numbers.append(plistlib.loads(body["payload"])[0]["userInfo"]["answer"])
                peer.send(ACKNOWLEDGE, {"request": request})
                break
    return {"code": 0, "message": " ".join(map(str, numbers))}


def nonsenseProgress(peer):
    question = ask(peer, "load")
    peer.send(0x223, {"request": question["request"], "load": question["load"], "completed": 3, "total": 2})


def strangersProgress(peer):
    """Of a load that nobody asked for; means nothing."""
    peer.send(0x223, {"request": REQUEST, "load": 7, "completed": 1, "total": 2})
    begin(peer, payload=b"no property list")
    return outcome(peer)


def unsealedValue(peer):
    return strange_value(peer, "data", os.memfd_create("unsealed"))


def writableFile(peer):
    return strange_value(peer, "file", os.memfd_create("writable"))


def noFile(peer):
    return strange_value(peer, "file", os.open("/dev/zero", os.O_RDONLY))


def wrongClass(peer):
    """A number, where data was asked for."""
    ask(peer, "digest", "data")
    peer.send(0x2A1, {"payload": plist({"value": 5})}, answers=3)
    return outcome(peer)


def shrinkingFile(peer):
    """A file that is cut and grown for as long as it is read."""
    ask(peer, "digest", "file")
    with tempfile.TemporaryFile() as file:
        file.truncate(64 << 20)
        reading = os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY)
        peer.serial += 1
        body = {"payload": plist({"value": {"$kind": "file", "descriptor": 0, "name": "x"}})}
        peer.raw(packet(0x2A1, body, serial=peer.serial, answers=3), [reading])
        while not select.select([peer.door], [], [], 0)[0]:
            file.truncate(1000)
            file.truncate(64 << 20)
        return outcome(peer)


def strange_value(peer, kind, descriptor):
    ask(peer, "load")
    peer.serial += 1
    body = {"payload": plist({"value": {"$kind": kind, "descriptor": 0}})}
    peer.raw(packet(0x2A1, body, serial=peer.serial, answers=3), [descriptor])
    finished = peer.wait(0x104)
    returned = plistlib.loads(finished["payload"])[0]["userInfo"]
    return {"code": 0, "message": "refused" if "error" in returned else f"taken: {returned}"}


def silent(peer):
    """Has its answer and acknowledges nothing; waits for the process to end."""
    return acknowledge_nothing(peer)


def hasty(peer):
    """Acknowledges what has not come yet, so that nothing is acknowledged when it has."""
    return acknowledge_nothing(peer, hasty=True)


def acknowledge_nothing(peer, hasty=False):
    provider = {"$kind": "provider", "number": 1, "types": ["public.text"]}
    order = {"do": "load", "NSExtensionItemAttachmentsKey": [provider]}
    begin(peer, attachments=[[["public.text"]]], payload=plist([{"$kind": "item", "userInfo": order}]))
    peer.wait(LOAD)
    if hasty:
        peer.send(ACKNOWLEDGE, {"request": REQUEST})
    peer.send(0x2A1, {"payload": plist({"value": "x"})}, answers=3)
    finished = peer.wait(0x104)
    peer.wait(0x105)
    return {"code": 0, "message": finished["cause"]}


def acknowledgesAnother(peer):
    """Says that it has the answer to another host's request, given as an argument."""
    peer.send(ACKNOWLEDGE, {"request": sys.argv[3]})
    peer.send(FENCE, {})
    peer.wait(0x82)
    return {"code": 0, "message": "heard"}


def noTime(peer):
    begin(peer, timeout=float("nan"))
    return {"code": peer.wait(ERROR)["code"], "message": "nan"}


def outcome(peer):
    finished = peer.wait(0x104)
    return {"code": 0, "message": finished["cause"]}


def skewed(peer):
    """No fault at all: a client of other versions, given as two arguments, that asks one question."""
    peer.hello(*sys.argv[3:5])
    welcome = peer.receive()
    if welcome[0] == ERROR:
        return welcome[1]
    peer.send(0x301, {})
    peer.wait(0x381)
    return {"code": 0, "message": welcome[1]["version"]}


# Hosts that speak the newest version.
LATEST = {
    answersAfterCancel,
    nonsenseProgress,
    strangersProgress,
    unsealedValue,
    writableFile,
    noFile,
    wrongClass,
    shrinkingFile,
    changesItsMind,
    changesItsMindAgain,
    answersNoLoad,
}
BEFORE_HELLO = {
    skewed,
    exitsBeforeHello,
    stopsBeforeHello,
    closesBeforeHello,
    forksTwice,
    hugeWindow,
    answersBeforeDelivery,
    locksLate,
}


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # for those that wait for it
    signal.alarm(120)  # whatever goes wrong, it is not for ever
    if "EXTHOST_EXTENSION_FD" in os.environ:
        name = os.path.basename(sys.argv[0])
        door = socket.socket(fileno=int(os.environ["EXTHOST_EXTENSION_FD"]))
        door.setblocking(True)
        peer = Peer(door, "extension")
    else:
        role, name = sys.argv[1:3]
        door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        door.connect(os.environ["EXTHOST_SOCKET"])
        peer = Peer(door, role)
    act = globals()[name]
    if not name.startswith("first") and act not in BEFORE_HELLO:
        peer.hello(maximum="1.9" if act in LATEST else "1.0")
        peer.wait(WELCOME)
        if peer.role == "extension":
            peer.request = peer.wait(DELIVER)["request"]
    said = act(peer)
    if peer.role == "extension":
        forever()
    print(json.dumps(said or peer.verdict()), flush=True)


if __name__ == "__main__":
    main()
