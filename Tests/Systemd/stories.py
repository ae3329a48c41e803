#!/usr/bin/env python3
# stories: checks that the journal has exactly each request's own lines: stories.py JOURNAL FOLDER COUNT
#
# JOURNAL has one JSON document a line, in the format of journalctl. FOLDER has the output of the hosts, crowd-N.json,
# and that of their extensions, crowd-N.error. Each extension got https://example.org/N.
import json
import sys

journal, folder, count = open(sys.argv[1]), sys.argv[2], int(sys.argv[3])
entries = [json.loads(line) for line in journal]
faults = []
named = {}
for entry in entries:
    requests = entry.get("EXTHOST_REQUEST", [])
    for request in [requests] if isinstance(requests, str) else requests:
        named.setdefault(request, []).append(entry)

for number in range(1, count + 1):
    told = json.load(open(f"{folder}/crowd-{number}.json"))
    printed = [line.rstrip("\n").split("]: ", 1)[-1] for line in open(f"{folder}/crowd-{number}.error")]
    expected = [f"was given https://example.org/{number}", "is done"]
    if printed != expected:
        faults.append(f"{number}: its extension has printed {printed}")
    request, lines, events = told["request"], [], []
    for entry in named.get(request, []):
        message, event = entry["MESSAGE"], entry.get("EXTHOST_EVENT")
        if entry["EXTHOST_REQUEST"] != request or "EXTHOST_OPEN_REQUEST" in entry:
            faults.append(f"{number}: shared with others: {message}")
        if event == "output":
            lines.append(message.split(": ", 1)[-1])
        else:
            events.append(event)
        # A line of another process is an event of the request itself, and names the request.
        if entry.get("EXTHOST_PID") != str(told["pid"]) and f"request={request}" not in message:
            faults.append(f"{number}: somebody else's: {message}")
        if any(other in message for other in named if other != request):
            faults.append(f"{number}: names another: {message}")
    if lines != printed:
        faults.append(f"{number}: the journal has {lines}, its host {printed}")
    for event in [
        "request.created",
        "process.spawned",
        "process.ready",
        "request.delivered",
        "request.completed",
        "process.exited",
    ]:
        if events.count(event) != 1:
            faults.append(f"{number}: {event} is there {events.count(event)} times")
print("\n".join(faults))
sys.exit(1 if faults else 0)
