"""samples: generates data for tests: samples of every message, and the list of the fuzz targets."""

import re

from places import NOTE
from reading import sample_name
from text import WIDTH, filled


def value_of(schema, each, which, place):
    """Returns the value of a field in a sample."""
    if which == "full" and "sample" in each.own:
        return each.own["sample"]
    value = re.sub(r"\bN\b", str(place), schema.base(each.element)[2 if which == "full" else 3]).replace(
        "KEY", each.key
    )
    depth = each.type.count("[")
    if depth and which == "bare" and not (each.element in schema.named and schema.named[each.element].what == "record"):
        return "[]"
    for level in range(depth):
        value = f"[{value}]" if level == 0 else f"[{value}, []]"
    return value


def sample(schema, item, which):
    """Returns the opening of an initializer call, its parts, and its closing."""
    if item.what == "choice":
        last = item.fields[-1]
        return f"{item.type}.{last.name}(", [value_of(schema, last, which, len(item.fields))], ")"
    given = item.has.get("sample" if which == "full" else "bare")
    if given or item.is_by_hand:
        name, _, rest = (given or "").partition("(")
        # The split is at commas between arguments, not within one.
        parts = re.split(r", (?=\w+: )(?![^(]*\))", rest.removesuffix(")"))
        return (f"{name}(", parts, ")") if rest else None
    fields = {each.name: each for each in item.fields}
    parts = []
    for label, name, default in schema.parameters(item):
        if which == "full" or default is None:
            each = fields[name]
            place = item.fields.index(each) + 1
            value = "nil" if which == "bare" and each.optional else value_of(schema, each, which, place)
            parts.append(value if label == "_" else f"{label or name}: {value}")
    return f"{item.type}(", parts, ")"


def always_written(schema, item):
    """Returns the keys of a bare message without which a reader accepts it."""
    found = []
    for each in item.sent:
        if each.how == "...":
            found += always_written(schema, schema.named[each.type])
        elif "always" in each.options:
            found.append(f".{each.key}")
    return found


def samples(schema):
    lines = [
        "// MessageSamples: every message with all of its keys, and with those only that it must have.",
        NOTE,
        "",
        "import ExtensionProtocol",
        "import PropertyListCoding",
        "",
        "extension Sample {",
    ]
    within = types_within(schema, list(schema.kinds.values()))
    for item in schema.items:
        if item.what in ("record", "choice") and item.type in within:
            for which in ("full", "bare"):
                if made := sample(schema, item, which):
                    lines += filled(
                        f"private static let {sample_name(which, item.type)} = {made[0]}", made[1], made[2], 4
                    )
    for which, doc in [
        ("full", "Each kind with all keys."),
        ("bare", "The kinds that have keys, with those only that must be there."),
    ]:
        lines += ["", f"    /// {doc}", f"    static let {which}: [Sample] = ["]
        for item in schema.kinds.values():
            made = page_sample(item, which) if item.what == "page" else sample(schema, item, which)
            if made and (which == "full" or item.what == "page" or item.fields):
                also = always_written(schema, item) if which == "bare" else []
                more = f", writesThoughOptional: [{', '.join(also)}])," if also else "),"
                one = " " * 8 + f"Sample({made[0]}{', '.join(made[1])}{made[2]}{more}"
                if len(one) <= WIDTH:
                    lines.append(one)
                else:
                    lines += ["        Sample(", *filled(made[0], made[1], made[2] + more, 12)]
        lines.append("    ]")
    return "\n".join([*lines, "}", ""])


def types_within(schema, items):
    """Returns the types within messages, at any depth."""
    found, items = set(), list(items)
    while items:
        item = items.pop()
        inner = {each.element for each in item.fields} | ({item.type} if item.what == "page" else set())
        items += [schema.named[name] for name in inner - found if name in schema.named]
        found |= inner
    return found


def page_sample(item, which):
    return f"Page<{item.type}>(", [f"entries: [{sample_name(which, item.type)}]", "offset: 1", "count: 2"], ")"


def readers(schema):
    lines = [
        "// MessageReaders: the list of all messages, for the fuzz targets.",
        NOTE,
        "",
        "import ExtensionProtocol",
        "",
        "extension MessageReader {",
        "    static let list: [MessageReader] = [",
    ]
    lines += [f"        .init({schema.answer(kind)}.self)," for kind in schema.kinds]
    return "\n".join([*lines, "    ]", "}", ""])
