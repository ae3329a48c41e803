"""text: wraps lines at WIDTH columns."""

import textwrap

WIDTH = 120


def wrapped(text, indent, prefix):
    """Wraps a comment at WIDTH columns."""
    return paragraph(text, " " * indent + prefix, " " * indent + prefix)


def filled(opening, parts, closing, indent):
    """Formats a call or a declaration: in one line if it fits, else with its parts wrapped at WIDTH columns."""
    one = " " * indent + opening + ", ".join(parts) + closing
    if len(one) <= WIDTH:
        return [one]
    lines = [""]
    for place, part in enumerate(parts):
        part += "," if place < len(parts) - 1 else ""
        if lines[-1] and len(lines[-1]) + len(part) + indent + 5 > WIDTH - len(closing):
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + part
    lines = [" " * (indent + 4) + line for line in lines]
    if closing.startswith(") "):
        return [" " * indent + opening, *lines, " " * indent + closing]
    return [" " * indent + opening, *lines[:-1], lines[-1] + closing]


def paragraph(text, first="", later=""):
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def payload_text(item):
    """Returns the text about a payload that follows the sentences about its message."""
    return f" Payload: {lowered(item.has['payload'])}" if "payload" in item.has else ""


def lowered(text):
    """Returns the text in the form that follows a colon."""
    return text[0].lower() + text[1:]
