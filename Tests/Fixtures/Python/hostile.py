#!/usr/bin/env python3
# hostile: a peer of the daemon that breaks the protocol in one way, by docs/protocol.md and without the kits.
"""An extension's act is the name of its executable; a client: hostile.py host|control ACT, with EXTHOST_SOCKET.

An act whose name begins with `first` replaces the hello. Any other act follows the welcome, in an extension its first
request. A client prints the daemon's last message, or its own end, as one line of JSON.
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
CALL, CALLED, CANCEL_CALL, CALL_PART, CALL_EXPIRES = 0x261, 0x2E1, 0x262, 0x263, 0x264
ANNOTATE, SUCCESS = 0x271, 0xFE
REQUEST = str(uuid.uuid4()).upper()  # unused, until a host begins it


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
        """Returns the next packet's kind and body; None at the end."""
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self.door, 16 + 65536, 16)
            except ConnectionResetError:
                continue  # the daemon closed with unread data of ours; its own data is still readable
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
        """Returns the daemon's last message before it closes."""
        words = {}
        while found := self.receive():
            if found[0] == ERROR:
                words = found[1]
        return words or {"code": -1, "message": "closed without a word"}


# Acts that replace the hello.


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


# Acts after the welcome.


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


# Floods: they ignore credit, and do not read the answers.


def flood(peer):
    endlessly(peer, FENCE, {})


def floodLarge(peer):
    endlessly(peer, FENCE, {"ignored": bytes(60_000)})


def floodUnanswered(peer):
    # These messages get no answer: the daemon only returns credit.
    endlessly(peer, 0x213 if peer.role == "extension" else 4, {"request": REQUEST})


def endlessly(peer, kind, body):
    try:
        while True:
            peer.send(kind, body)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the daemon closed the connection


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
    # An array in a dictionary whose only element is the array itself.
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


# Acts of extensions that obey the page, but behave badly.


def exitsBeforeHello(peer):
    sys.exit(3)


def stopsBeforeHello(peer):
    os.kill(os.getpid(), signal.SIGSTOP)


def closesBeforeHello(peer):
    peer.door.close()
    forever()


def forksTwice(peer):
    # Daemonizes: the launched process exits, and a grandchild continues.
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
    # Leaves processes that are hard to find: in other sessions, stopped, and forking.
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


# Acts that resist their end. Each reports once it has begun.


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
    # A chain of forks with one process at a time, each with another pid.
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
        forever()  # holds the socket and the pipes of the log
    os.read(reading, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def killsItsGuardian(peer, escape=False):
    # Clears the parent-death signal. Under a guardian, the pids are those of the daemon's namespace.
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
    """Cannot be stopped, because it waits for its vfork(2) child.

    An earlier child in a session of its own takes a lock on the file of the request, once the stop signal is pending.
    """
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
    """Requests a type that the items do not have; completes with the error's code."""
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
    """Requests loads while it has credit, and returns no credit for the answers. Reports when the credit is used up. On
    SIGUSR1 it reads everything, and counts the answered loads.
    """
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
        # The wait lets a busy daemon return credit. An idle one returns none.
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
    """After SIGUSR1 begins 3000 loads and cancels each at once. Reads as it should, and counts the answers."""
    signal.sigwait({signal.SIGUSR1})
    complete(peer, len(begin_and_cancel(peer, 3000, {"packets": 64, "bytes": 524288})))


def changesItsMindAgain(peer):
    """Begins 300 loads for each request, cancels each at once, and counts those refused by its host's limit."""
    credit = {"packets": 64, "bytes": 524288}
    while True:
        words = begin_and_cancel(peer, 300, credit)
        complete(peer, sum("also of other and ended requests" in text for text in words.values()))
        credit["packets"] -= 1
        credit["bytes"] -= 1024
        while found := peer.receive():
            if found[0] == CREDIT:
                credit.update({key: credit[key] + found[1][key] for key in credit})
            if found[0] == DELIVER:
                peer.request = found[1]["request"]
                break


def begin_and_cancel(peer, count, credit):
    """Returns the answer to each load by its serial."""
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
    """Completes with data that refers to a descriptor."""
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
    """Completes with a file that refers to a descriptor."""
    representation = {"type": "public.data", "value": {"$kind": "url", "string": "file:///x"}, "file": 0}
    provider = {"$kind": "loadedProvider", "representations": [representation]}
    peer.serial += 1
    items = [{"$kind": "item", "userInfo": {"NSExtensionItemAttachmentsKey": [provider]}}]
    body = {"request": peer.request, "work": False, "payload": plist(items)}
    peer.raw(packet(COMPLETE, body, serial=peer.serial), [descriptor])


def sparseMemory(peer):
    """Sends sealed memory of 3.9 GiB that was never written: a reader would allocate its pages."""
    memory = os.memfd_create("sparse", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, 31 << 27)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    returns_value(peer, [memory])


def sparseFile(peer):
    """Sends a sparse file of one tebibyte."""
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
    # The request waits for a debugger, and a second request names the first. The extension answers that one, too, and
    # exits.
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
    # Reports that this process exists. Inside its namespace its outer pid is unknown.
    os.write(1, b"here\n")


def forever():
    while True:
        time.sleep(1000)


# Acts of hosts against a sound extension.


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
    """Sends data in unsealed memory, which is empty when the extension reads it."""
    memory = os.memfd_create("shrinking", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, 1 << 20)
    peer.serial += 1
    items = [{"$kind": "item", "userInfo": {"do": "return", "blob": {"$kind": "data", "descriptor": 0}}}]
    body = {"request": REQUEST, "extension": "org.exthost.tests.puppet", "attachments": [], "payload": plist(items)}
    peer.raw(packet(BEGIN, body, serial=peer.serial), [memory])
    os.ftruncate(memory, 0)
    return peer.wait(ERROR)


def shrinkingPayload(peer):
    """Sends all items in such memory."""
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
    # The daemon's only question so far: after begun comes loadItem, whose serial is the second after the welcome's.
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
    """Begins a request whose extension loads an attachment. Returns the question."""
    provider = {"$kind": "provider", "number": 1, "types": ["public.data"]}
    order = {"do": act, "argument": argument, "NSExtensionItemAttachmentsKey": [provider]}
    begin(peer, attachments=[[["public.data"]]], payload=plist([{"$kind": "item", "userInfo": order}]))
    return peer.wait(LOAD)


def answersTwice(peer):
    ask(peer, "load")
    for _ in range(2):
        peer.send(0x2A1, {"payload": plist({"value": "x"})}, answers=3)


def answersAfterCancel(peer):
    """Reports progress, receives the cancel, and answers anyway, with more progress after it."""
    question = ask(peer, "cancelLoad")
    told = {"request": question["request"], "load": question["load"], "total": 9}
    peer.send(0x223, {**told, "completed": 1})
    peer.wait(0x222)
    peer.send(0x2A1, {"payload": plist({"value": b"late"})}, answers=3)
    peer.send(0x223, {**told, "completed": 5})
    return outcome(peer)


def answersNoLoad(peer):
    """Begins one request after the other, reads all packets, and answers no load. Prints the answer to each request."""
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
    """Reports progress of a load that does not exist, which has no effect."""
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
    """Sends a number in place of data."""
    ask(peer, "digest", "data")
    peer.send(0x2A1, {"payload": plist({"value": 5})}, answers=3)
    return outcome(peer)


def shrinkingFile(peer):
    """Sends a file, and truncates and grows it for as long as it is read."""
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
    """Gets its answer and acknowledges nothing; waits for the process to end."""
    return acknowledge_nothing(peer)


def hasty(peer):
    """Acknowledges an answer before it arrives, so nothing is acknowledged when it arrives."""
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
    """Acknowledges the answer to another host's request, which is its argument."""
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
    """Breaks no rule: a client of other versions, its two arguments, that asks one question."""
    peer.hello(*sys.argv[3:5])
    welcome = peer.receive()
    if welcome[0] == ERROR:
        return welcome[1]
    peer.send(0x301, {})
    peer.wait(0x381)
    return {"code": 0, "message": welcome[1]["version"]}


# Peers of the newest version.
LATEST = set()


# Acts with calls. Both sides of the request are at the extension point of CallTests.


class Failed(Exception):
    pass


def following(peer):
    """Returns the next packet: kind, serial, answered serial, body. Its credit goes back at once."""
    while True:
        data, descriptors, _, _ = socket.recv_fds(peer.door, 16 + 65536, 16)
        for descriptor in descriptors:
            os.close(descriptor)
        if not data:
            raise Failed("the connection ended")
        kind, _, _, serial, answers = struct.unpack("<HHIII", data[:16])
        body = plistlib.loads(data[16:])
        if kind == ERROR and answers == 0:
            raise Failed(body["message"])
        if kind != CREDIT:
            give_back(peer, [1, len(data)])
            return kind, serial, answers, body


def answer(peer, asked):
    """Returns the answer to a serial: its kind and body. Other packets are dropped."""
    while True:
        kind, _, answers, body = following(peer)
        if answers == asked:
            return kind, body


def settle(peer):
    """Waits until the daemon has handled everything before."""
    peer.send(FENCE, {})
    answer(peer, peer.serial)


def call(peer, name, number, request=None, arguments=None, **more):
    """Calls, and returns the serial."""
    body = {"request": request or peer.request, "number": number, "name": name, **more}
    peer.send(CALL, {**body, "payload": plist({} if arguments is None else arguments)})
    return peer.serial


def expect(peer, asked, code, what):
    """Checks that a question gets the error; 0 is an answer without one."""
    kind, body = answer(peer, asked)
    found = body["code"] if kind == ERROR else 0
    if found != code:
        raise Failed(f"{what}: {found} in place of {code}: {body.get('message', '')}")


def part(peer, number, request=None):
    peer.send(CALL_PART, {"request": request or peer.request, "number": number, "payload": plist({"number": 1})})
    return peer.serial


def checked(act):
    """Makes an act of checks: a client prints their result, and an extension answers with 1, or with an error."""

    def checks(peer):
        words = "sound"
        try:
            act(peer)
        except Failed as failure:
            words = str(failure)
        if peer.role != "extension":
            return {"code": 0, "message": words}
        if words == "sound":
            complete(peer)
        else:
            error = {"$kind": "error", "domain": "hostile", "code": 1, "description": words}
            peer.send(CANCEL_REQUEST, {"request": peer.request, "payload": plist(error)})

    checks.__name__ = act.__name__
    LATEST.add(checks)
    return checks


def fatal(act):
    LATEST.add(act)
    return act


def begin_caller(peer, waits=True):
    begin(peer, "org.exthost.tests.caller", payload=plist([]))
    peer.request = REQUEST
    if waits:
        answer(peer, peer.serial)


@checked
def callsWrongly(peer):
    """Its argument is the request of another host."""
    another = sys.argv[3]
    expect(peer, call(peer, "test.echo", 1, REQUEST), 5, "a call of no request")
    expect(peer, call(peer, "test.echo", 1, another), 5, "a call of another host's request")
    peer.send(CANCEL_CALL, {"request": another, "number": 1})
    expect(peer, part(peer, 1, another), 12, "a part to another host's request")
    begin_caller(peer, waits=False)
    expect(peer, call(peer, "test.echo", 1), 9, "a call before the delivery")
    settle(peer)
    # The launch takes its time, and the daemon answers the begin with it.
    while following(peer)[0] != 0x181:
        pass
    expect(peer, call(peer, "test.unlisted", 1), 3, "a call that the point does not list")
    expect(peer, call(peer, "x" * 60000, 1), 3, "a call with a long name")
    for limit in (0.0, -1.0, 1e300, float("inf"), float("nan")):
        expect(peer, call(peer, "test.echo", 1, limit=limit), 9, f"a limit of {limit}")
        expect(peer, call(peer, "test.echo", 1, grace=limit), 9, f"a grace of {limit}")
    for number in (-1, 0, 2**62):
        expect(peer, call(peer, "test.echo", number, arguments={"text": "a"}), 0, f"number {number}")
    wait = call(peer, "test.wait", 1)
    expect(peer, call(peer, "test.echo", 1, arguments={"text": "a"}), 9, "a number that is taken")
    expect(peer, part(peer, 1), 12, "a part of its own call")
    expect(peer, part(peer, 99), 12, "a part without a call")
    peer.send(CANCEL_CALL, {"request": REQUEST, "number": 99})
    expect(peer, call(peer, "test.echo", 2, arguments=["no", "arguments"]), 9, "arguments that do not fit")
    peer.send(CALL, {"request": REQUEST, "number": 2, "name": "test.echo", "payload": b"no property list"})
    expect(peer, peer.serial, 9, "arguments that are none")
    memory = os.memfd_create("arguments", os.MFD_ALLOW_SEALING)
    os.write(memory, plist({"text": "a"}))
    peer.serial += 1
    body = {"request": REQUEST, "number": 2, "name": "test.echo"}
    peer.raw(packet(CALL, body, serial=peer.serial, flags=1), [memory])
    expect(peer, peer.serial, 9, "memory without seals")
    peer.send(CANCEL_CALL, {"request": REQUEST, "number": 1})
    expect(peer, wait, 12, "a cancelled call")
    expect(peer, call(peer, "test.echo", 1, arguments={"text": "a"}), 0, "a number that is free again")


@checked
def callsTooMuch(peer):
    begin_caller(peer)
    open_calls = []
    for number in range(1, 65):
        open_calls.append(call(peer, "test.wait", number))
        settle(peer)
    expect(peer, call(peer, "test.wait", 65), 10, "a call too many")
    for number in range(1, 65):
        peer.send(CANCEL_CALL, {"request": REQUEST, "number": number})
        expect(peer, open_calls[number - 1], 12, "a cancelled call")
    # Each cancelled call counts until the extension answers it.
    codes = set()
    for number in range(100, 1100):
        asked = call(peer, "test.wait", number)
        peer.send(CANCEL_CALL, {"request": REQUEST, "number": number})
        codes.add(answer(peer, asked)[1]["code"])
    if codes - {10, 12}:
        raise Failed(f"calls that are cancelled at once: {codes}")
    peer.serial += 1
    memory = os.memfd_create("arguments", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, 60 << 20)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    peer.raw(
        packet(CALL, {"request": REQUEST, "number": 1, "name": "test.echo"}, serial=peer.serial, flags=1), [memory]
    )
    expect(peer, peer.serial, 9, "memory that nobody has written")


@checked
def callsAfterTheEnd(peer):
    begin_caller(peer)
    peer.send(0x102, {"request": REQUEST})
    answer(peer, peer.serial)
    expect(peer, call(peer, "test.echo", 1), 5, "a call after the end")
    expect(peer, part(peer, 1), 12, "a part after the end")
    peer.send(CANCEL_CALL, {"request": REQUEST, "number": 1})
    settle(peer)


@fatal
def answersNoCall(peer):
    if peer.role == "host":
        begin_caller(peer)
    peer.send(CALLED, {"payload": plist({"value": {}})}, answers=999)


@fatal
def sendsExpiry(peer):
    peer.send(CALL_EXPIRES, {"request": peer.request, "number": 1})


@fatal
def callsWithoutName(peer):
    peer.send(CALL, {"request": peer.request, "number": 1})


@fatal
def callsWithoutNumber(peer):
    peer.send(CALL, {"request": peer.request, "number": "one", "name": "test.echo"})


@fatal
def cancelsWithoutNumber(peer):
    peer.send(CANCEL_CALL, {"request": peer.request})


def answer_call(peer, kind, body, times=1):
    """Answers the first call of the other side."""
    if peer.role == "host":
        begin_caller(peer)
        call(peer, "test.ask", 1, arguments={"name": "test.question"})
    while True:
        found, serial, _, _ = following(peer)
        if found == CALL:
            break
    for _ in range(times):
        peer.send(kind, body, answers=serial)


@fatal
def answersCallTwice(peer):
    answer_call(peer, CALLED, {"payload": plist({"value": {"text": "a"}})}, times=2)


@fatal
def answersCallWithSuccess(peer):
    answer_call(peer, 0xFE, {})


@fatal
def callsUnlisted(peer):
    call(peer, "test.unlisted", 1)


@checked
def callsItsHostWrongly(peer):
    """An extension. Its host answers no question."""
    expect(peer, call(peer, "test.question", 1, REQUEST), 12, "a call of no request")
    expect(peer, part(peer, 1), 12, "a part without a call")
    peer.send(CANCEL_CALL, {"request": REQUEST, "number": 1})
    peer.send(CANCEL_CALL, {"request": peer.request, "number": 7})
    expect(peer, call(peer, "test.question", 1, limit=-1.0), 9, "a limit below zero")
    wait = call(peer, "test.question", 1, arguments={"text": "a"})
    expect(peer, call(peer, "test.question", 1), 9, "a number that is taken")
    peer.send(CANCEL_CALL, {"request": peer.request, "number": 1})
    expect(peer, wait, 12, "a cancelled call")
    codes = []
    for number in range(2, 300):
        asked = call(peer, "test.question", number, arguments={"text": "a"})
        peer.send(CANCEL_CALL, {"request": peer.request, "number": number})
        codes.append(answer(peer, asked)[1]["code"])
    if set(codes) - {10, 12}:
        raise Failed(f"calls that are cancelled at once: {set(codes)}")


@checked
def sendsPartsAhead(peer):
    """An extension. Its host calls, and takes no part."""
    while True:
        found, serial, _, body = following(peer)
        if found == CALL:
            break
    asked = [part(peer, body["number"]) for _ in range(9)]
    expect(peer, asked[8], 10, "a ninth part")
    expect(peer, part(peer, body["number"] + 1), 12, "a part of another call")
    peer.send(CALLED, {"payload": plist({"value": {"sum": 0}})}, answers=serial)
    # The parts that nobody took end with their call.
    for one in asked[:8]:
        expect(peer, one, 12, "a part of a call that has ended")
    expect(peer, part(peer, body["number"]), 12, "a part after the answer")


def answer_calls(peer, without=()):
    """An extension. It answers each call, the last one of its point as well, and completes nothing."""
    modes = {"largest": "compact", "chosen": "compact", "number": 1}
    replies = {"today.settings": {"modes": modes}, "today.performUpdate": {"result": "noData"}, "today.appear": modes}
    while True:
        found, serial, _, body = following(peer)
        if found == CALL and body["name"] not in without:
            reply = replies.get(body["name"]) or plistlib.loads(body["payload"])
            peer.send(CALLED, {"payload": plist({"value": reply})}, answers=serial)


@fatal
def answersAndStays(peer):
    answer_calls(peer)


@fatal
def answersNoEnd(peer):
    answer_calls(peer, without=["today.end"])


@fatal
def answersAsIfOver(peer):
    """An extension that reports. It enables Done, answers that its request is over, and goes on."""
    while True:
        found, serial, _, body = following(peer)
        if found == CALL and body["name"] == "classification.prepare":
            call(peer, "classification.ready", 1, arguments={"isReady": True})
            peer.send(CALLED, {"payload": plist({"value": {}})}, answers=serial)
        elif found == CALL:
            peer.send(ERROR, {"code": 5, "message": "the request is over"}, answers=serial)


@checked
def annotatesWrongly(peer):
    """An extension."""

    def annotate(name, value, extension="org.exthost.tests.annotatesWrongly"):
        peer.send(ANNOTATE, {"extension": extension, "name": name, "payload": value})
        return peer.serial

    yes = plist(True)
    # The list writes one object a hundred times.
    expect(peer, annotate("a", plist([b"x" * 8000] * 100)), 18, "a value that grows")
    expect(peer, annotate("a", plist(b"x" * 17000)), 18, "a value that is too large")
    expect(peer, annotate("a", b"no property list"), 9, "a value that cannot be read")
    expect(peer, annotate("", yes), 9, "no name")
    expect(peer, annotate("a/b", yes), 9, "a name with a slash")
    expect(peer, annotate("a", yes, "org.exthost.tests.caller"), 3, "a sibling")
    for number in range(16):
        if answer(peer, annotate(f"a{number}", yes))[0] != SUCCESS:
            raise Failed(f"annotation {number} is refused")
    expect(peer, annotate("b", yes), 10, "a seventeenth annotation")


LATEST |= {
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
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # for acts that wait for it
    signal.alarm(120)  # a safety limit
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
