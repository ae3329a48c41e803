"""page: generates the tables and lists of docs/protocol.md, and the numbers in exthost.py."""

import re

from items import BASE
from places import PAGE, PYTHON, shown
from text import lowered, paragraph, payload_text


def type_text(schema, each):
    """Formats a type for the page: `array of arrays of strings`."""
    inner = schema.base(each.element)[1]
    depth = each.type.count("[")
    if depth:
        inner += " records" if inner.startswith("*") else "s" if each.element in BASE else ""
    return "array of " * (depth > 0) + "arrays of " * (depth - 1) + inner


def key_text(schema, each, is_choice):
    """Formats a key for the page: its name, type and meaning."""
    may_be_absent = each.is_left_out or is_choice or "always" in each.options
    kind = each.own.get("shown", type_text(schema, each) + "?" * may_be_absent)
    text = f"`{each.key}`{'?' * kind.endswith('?')}: {kind.removesuffix('?')}"
    if each.default not in (None, "nil") and "shown" not in each.own:
        text += ", empty if absent" if each.default in ("[]", '""') else f", `{each.default.strip('.')}` if absent"
    version = each.options.get("since") or each.options.get("needs")
    text += f", since {version}" if version else ""
    meaning = each.doc or (each.element in BASE and schema.meanings.get(each.key, (0, ""))[1])
    return text + (f". {meaning}" if meaning else ""), bool(meaning)


def keys_on_page(schema, item):
    """Returns all keys of an item, including those of nested records, and whether none of them needs a sentence."""
    texts, plain = [], True
    for each in item.sent:
        if each.how == "...":
            inner, is_plain = keys_on_page(schema, schema.named[each.type])
        else:
            text, is_meant = key_text(schema, each, is_choice=item.what == "choice")
            inner, is_plain = [text], not is_meant
        texts, plain = texts + inner, plain and is_plain
    return texts, plain


def described(schema, head, item):
    """Formats a paragraph about an item and a list of its keys. The keys are within the paragraph if none needs a
    sentence.
    """
    texts, plain = keys_on_page(schema, item)
    if plain:
        texts = [text.replace(": ", ", ", 1) for text in texts]
        return [*paragraph(f"{head} {'Keys' if len(texts) > 1 else 'Key'}: {'; '.join(texts)}." if texts else head), ""]
    lines = [*paragraph(head), ""]
    for text in texts:
        lines += paragraph(text + ("" if text.endswith(".") else "."), "- ", "  ")
    return [*lines, ""]


def group_on_page(schema, group):
    lines = ["| number | kind | direction | answer | since |", "| --- | --- | --- | --- | --- |"]
    details = []
    for kind, item in schema.kinds.items():
        if item.group == group:
            answer, comma, more = (item.has.get("answer") or item.has.get("then", "")).partition(",")
            answer = f"`{answer}`{comma}{more}" if answer else "–"
            lines.append(f"| 0x{item.number:04x} | `{kind}` | {item.has['from']} | {answer} | {item.since} |")
            head = f"**`{kind}`**: {lowered(item.doc)}"
            head += f" Entries: *{schema.named[item.type].title}* records." if item.what == "page" else ""
            head += payload_text(item)
            details += [*paragraph(head), ""] if item.what == "page" else described(schema, head, item)
    return [*lines, "", *details]


def records_on_page(schema, block):
    lines = []
    for item in schema.items:
        if item.what == "record" and item.block == block and not spread_only(schema, item):
            lines += described(schema, f"*{item.title}*: {lowered(item.doc)}", item)
    return lines


def spread_only(schema, item):
    """Whether a record occurs only within messages that list its keys themselves."""
    uses = [each for other in schema.items for each in other.fields if each.element == item.type]
    return bool(uses) and item.type not in schema.pages and all(each.how == "..." for each in uses)


def page(schema, text, blocks):
    """Returns docs/protocol.md with these blocks and those of messages and records."""
    blocks = blocks | {group: group_on_page(schema, group) for group in schema.groups}
    blocks |= {block: records_on_page(schema, block) for block in {item.block for item in schema.items} - {"", "none"}}
    return with_blocks(schema, text, blocks, PAGE)


def with_blocks(schema, text, blocks, path):
    for name, lines in blocks.items():
        text = replaced(
            schema, text, f"<!-- wire: {name} -->", "<!-- end of what Scripts/wire makes -->", ["", *lines], path
        )
    return text


def python(schema, text):
    names = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).upper(): item.number for kind, item in schema.kinds.items()}
    lines = []
    for group in schema.groups:
        own = [name for name, number in names.items() if number >> 8 == schema.groups[group][0]]
        for start in range(0, len(own), 5):
            part = own[start : start + 5]
            lines.append(f"{', '.join(part)} = {', '.join(f'0x{names[name]:03X}' for name in part)}")
    return replaced(
        schema,
        text,
        "# Kinds of packets, made from docs/protocol.schema by Scripts/wire.",
        "# End of the kinds.",
        lines,
        PYTHON,
    )


def replaced(schema, text, start, end, lines, path):
    """Replaces the lines between two marks."""
    before, first, rest = text.partition(start + "\n")
    _, last, after = rest.partition(end + "\n")
    if not first or not last:
        schema.faults.append(
            (0, f"{shown(path)}: lacks the lines “{start}” and “{end}”; what stands between is made here")
        )
        return text
    return before + start + "\n" + "\n".join([*lines, ""]) + end + "\n" + after
