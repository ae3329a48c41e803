"""checks: checks the rules of a schema. Each fault has its line and remedy."""

import re

from items import BASE
from names import check_names
from places import PROTOCOL, WIRE

PEERS = {"client", "host", "extension", "app", "service", "tool", "daemon", "both"}


def check(schema):
    current = re.search(
        r"current = ProtocolVersion\(major: (\d+), minor: (\d+)", (WIRE / "ProtocolVersion.swift").read_text()
    )
    versions = {f"{current[1]}.{minor}" for minor in range(int(current[2]) + 1)}
    known = {}
    for item in schema.items:
        if item.is_message:
            once(schema, known, item, f"number 0x{item.number:04x}")
            once(schema, known, item, f"kind {item.kind}")
            check_message(schema, item)
            check_version(schema, versions, item.line, item.since)
        if item.what == "page":
            if item.type not in schema.named:
                schema.fault(item.line, f"there is no record {item.type}; add one")
        else:
            once(schema, known, item, f"type {item.type}")
        if item.what in ("message", "page", "record", "choice") and not item.doc:
            schema.fault(item.line, f"{item.type} has no sentence; say in a line `/// …` above it what it is for")
        names, raws = {case.name for case in item.cases}, {case.raw or case.name for case in item.cases}
        if min(len(names), len(raws)) < len(item.cases):
            schema.fault(item.line, f"{item.type} has a case twice; remove one")
        for each in item.fields:
            check_field(schema, versions, item, each)
        check_initializer(schema, item)
    check_use(schema)
    check_names(schema)


def once(schema, known, item, what):
    if what in known:
        schema.fault(item.line, f"the {what} stands in line {known[what]}, too; use another")
    known[what] = item.line


def check_version(schema, versions, line, version):
    if version not in versions:
        schema.fault(line, f"there is no version {version}; raise ProtocolVersion.current first")


def check_message(schema, item):
    if not item.group:
        return schema.fault(item.line, f'{item.kind} is in no group; put a line `group NAME RANGE "TITLE"` before it')
    high, title = schema.groups[item.group]
    if item.number >> 8 != high:
        schema.fault(
            item.line,
            f"0x{item.number:04x} is not in the range 0x{high:02x}xx of “{title}”; choose a free number there",
        )
    unknown = set(re.findall(r"[a-z]+", re.sub(r"since \S+", "", item.has.get("from", "nobody")))) - PEERS
    if unknown:
        schema.fault(
            item.line, f"`from` names {', '.join(unknown)}; write `from PEER → PEER` of {', '.join(sorted(PEERS))}"
        )
    for word in ("answer", "then"):
        kind = item.has.get(word, "success").partition(",")[0]
        if kind not in schema.kinds:
            schema.fault(item.line, f"there is no message {kind} to answer with; add it, or correct the name")
        elif word == "answer" and not schema.kinds[kind].number & 0x80:
            schema.fault(
                schema.kinds[kind].line, f"{kind} is an answer: bit 7 of its number must be set, as in 0x..8. and up"
            )
    return None


def check_field(schema, versions, item, each):
    if each.element not in BASE and each.element not in schema.named:
        schema.fault(
            each.line, f"there is no type {each.element}; a record or enum of that name must stand in this file"
        )
    for word in {"since", "needs"} & set(each.options):
        check_version(schema, versions, each.line, each.options[word])
        if not (each.is_left_out or each.own):
            schema.fault(each.line, f"{each.key} came later, so it may be absent: write `?` or a default")
    if not (
        each.doc or each.how or each.key in schema.meanings or item.block == "none" or each.element in schema.named
    ):
        schema.fault(
            each.line, f"the key {each.key} has no meaning; put a line `/// …` above it, or a line `meaning` at the top"
        )
    if item.what != "choice" and [other.name for other in item.fields].count(each.name) > 1:
        schema.fault(each.line, f"{item.type} has {each.name} twice; give one another name: `key as name: Type`")


def check_initializer(schema, item):
    if item.is_by_hand or "init" not in item.has:
        return
    given, names = {name for _, name, _ in schema.parameters(item)}, {each.name for each in item.fields}
    for name in sorted(given - names):
        schema.fault(item.line, f"init names {name}, which {item.type} does not have")
    for each in item.sent:
        if not (each.name in given or each.is_left_out or "initially" in each.own):
            schema.fault(
                each.line, f"init leaves {each.name} without a value; add it to init, or a line `initially` below it"
            )


def check_use(schema):
    used = {each.element for item in schema.items for each in item.fields} | set(schema.pages)
    payloads = " ".join(item.has.get("payload", "") for item in schema.items)
    for item in schema.items:
        is_read = not item.is_message and not item.is_untyped and item.block != "none"
        if is_read and item.type not in used and f"*{item.title}*" not in payloads:
            schema.fault(item.line, f"nothing uses {item.type}; remove it, or give it to a key")
        for word in {"by", "init by hand"} & set(item.has):
            file = re.sub(r"^(by )?hand ", "", item.has[word]).partition(":")[0]
            if not any((folder / file).is_file() for folder in (PROTOCOL, WIRE)):
                schema.fault(
                    item.line,
                    f"`by hand` is followed by a file of Sources/ExtensionProtocol or Sources/ExtensionWire and why; "
                    f"there is no {file}",
                )
    keys = schema.keys()
    for key, (line, _) in schema.meanings.items():
        if key not in keys:
            schema.fault(line, f"no message has the key {key}; remove its meaning")
