"""names: generates the tables of errors, causes, outcomes and events in docs/protocol.md and docs/errors.md."""

import re

from page import with_blocks
from places import ERRORS, REMEDIES

CODES, CAUSES, EVENTS = "ExtensionHostError.Code", "Cause", "EventName"
NEEDED = {CODES: ("when",), CAUSES: ("by", "remedy"), EVENTS: ()}  # required below each case


def table(columns, rows):
    lines = [columns, ["---"] * len(columns), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines] + [""]


def name_blocks(schema):
    """Returns the blocks of docs/protocol.md."""
    codes, causes, events = (schema.named[name].cases for name in (CODES, CAUSES, EVENTS))
    outcomes = {}
    for cause in causes:
        outcomes.setdefault(cause.own.get("outcome", ""), []).append(f"`{cause.raw}`")
    none = outcomes.pop("", [])
    return {
        "outcomes": table(
            ["outcome", "causes"],
            [[f"`{outcome}`", ", ".join(names)] for outcome, names in outcomes.items()] + [["–", ", ".join(none)]],
        ),
        "events": table(["event", "meaning"], [[f"`{event.raw}`", event.clause] for event in events]),
        "codes": table(["code", "name", "meaning"], [[code.raw, f"`{code.name}`", code.clause] for code in codes]),
    }


def error_page(schema, text):
    remedies = written_remedies()
    errors = [
        [code.raw, f"`{code.name}`", code.own["when"], remedies[code.name], code.own.get("status", "70")]
        for code in schema.named[CODES].cases
    ]
    causes = [
        [
            f"`{cause.raw}`",
            cause.own["by"],
            f"`{cause.own['outcome']}`" if "outcome" in cause.own else "–",
            cause.clause,
            cause.own["remedy"],
        ]
        for cause in schema.named[CAUSES].cases
    ]
    blocks = {
        "errors": table(["code", "name", "when", "remedy", "status"], errors),
        "causes": table(["cause", "who decides", "outcome", "when", "what to do"], causes),
    }
    return with_blocks(schema, text, blocks, ERRORS)


def written_remedies():
    """Reads the remedies from Swift, whose messages users see at run time. The page shows the same text."""
    return dict(re.findall(r'case \.(\w+):\s+"(.+)"$', REMEDIES.read_text(encoding="utf-8"), re.MULTILINE))


def check_names(schema):
    """Checks that each name has a sentence and the other columns of its table."""
    remedies = written_remedies()
    for name, needed in NEEDED.items():
        for case in schema.named[name].cases if name in schema.named else []:
            if not case.doc:
                schema.fault(case.line, f"{case.name} has no sentence; say in a line `/// …` above it what it means")
            for word in needed:
                if word not in case.own:
                    schema.fault(case.line, f"{case.name} lacks a line `{word} TEXT` below it, for docs/errors.md")
            if name == CODES and case.name not in remedies:
                schema.fault(
                    case.line, f"{case.name} has no remedy; add one in {REMEDIES.name} of Sources/ExtensionWire"
                )
