#!/usr/bin/env python3
# refused: an extension that tries one forbidden action of each kind, and answers with their errnos.

import concurrent.futures
import ctypes
import errno
import fcntl
import os
import platform
import socket
import time

import exthost

LIBC = ctypes.CDLL(None, use_errno=True)
# Calls without a name in the C library, by processor.
CALLS = {"x86_64": {"keyctl": 250, "bpf": 321}, "aarch64": {"keyctl": 219, "bpf": 280}}.get(platform.machine(), {})


def call(function, *arguments):
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def by_number(name, *arguments):
    call(LIBC.syscall, CALLS[name], *arguments)


ATTEMPTS = {
    "network": lambda argument: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
    "socket": lambda argument: call(LIBC.socket, socket.AF_UNIX, socket.SOCK_DGRAM, 0),
    "tracing": lambda argument: call(LIBC.ptrace, 16, 1, None, None),
    "mount": lambda argument: call(LIBC.mount, b"none", b"/tmp", b"tmpfs", 0, None),
    "namespace": lambda argument: call(LIBC.unshare, 0x10000000),
    "keyring": lambda argument: by_number("keyctl", 0, -4, 0),
    "kernel": lambda argument: by_number("bpf", 0, None, 0),
    "clock": lambda argument: time.clock_settime(time.CLOCK_REALTIME, time.time()),
    "priority": lambda argument: os.setpriority(os.PRIO_PROCESS, 1, 5),
    "terminal": lambda argument: fcntl.ioctl(0, 0x5412, b"x"),
    "program": lambda argument: call(LIBC.personality, 8),
    "metadata": lambda argument: call(
        LIBC.name_to_handle_at, -100, b"/usr", ctypes.create_string_buffer(256), ctypes.create_string_buffer(8), 0
    ),
    "sharedObject": lambda argument: call(LIBC.shmget, 0x45787400, 4096, 0o1600),
    "file": lambda argument: open(argument).close(),
    "list": lambda argument: os.listdir(argument),
    "write": lambda argument: open(argument + "/written", "w").close(),
    "thirty": lambda argument: [outcome("file", f"{argument}/{number}/secret") for number in range(30)],
    "leave": lambda argument: os._exit(3),
    "connect": lambda argument: connect(int(argument)),
    "listen": lambda argument: listen(),
}


def connect(port):
    # The call is from a second thread, as a library may do it.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as end, concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(end.connect, ("127.0.0.1", port)).result()


def listen():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as end:
        end.bind(("127.0.0.1", 0))
        end.listen()


def outcome(name, argument):
    try:
        ATTEMPTS[name](argument)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    return "ok"


def begin(context):
    order = context.items[0]["userInfo"]
    names = order["do"].split(",")
    context.complete([exthost.item({name: outcome(name, order.get("argument", "")) for name in names})])


exthost.run(begin)
