# exthost: the library for an extension in Python: docs/protocol.md with the standard library only.
"""Serve requests with `run(begin)`, which calls `begin(context)` for each request.

All code runs on the thread that called `run`, one call after the other. This covers packets, the author's functions,
and the functions given to `load` and `complete`. A function that blocks delays the other requests of its process.
"""

import fcntl
import os
import plistlib
import socket
import struct
import sys

# Kinds of packets, made from docs/protocol.schema by Scripts/wire.
HELLO, WELCOME, FENCE, FENCE_REPLY, CREDIT = 0x001, 0x081, 0x002, 0x082, 0x003
ACKNOWLEDGE, GOODBYE, STILL_OPEN, SUCCESS, ERROR = 0x004, 0x005, 0x006, 0x0FE, 0x0FF
BEGIN, BEGUN, CANCEL, SET_STATE, FINISHED = 0x101, 0x181, 0x102, 0x103, 0x104
EXITED, OUTPUT, HELD = 0x105, 0x106, 0x107
DELIVER, HOST_STATE, CANCELLED, EXPIRED, TERMINATE = 0x201, 0x202, 0x203, 0x204, 0x205
CHECK_MAIN_QUEUE, MAIN_QUEUE_RUNS, COMPLETE, CANCEL_REQUEST, HANDLER_FINISHED = 0x206, 0x286, 0x211, 0x212, 0x213
CONTEXT_FAULT, LOAD_ITEM, CANCEL_LOAD, LOAD_PROGRESS, ITEM_LOADED = 0x214, 0x221, 0x222, 0x223, 0x2A1
SHOW_VIEW, USE_VIEW, VIEW_USED, OPEN_URL, FOLLOW_CLOCK = 0x231, 0x232, 0x2B2, 0x241, 0x251
CLOCK_MOVED, SLEEP, CANCEL_SLEEP, ANNOTATE, PROVIDE = 0x252, 0x253, 0x254, 0x271, 0x272
OPEN_SERVICE, CLOSE_SERVICE, WAKE_APP, REST, APP_REMOVED = 0x273, 0x274, 0x275, 0x276, 0x277
CALL, CALLED, CANCEL_CALL, CALL_PART, CALL_EXPIRES = 0x261, 0x2E1, 0x262, 0x263, 0x264
ACTIVATE = 0x401
LIST_EXTENSIONS, EXTENSIONS, LIST_PROCESSES, PROCESSES, LIST_HOSTS = 0x301, 0x381, 0x302, 0x382, 0x303
HOSTS, LIST_EXITS, EXITS, LIST_REQUESTS, REQUESTS = 0x383, 0x304, 0x384, 0x309, 0x389
SET_HOST_STATE, WATCH, EVENT, ADVANCE_CLOCK, STATUS = 0x305, 0x306, 0x307, 0x308, 0x30A
DAEMON_STATUS, RESET_BREAKER, KILL, KILLED, REGISTER = 0x38A, 0x310, 0x30B, 0x38B, 0x30E
REGISTERED, READ_LOG, LOG_LINES, GET_CONFIGURATION, CONFIGURATION = 0x38E, 0x30C, 0x30D, 0x312, 0x392
GET_STATISTICS, STATISTICS, LIST_POINTS, POINTS, ADD_BUNDLE = 0x313, 0x393, 0x320, 0x3A0, 0x330
REMOVE_BUNDLE, ELECT, SET_CONSENT, READ_ANNOTATIONS, ANNOTATIONS = 0x331, 0x332, 0x336, 0x337, 0x3B7
GET_STREAM_CARRIER, STREAM_CARRIER, BUNDLES, SHOW_EXTENSION, EXTENSION_DETAIL = 0x338, 0x3B8, 0x3B2, 0x333, 0x3B3
MATCH, OFFERS, EXPLAIN, EXPLANATION, OPEN_APP = 0x334, 0x3B4, 0x335, 0x3B5, 0x340
APP_OPENED, CLOSE_APP, ADD_FAULT, LIST_FAULTS, FAULTS = 0x3C0, 0x341, 0x360, 0x361, 0x3E1
CLEAR_FAULTS, RECORD, RECORDING, RECORDED, END_RECORDING = 0x362, 0x370, 0x3F0, 0x371, 0x372
# End of the kinds.

HEADER = struct.Struct("<HHIII")  # kind, flags, body length, serial, reply to
SEALED = 1
INLINE_LIMIT = 32 * 1024
UNWRITTEN_LIMIT = 16 << 20
WINDOW = {"packets": 64, "bytes": 524288}
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


class Unavailable(Exception):
    """A load failed: the host has disconnected or has no such value, or the request has ended."""

    code = -1000  # NSItemProvider's itemUnavailableError


# Values (section 8). A dictionary with `$kind` on the wire is the same dictionary here, but large data is bytes.


def item(user_info):
    return {"$kind": "item", "userInfo": user_info}


def attachments(of_item):
    return of_item["userInfo"].get("NSExtensionItemAttachmentsKey", [])


def returned(of_item):
    """Returns the item in the form of an answer, with the host's own attachments only by their number."""
    own = [
        {"$kind": "ownProvider", "number": provider["number"]} if provider.get("$kind") == "provider" else provider
        for provider in attachments(of_item)
    ]
    return item({**of_item["userInfo"], "NSExtensionItemAttachmentsKey": own}) if own else of_item


def error(domain, code, description, items_and_errors=()):
    """Returns an error. `items_and_errors` are pairs of an item and its own error; these items have no attachments."""
    pairs = []
    for failed, why in items_and_errors:
        user_info = {key: value for key, value in failed["userInfo"].items() if key != "NSExtensionItemAttachmentsKey"}
        pairs.append({"item": item(user_info), "error": why})
    value = {"$kind": "error", "domain": domain, "code": code, "description": description}
    return {**value, "itemsAndErrors": pairs} if pairs else value


def sealed(data):
    """Returns the descriptor of a sealed memory file, which no process can change."""
    memory = os.memfd_create("exthost", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, len(data))
    written = 0
    while written < len(data):
        written += os.pwrite(memory, data[written:], written)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
    return memory


def unsealed(memory):
    """Returns the contents of a sealed memory file. A peer could change or truncate a file without seals."""
    if fcntl.fcntl(memory, fcntl.F_GET_SEALS) & SEALS != SEALS:
        raise ValueError("the memory file has no seals")
    status = os.fstat(memory)
    if status.st_size - status.st_blocks * 512 > UNWRITTEN_LIMIT:
        raise ValueError("the sender has not written the memory file")
    return os.pread(memory, status.st_size, 0)


def outgoing(value, memories):
    """Returns the encoded value, with large data in memory files. Adds their descriptors to `memories`."""
    if isinstance(value, bytes) and len(value) > INLINE_LIMIT:
        memories.append(sealed(value))
        return {"$kind": "data", "descriptor": len(memories) - 1}
    if isinstance(value, dict):
        return {key: outgoing(inner, memories) for key, inner in value.items()}
    if isinstance(value, list):
        return [outgoing(inner, memories) for inner in value]
    return value


def incoming(value, memories):
    if isinstance(value, dict):
        if value.get("$kind") == "data":
            return unsealed(memories[value["descriptor"]])
        return {key: incoming(inner, memories) for key, inner in value.items()}
    if isinstance(value, list):
        return [incoming(inner, memories) for inner in value]
    return value


class Packet:
    def __init__(self, kind, serial, answers, body, payload):
        self.kind, self.serial, self.answers, self.body, self.payload = kind, serial, answers, body, payload


class Connection:
    """The socket of section 1: serials, credit in both directions, payloads in and beside packets.

    It reconnects when the socket is lost (section 2.1). It stores each sent packet until the daemon's credit confirms
    it, and sends packets again that the daemon has not received.
    """

    def __init__(self, connected, door=None):
        self.socket, self.door = connected, door
        self.greeting = None  # the contents of each hello
        self.serial = self.received = 0  # of the last packet sent, and of the last received
        self.limits = self.credit = {"packets": 0, "bytes": 0}  # what we may send: at most, and now
        self.owed = {"packets": 0, "bytes": 0}  # read packets without returned credit
        self.waiting = []  # packets that wait for credit: serial, bytes, memory files
        self.kept = []  # sent packets that may have to be sent again
        self.confirmed = 1  # the serial of the last packet that the daemon has confirmed; the hello has 1
        self.token = None

    def hello(self, greeting):
        """Sends the first packet of a session, which costs no credit."""
        self.serial, self.greeting = 1, greeting
        self.push(self.packet(HELLO, 0, greeting, 1, 0))

    def send(self, kind, body, contents=None, answers=0):
        """Sends a message, or stores it until there is credit. Returns its serial. `contents` is the payload."""
        memories, flags = [], 0
        if contents is not None:
            payload = plistlib.dumps(outgoing(contents, memories), fmt=plistlib.FMT_BINARY)
            if len(payload) <= INLINE_LIMIT:
                body = {**body, "payload": payload}
            else:
                flags = SEALED
                memories.insert(0, sealed(payload))
        self.serial = self.serial % 0xFFFFFFFF + 1
        self.waiting.append((self.serial, self.packet(kind, flags, body, self.serial, answers), memories))
        self.flush()
        return self.serial

    @staticmethod
    def packet(kind, flags, body, serial, answers):
        data = plistlib.dumps(body, fmt=plistlib.FMT_BINARY)
        return HEADER.pack(kind, flags, len(data), serial, answers) + data

    def flush(self):
        while self.waiting:
            _, packet, memories = self.waiting[0]
            if self.credit["packets"] < 1 or self.credit["bytes"] < len(packet):
                return
            self.credit["packets"] -= 1
            self.credit["bytes"] -= len(packet)
            if not self.push(packet, memories):
                return
            self.kept.append(self.waiting.pop(0))

    def confirm(self, count):
        """Removes the oldest stored packets, up to the serial that the daemon has confirmed."""
        for serial, _, memories in self.kept[:count]:
            self.confirmed = serial
            for memory in memories:
                os.close(memory)
        del self.kept[:count]

    def push(self, packet, memories=()):
        """Sends one packet. Returns whether the daemon is connected. If it is not, `receive` first reads its last
        packets, and then its end.
        """
        try:
            socket.send_fds(self.socket, [packet], memories)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def come_back(self):
        """Resumes over another socket. Returns the welcome of another daemon that has adopted this session.

        If no daemon resumes the session, the program exits.
        """
        if self.door is None:
            sys.exit(0)
        hello = {**self.greeting, "resumption": {"token": self.token, "received": self.received}}
        welcome = None
        while welcome is None:
            self.socket.close()
            self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                try:
                    socket.send_fds(self.door, [b"\0"], [theirs.fileno()])
                except OSError:  # the session is no longer stored
                    sys.exit(0)
            if self.push(self.packet(HELLO, 0, hello, 1, 0)):
                welcome = self.read()
        self.credit = dict(self.limits)
        self.owed = {"packets": 0, "bytes": 0}
        if "received" in welcome.body:
            while self.kept and self.confirmed != welcome.body["received"]:
                self.confirm(1)
            self.waiting, self.kept = self.kept + self.waiting, []
            self.flush()
            return None
        if not welcome.body.get("kept"):
            sys.exit(0)
        # No sent or waiting packet belongs to this session.
        self.kept += self.waiting
        self.waiting = []
        self.confirm(len(self.kept))
        self.serial = self.confirmed = 1
        self.received = max(self.received, 1)
        return welcome

    def receive(self):
        """Waits for the next packet, except credit."""
        while True:
            packet = self.read() or self.come_back()
            if packet is not None:
                return packet

    def read(self):
        """Returns the next packet, except credit; None when the connection is lost."""
        while True:
            try:
                data, memories, _, _ = socket.recv_fds(self.socket, HEADER.size + 65536, 16)
            except ConnectionResetError:  # the daemon did not read all our packets
                data = b""
            if not data:
                return None
            kind, flags, _, serial, answers = HEADER.unpack(data[: HEADER.size])
            body = plistlib.loads(data[HEADER.size :])
            payload = None
            try:
                packed = body.get("payload")
                if flags & SEALED:
                    packed = unsealed(memories[0])
                if packed is not None:
                    payload = incoming(plistlib.loads(packed), memories[flags & SEALED :])
            except Exception as unreadable:  # of many types; the host caused it, and it affects only this request
                payload = unreadable
            finally:
                for memory in memories:
                    os.close(memory)
            if kind == CREDIT:
                self.credit["packets"] += body["packets"]
                self.credit["bytes"] += body["bytes"]
                self.confirm(body["packets"])
                self.flush()
                continue
            if kind == ERROR and answers == 0:
                sys.exit(f"exthost: the daemon ended the connection: {body['message']}")
            if kind != WELCOME:
                self.received = serial
                self.give_back(len(data), at_once=bool(memories))
            elif "received" not in body:  # a resumed session does not change them
                self.limits, self.credit, self.token = body["limits"], dict(body["limits"]), body["token"]
                self.received = self.received or serial
            return Packet(kind, serial, answers, body, payload)

    def give_back(self, size, at_once):
        """Returns credit when half of the window is used, and at once for memory files, which the sender holds."""
        self.owed["packets"] += 1
        self.owed["bytes"] += size
        if at_once or self.owed["packets"] * 2 >= WINDOW["packets"] or self.owed["bytes"] * 2 >= WINDOW["bytes"]:
            self.push(self.packet(CREDIT, 0, self.owed, 0, 0))  # outside the count
            self.owed = {"packets": 0, "bytes": 0}


class Context:
    """One request: its items, and the one answer that ends it. Use it on the thread of `run`."""

    def __init__(self, extension, body, items):
        self.extension, self.request, self.items = extension, body["request"], items
        self.host, self.host_state = body["host"], body["hostState"]
        self.is_open = True
        self.answer = None  # the sent answer, until the host has it
        self.handler = None
        self.on_announcement = None  # called with "HostWillResignActive" and the like
        self.on_cancelled = None  # called with the cause when the request ends without our answer
        self.on_call = None  # called with each `Call` of the host
        self.calls = 0  # the number of our last call

    def load(self, provider, type_identifier, then, form=None):
        """Loads an attachment's value from the host; calls `then(value, failure)` with one of them None.

        Without a `form`, the value has the host's form: text, bytes, a dictionary for a URL. With `form="data"` it is
        bytes, also for a file, which a confined extension could not open by its path.
        """
        question = {"request": self.request, "provider": provider["number"], "type": type_identifier}
        if form is not None:
            question["form"] = form
        self.ask(question, then)

    def ask(self, question, then):
        if not self.is_open:
            return then(None, Unavailable("the request has ended"))
        self.extension.loads[self.extension.connection.send(LOAD_ITEM, question)] = (self, question, then)

    def call(self, name, arguments, then):
        """Calls the host by a name that the extension point sends; calls `then(value, failure)`, one of them None."""
        if not self.is_open:
            return then(None, Unavailable("the request has ended"))
        self.calls += 1
        question = {"request": self.request, "number": self.calls, "name": name}
        serial = self.extension.connection.send(CALL, question, arguments)
        self.extension.loads[serial] = (self, None, then)

    def complete(self, items=(), handler=None):
        """Ends the request with `items`. `handler(False)` is called when the host has them.

        If it returns False, its work continues. Call `finish_work` when it is done. `handler(True)` reports that its
        time is up.
        """
        if self.end("complete"):
            self.handler = handler
            body = {"request": self.request, "work": handler is not None}
            self.say((COMPLETE, body, [returned(each) for each in items]))

    def cancel(self, why):
        """Ends the request with an error from `error`."""
        if self.end("cancel"):
            self.say((CANCEL_REQUEST, {"request": self.request}, why))

    def say(self, answer):
        self.answer = answer
        self.extension.connection.send(*answer)

    def finish_work(self):
        """Reports that the handler's work is done. Further calls have no effect."""
        if self.extension.contexts.pop(self.request, None):
            self.extension.connection.send(HANDLER_FINISHED, {"request": self.request})

    def end(self, call):
        if not self.is_open:
            detail = f"{call} on a finished context was ignored (E_CONTEXT_FINISHED)"
            self.extension.connection.send(CONTEXT_FAULT, {"request": self.request, "detail": detail})
            return False
        self.is_open = False
        return True


class Call:
    """A call of the host. The extension answers it once, at any time."""

    def __init__(self, connection, packet):
        self.connection, self.serial = connection, packet.serial
        self.name, self.number, self.arguments = packet.body["name"], packet.body["number"], packet.payload

    def answer(self, value):
        """Returns `value`, a property list with a dictionary at its root."""
        self.connection.send(CALLED, {}, {"value": value}, answers=self.serial)

    def fail(self, why):
        """Answers with an error from `error`."""
        self.connection.send(CALLED, {}, {"error": why}, answers=self.serial)

    def refuse(self, code, message):
        self.connection.send(ERROR, {"code": code, "message": message}, answers=self.serial)


class Extension:
    """Converts packets into calls. Each process has one."""

    def __init__(self, begin):
        self.begin = begin
        self.contexts = {}
        self.loads = {}  # by the serial of the question: its context, the question, and the function for the answer
        self.execution = {}  # the daemon's description of this process
        # Removed from the environment, so that no child inherits it.
        self.connection = Connection(self.taken("EXTHOST_EXTENSION_FD"), self.taken("EXTHOST_EXTENSION_DOOR"))

    @staticmethod
    def taken(name):
        if name not in os.environ:
            return None
        inherited = socket.socket(fileno=int(os.environ.pop(name)))
        inherited.set_inheritable(False)
        inherited.setblocking(True)
        return inherited

    def run(self):
        self.connection.hello(
            {
                "minimum": "1.0",
                "maximum": "1.2",
                "role": "extension",
                "sdk": "python",
                "limits": WINDOW,
                "resumable": self.connection.door is not None,
            }
        )
        while True:
            self.handle(self.connection.receive())

    def handle(self, packet):
        body = packet.body
        context = self.contexts.get(body.get("request"))
        if packet.answers:
            self.loaded(self.loads.pop(packet.answers)[2], packet)
        elif packet.kind == WELCOME:
            self.execution = body.get("execution", self.execution)
            if body.get("kept"):
                self.go_on()
        elif packet.kind == CHECK_MAIN_QUEUE:
            self.connection.send(MAIN_QUEUE_RUNS, {}, answers=packet.serial)
        elif packet.kind == FENCE:
            # One thread: all earlier packets have been handled, and no function of the author runs.
            self.connection.send(FENCE_REPLY, {}, answers=packet.serial)
        elif packet.kind == USE_VIEW:
            none = {"code": 11, "message": "an extension in Python has no views"}  # notSimulated
            self.connection.send(ERROR, none, answers=packet.serial)
        elif packet.kind == CALL:
            call = Call(self.connection, packet)
            if context is None or not context.is_open:
                call.refuse(12, "the request has ended")  # contextFinished
            elif context.on_call is None:
                call.refuse(30, "the extension performs no calls")  # notImplemented
            else:
                context.on_call(call)
        elif packet.kind == CALL_PART:
            none = {"code": 12, "message": "an extension in Python takes no parts"}  # contextFinished
            self.connection.send(ERROR, none, answers=packet.serial)
        elif packet.kind == DELIVER:
            self.deliver(body, packet.payload)
        elif packet.kind == HOST_STATE:
            for context in [self.contexts[name] for name in body["requests"] if name in self.contexts]:
                if context.on_announcement:
                    context.on_announcement(body["notification"])
        elif packet.kind == TERMINATE:
            sys.exit(0)
        elif context is None:
            pass  # the request has ended: no effect
        elif packet.kind == ACKNOWLEDGE:
            context.answer = None
            if context.handler is None:
                del self.contexts[context.request]
            elif context.handler(False) is not False:
                context.finish_work()
        elif packet.kind == EXPIRED:
            if context.handler(True) is not False:
                context.finish_work()
        elif packet.kind == CANCELLED and context.is_open:
            context.is_open = False
            del self.contexts[context.request]
            if context.on_cancelled:
                context.on_cancelled(body["cause"])

    def go_on(self):
        """Reports the open requests to another daemon, and repeats unconfirmed answers and loads."""
        contexts, loads = list(self.contexts.values()), list(self.loads.values())
        self.loads = {}
        unanswered = [context for context in contexts if context.is_open or context.answer]
        self.connection.send(
            STILL_OPEN,
            {
                "requests": [context.request for context in unanswered],
                "answers": [context.request for context in unanswered if context.answer],
                "work": [context.request for context in contexts if context not in unanswered],
            },
        )
        for context in unanswered:
            if context.answer:
                context.say(context.answer)
        for context, question, then in loads:
            if question is None:
                then(None, Unavailable("another daemon has replaced the one that had the call"))
            else:
                context.ask(question, then)

    def deliver(self, body, items):
        context = Context(self, body, items)
        self.contexts[context.request] = context
        if isinstance(items, Exception):
            return context.cancel(error("org.exthost.ExtensionHost", 9, f"the host's items cannot be read: {items}"))
        self.begin(context)

    @staticmethod
    def loaded(then, packet):
        if packet.kind not in (ITEM_LOADED, CALLED):
            then(None, Unavailable(packet.body["message"]))
        elif not isinstance(packet.payload, dict) or "value" not in packet.payload:
            then(None, Unavailable("the host answered with an error"))
        else:
            then(packet.payload["value"], None)


def run(begin):
    """Serves requests until the daemon asks the process to terminate."""
    Extension(begin).run()
