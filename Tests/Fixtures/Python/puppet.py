#!/usr/bin/env python3
# puppet: the puppet in Python. It obeys its request, as Tests/Fixtures/Puppet does in Swift.

import os
import signal
import socket
import sys
import time

import exthost

begun = 0
is_surrounded = False


def begin(context):
    global begun
    begun += 1
    order = context.items[0]["userInfo"] if context.items else {}
    act, argument = order.get("do"), order.get("argument", "")

    def answer(number):
        return [exthost.item({"answer": number})]

    if not context.items:
        context.complete([exthost.item({"passed": 0})])
    elif act == "return":
        context.complete(context.items)
    elif act == "count":
        context.complete([exthost.item({"begun": begun})])
    elif act == "nothing":
        context.complete()
    elif act == "change":
        context.items[0]["userInfo"]["NSExtensionItemAttributedTitleKey"] = {
            "$kind": "attributedString",
            "string": "the extension's",
            "runs": [],
        }
        context.complete(context.items)
    elif act == "completeTwice":
        context.complete(answer(1))
        context.complete(answer(2))
    elif act == "cancelAfterComplete":
        context.complete(answer(1))
        context.cancel(exthost.error("NSCocoaErrorDomain", 3072, "too late"))
    elif act == "handler":
        context.complete([exthost.item({"manner": argument})], handler(argument))
    elif act == "hang":
        print("hanging", flush=True)
    elif act == "surround":
        surround()
        context.complete()
    elif act == "crash":
        os.abort()
    elif act == "exit":
        sys.exit(int(argument or 0))
    elif act == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif act == "load":
        load(context)
    elif act == "lose":
        lose(context, int(argument or 1))
    elif act == "loadAfterComplete":
        context.complete()
        provider = exthost.attachments(context.items[0])[0]
        context.load(provider, "public.url", lambda _, failure: print("late load:", failure.code, flush=True))
    elif act == "print":
        print("x" * int(argument or 1), flush=True)
        context.complete()
    elif act == "notices":
        notices(context, int(argument or 1))
    elif act == "open":
        open_files(context, int(argument or 1))
    elif act == "ignoreTerm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        context.complete()
    else:
        context.cancel(exthost.error("puppet", 1, f"the puppet cannot {act}"))


def lose(context, times):
    """Loses its connection `count` times, each time with a question in flight, and once more with its answer."""
    provider = exthost.attachments(context.items[0])[0]

    def drop():
        context.extension.connection.socket.shutdown(socket.SHUT_RDWR)

    def ask():
        print("losing", flush=True)
        context.load(provider, "public.url", loaded)
        drop()

    def loaded(value, failure):
        nonlocal times
        times -= 1
        if times > 0 and not failure:
            return ask()
        context.complete([exthost.item({"value": value["string"]})])
        drop()
        print("lost for the last time", flush=True)

    ask()


def handler(manner):
    """`quick` is done at once; `obey` stops at the expiry; `ignore` never stops."""

    def work(expired):
        print("handler:", str(expired).lower(), flush=True)
        return manner == "quick" or (manner == "obey" and expired)

    return work


def surround():
    """Starts processes that are hard to find, once in a process: in other sessions, stopped, and a chain of forks."""
    global is_surrounded
    if is_surrounded:
        return
    is_surrounded = True
    for manner in ("sleeps", "stopped", "forks"):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                if manner == "stopped":
                    os.kill(os.getpid(), signal.SIGSTOP)
                for _ in range(1000 if manner == "forks" else 1):
                    time.sleep(0.005 if manner == "forks" else 1000)
                    if os.fork():
                        os._exit(0)
            os._exit(0)
        os.wait()


def open_files(context, count):
    """Opens a number of files, or as many as possible, and holds them until it ends."""
    opened = 0
    try:
        while opened < count:
            os.open("/dev/null", os.O_RDONLY)
            opened += 1
    except OSError:
        pass

    def answer(value=None, failure=None):
        print("opened:", opened, flush=True)
        context.complete([exthost.item({"opened": opened})])

    # A progress load reports the number while the request is open, for as long as its host wants.
    attachments = exthost.attachments(context.items[0])
    if attachments:
        return context.load(attachments[0], attachments[0]["types"][0], answer)
    time.sleep(0.15)
    answer()


def load(context):
    provider = exthost.attachments(context.items[0])[0]

    def loaded(value, failure):
        if failure:
            print("load:", failure.code, flush=True)
            return context.complete([exthost.item({"error": failure.code})])
        context.complete([exthost.item({"value": value.get("string") if isinstance(value, dict) else str(value)})])

    context.load(provider, provider["types"][0], loaded)


def notices(context, count):
    seen = []

    def announced(notification):
        seen.append(f"NSExtension{notification}Notification")
        if len(seen) == count:
            context.complete([exthost.item({"seen": seen, "began": context.host_state})])

    context.on_announcement = announced
    print("watching", flush=True)


exthost.run(begin)
