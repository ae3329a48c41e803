# stepper: follows one process by ptrace(2) through its sends, receives and spawns, or other calls, and kills it there.

import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long

SEIZE, INTERRUPT, LISTEN, SYSCALL, SYSCALL_INFO = 0x4206, 0x4207, 0x4208, 24, 0x420E
# The options: bit 7 of the signal marks calls, threads are followed, and no tracee outlives this process.
OPTIONS = 0x1 | 0x8 | 0x100000
THREAD = 0x10000  # CLONE_THREAD
WALL = 0x40000000
STOP_EVENT = 128

CALLS = {
    "x86_64": {46: "send", 44: "send", 47: "receive", 45: "receive", 56: "spawn"},
    "aarch64": {211: "send", 206: "send", 212: "receive", 207: "receive", 220: "spawn"},
}


class CallInfo(ctypes.Structure):
    """struct ptrace_syscall_info: number and arguments at an entry; the result replaces them at an exit."""

    _fields_ = [
        ("op", ctypes.c_uint8),
        ("pad", ctypes.c_uint8 * 3),
        ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("arguments", ctypes.c_uint64 * 6),
    ]


def ptrace(request, thread, address=0, data=0):
    return libc.ptrace(request, thread, address, data)


class Stepper:
    """Kills `pid` before or after its `at`-th call of interest, or of one `kind`. It follows all current and future
    threads.
    """

    def __init__(self, pid, at, when, calls=CALLS, kind=None):
        self.pid, self.at, self.when, self.kind = pid, at, when, kind
        self.kinds = calls[platform.machine()]
        self.calls = []
        self.inside = {}  # by thread: the number of its current call of interest
        self.threads = set()
        self.hit = None
        while new := {int(name) for name in os.listdir(f"/proc/{pid}/task")} - self.threads:
            for thread in new:
                if ptrace(SEIZE, thread, 0, OPTIONS) != 0 and os.path.exists(f"/proc/{pid}/task/{thread}"):
                    raise OSError(ctypes.get_errno(), "ptrace")
                ptrace(INTERRUPT, thread)
            self.threads |= new

    def owns(self, thread):
        return thread in self.threads

    def stopped(self, thread, status):
        """Handles a status of waitpid(2) of one thread. Continues the thread, or kills the process."""
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            self.threads.discard(thread)
            return
        number, event = os.WSTOPSIG(status), status >> 16
        deliver = 0
        if number == signal.SIGTRAP | 0x80:
            self.call(thread)
        elif event == STOP_EVENT and number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            ptrace(LISTEN, thread)  # the whole process has stopped, until it is continued
            return
        elif event == 0:
            deliver = number
        ptrace(SYSCALL, thread, 0, deliver)

    def call(self, thread):
        info = CallInfo()
        if ptrace(SYSCALL_INFO, thread, ctypes.sizeof(info), ctypes.addressof(info)) < 0:
            return  # the thread was just killed
        if info.op == 1 and info.number in self.kinds:
            kind = self.kinds[info.number]
            if kind == "spawn" and info.arguments[0] & THREAD:
                return
            if self.kind not in (None, kind):
                return
            self.calls.append(kind)
            self.inside[thread] = len(self.calls)
            self.reach(len(self.calls), "before")
        elif info.op == 2 and thread in self.inside:
            self.reach(self.inside.pop(thread), "after")

    def reach(self, number, when):
        # At an entry the call is prevented; at an exit it has happened.
        if (number, when) == (self.at, self.when):
            self.hit = self.calls[number - 1]
            os.kill(self.pid, signal.SIGKILL)


def wait():
    """Returns the next change of any child or tracee: its number and status; None if it has neither."""
    try:
        return os.waitpid(-1, WALL)
    except ChildProcessError:
        return None
