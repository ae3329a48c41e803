#!/usr/bin/env python3
"""forkserver: times the same request by Python's multiprocessing: forkserver.py cold|warm PAYLOAD ROUNDS.

The samples are in microseconds.
"""

import multiprocessing
import pathlib
import sys
import time


def echo(end, once):
    while True:
        try:
            end.send_bytes(end.recv_bytes())
        except EOFError:
            return
        if once:
            return


def start(context, once):
    ours, theirs = context.Pipe()
    child = context.Process(target=echo, args=(theirs, once))
    child.start()
    theirs.close()
    return child, ours


def main():
    what, payload, rounds = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes(), int(sys.argv[3])
    context = multiprocessing.get_context("forkserver")
    figures = {"result": [], "gone": []} if what == "cold" else {"warm": []}
    if what == "warm":
        child, end = start(context, False)
    for number in range(-3 if what == "cold" else -200, rounds):
        began = time.perf_counter()
        if what == "cold":
            child, end = start(context, True)
        end.send_bytes(payload)
        assert end.recv_bytes() == payload
        times = [time.perf_counter() - began]
        if what == "cold":
            child.join()
            times.append(time.perf_counter() - began)
            end.close()
        if number >= 0:
            for name, taken in zip(figures, times):
                figures[name].append(taken * 1e6)
    if what == "warm":
        end.close()
        child.join()
    for name, times in figures.items():
        print(name, "us", *(f"{one:.3f}" for one in times))


if __name__ == "__main__":
    main()
