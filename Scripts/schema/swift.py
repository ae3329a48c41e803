"""swift: generates Swift: the types of the messages and records, their kinds and their keys."""

import pathlib
import re
import textwrap

from items import Case
from places import NOTE
from text import WIDTH, filled, lowered, payload_text, wrapped


class SwiftTypes:
    """Writes one generated file of types."""

    def __init__(self, schema, file):
        self.schema, self.file = schema, file
        self.access = "public " if file.startswith(("ExtensionProtocol/", "ExtensionWire/")) else ""

    def text(self):
        name = pathlib.PurePath(self.file).stem
        body, fields = [], []
        for item in self.schema.items:
            makers = {
                "message": self.structure,
                "record": self.structure,
                "choice": self.choice,
                "enum": self.enumeration,
            }
            if item.file == self.file and item.what in makers and not item.is_by_hand:
                body += ["", *makers[item.what](item)]
                fields += item.fields
        imports = []
        if not self.access:
            used = {self.schema.named[each.element].module for each in fields if each.element in self.schema.named}
            imports = ["", *(f"import {module}" for module in sorted({"ExtensionProtocol"} | used - {""}))]
        elif any("PropertyList" in line for line in body):
            imports = ["", "public import PropertyListCoding"]
        head = wrapped(f"{name}: {self.schema.files[self.file]}", 0, "// ")
        return "\n".join([*head, NOTE, *imports, *body, ""])

    def nested(self, item, lines):
        """A nested type is in an extension of the outer one."""
        outer = item.type.rpartition(".")[0]
        return [f"extension {outer} {{", *("    " + line if line else "" for line in lines), "}"] if outer else lines

    def enumeration(self, item):
        kinds = ["Int" if item.is_number else "String", "Sendable", "Hashable", "CaseIterable"]
        if not item.is_untyped:
            kinds.append("OpenEnumeration" if item.is_open else "WireValue")
        name = item.type.rpartition(".")[2]
        lines = wrapped(item.doc, 0, "/// ")
        lines.append(f"{self.access}enum {name}: {', '.join(kinds)} {{")
        cases = list(item.cases)
        if item.is_open and not any(case.name == "unrecognized" for case in cases):
            cases.append(Case(0, "A newer peer named something else.", "unrecognized", "unrecognized"))
        for case in cases:
            lines += wrapped(unlinked(case.doc), 4, "/// ")
            raw = case.raw if item.is_number else f'"{case.raw}"'
            lines.append(f"    case {quoted(case.name)}" + (f" = {raw}" if case.raw != case.name else ""))
        return self.nested(item, [*lines, "}"])

    def choice(self, item):
        """Writes a choice of several values, distinguished by the present key or by the name under one key."""
        name = item.type.rpartition(".")[2]
        cases = item.cases or [Case(each.line, each.doc, each.name, fields=[each]) for each in item.fields]
        lines = wrapped(item.doc, 0, "/// ")
        lines.append(f"{self.access}enum {name}: Sendable, Hashable, WireStructure {{")
        for case in cases:
            values = [
                (f"{each.name}: " if item.kind and not each.how else "") + self.schema.swift(each)
                for each in case.fields
            ]
            lines += [*wrapped(case.doc, 4, "/// "), f"    case {quoted(case.name)}({', '.join(values)})"]
        if item.kind:
            names = [f'"{case.name}"' for case in cases]
            lines += [
                "",
                "    /// The names of the cases in a dictionary.",
                *filled("static let names = [", names, "]", 4),
            ]
        lines += ["", f"    {self.access}init(_ fields: Fields) throws(ProtocolError) {{"]
        lines += self.named_cases(item, cases) if item.kind else self.keyed_cases(cases)
        lines += [
            "    }",
            "",
            f"    {self.access}func encode(into fields: inout FieldWriter) {{",
            "        switch self {",
        ]
        for case in cases:
            body = [f'fields.set(.{item.kind}, "{case.name}")'] if item.kind else []
            body += [self.write(each) for each in case.fields]
            head = f"        case .{case.name}({', '.join(f'let {each.name}' for each in case.fields)}):"
            lines += [f"{head} {body[0]}"] if len(body) == 1 else [head, *(f"            {line}" for line in body)]
        return self.nested(item, [*lines, "        }", "    }", "}"])

    def named_cases(self, item, cases):
        lines = [f"        switch try fields.value(.{item.kind}, as: String.self) {{"]
        for case in cases:
            values = [("" if each.how else f"{each.name}: ") + self.value(each) for each in case.fields]
            lines.append(f'        case "{case.name}": self = .{case.name}({", ".join(values)})')
        return [*lines, f'        default: throw .wrongType(key: "{item.kind}", kind: "{item.title}")', "        }"]

    def keyed_cases(self, cases):
        lines = []
        for case in cases[:-1]:
            each = case.fields[0]
            head = f"if let {each.name}: {self.schema.swift(each)} = try fields.optional(.{each.key}) {{"
            lines += [f"        {'} else ' if lines else ''}{head}", f"            self = .{case.name}({each.name})"]
        return [
            *lines,
            "        } else {",
            f"            self = .{cases[-1].name}({self.value(cases[-1].fields[0])})",
            "        }",
        ]

    def structure(self, item):
        schema, access = self.schema, self.access
        name = item.type.rpartition(".")[2]
        lines = wrapped(item.doc, 0, "/// ")
        if item.what == "message":
            lines += ["///", *wrapped(facts(item), 0, "/// ")]
            inherits = ["RequestMessage" if "answer" in item.has else "Message"]
        else:
            inherits = ["Sendable", "Hashable", "ListEntry" if item.type in schema.pages else "WireStructure"]
        inherits += item.has.get("also", "").split()
        lines.append(f"{access}struct {name}: {', '.join(inherits)} {{")
        if item.what == "message":
            if "answer" in item.has:
                lines.append(f"    {access}typealias Response = {schema.answer(item.has['answer'].partition(',')[0])}")
            lines.append(f"    {access}static let kind = MessageKind.{item.kind}")
        elif item.type in schema.pages:
            lines.append(f"    {access}static let pageKind = MessageKind.{schema.pages[item.type].kind}")
        for each in item.fields:
            lines += wrapped(each.doc + (" It never travels." if each.how == "unsent" else ""), 4, "/// ")
            lines.append(f"    {access}var {each.name}: {schema.swift(each)}")
        members = [self.initializer(item), self.since(item), self.reading(item), self.writing(item)]
        members = [member for member in members if member]
        terse = all(len(member) == 1 for member in members)
        for member in members:
            lines += member if terse else ["", *member]
        return self.nested(item, [*lines, "}"])

    def initializer(self, item):
        if "init by hand" in item.has:
            return []
        parameters = self.schema.parameters(item)
        fields = {each.name: each for each in item.fields}
        given = {name for _, name, _ in parameters}
        heads = []
        for label, name, default in parameters:
            head = f"{label} {name}" if label else name
            heads.append(
                f"{head}: {self.schema.swift(fields[name])}" + (f" = {default}" if default is not None else "")
            )
        body = [f"self.{each.name} = {each.name}" for each in item.fields if each.name in given]
        for each in item.fields:
            start = each.own.get("initially", each.default)
            if each.name not in given and start not in (None, "nil"):
                body.append(f"{each.name} = {start}")
        return self.function("init", heads, "", body)

    def since(self, item):
        """A message beyond an older peer's version is not sent to that peer."""
        choices = []
        for version in sorted({each.options["needs"] for each in item.fields if "needs" in each.options}):
            said = []
            for each in item.fields:
                if each.options.get("needs") == version:
                    said.append(
                        f"!{each.name}.isEmpty"
                        if each.default == "[]"
                        else f"{each.name} != nil"
                        if each.optional
                        else each.name
                    )
            choices.insert(0, (" || ".join(said), version_text(version)))
        if not choices:
            return []
        condition, version = choices.pop()
        return [
            "    /// An older peer would pass over the keys that it does not know, and do something else.",
            f"    {self.access}var since: ProtocolVersion {{",
            *(f"        if {condition} {{ return {version} }}" for condition, version in choices),
            f"        {'return ' if choices else ''}{condition} ? {version} : Self.kind.since",
            "    }",
        ]

    def reading(self, item):
        body = [f"{each.name} = {self.value(each)}" for each in item.sent]
        return self.function("init", ["_ fields: Fields"], " throws(ProtocolError)" if body else "", body)

    def value(self, each):
        """Returns the expression that reads a field's value from `fields`."""
        if "reads" in each.own:
            return each.own["reads"]
        if each.how == "...":
            return f"try {each.type}(fields)"
        kind = ", as: Bytes.self" if each.type == "Bytes" else ""
        value = f"try fields.{'optional' if each.is_left_out else 'value'}(.{each.key}{kind})"
        if each.type == "Bytes":
            value += "?.bytes" if each.optional else ".bytes"
        return value + (f" ?? {each.default}" if each.default not in (None, "nil") else "")

    def writing(self, item):
        body = [line for each in item.sent if (line := self.write(each))]
        return self.function("func encode", ["into fields: inout FieldWriter"], "", body)

    def write(self, each):
        """Returns the statement that writes a field into `fields`."""
        if "writes" in each.own:
            return each.own["writes"]
        if each.how == "...":
            return f"{each.name}.encode(into: &fields)"
        value = each.name
        if each.type == "Bytes":
            value = f"{value}.map(Bytes.init)" if each.optional else f"Bytes({value})"
        line = f"fields.set(.{each.key}, {value})"
        if each.default in (None, "nil") or "always" in each.options:
            return line
        said = {"false": each.name, "[]": f"!{each.name}.isEmpty"}.get(each.default, f"{each.name} != {each.default}")
        return f"if {said} {{ {line} }}"

    def function(self, head, parameters, effects, body):
        lines = filled(f"{self.access}{head}(", parameters, f"){effects} {{", 4)
        one = f"{lines[0]} {body[0] if body else ''} }}".replace("{  }", "{}")
        if len(body) <= 1 and len(lines) == 1 and len(one) <= WIDTH:
            return [one]
        return [*lines, *(f"        {line}" for line in body), "    }"]


def unlinked(text):
    """Returns the text of a page without its links, which would not resolve in a comment."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def quoted(case):
    return f"`{case}`" if case in ("extension", "default", "case", "import") else case


def version_text(version):
    major, minor = version.split(".")
    return f"ProtocolVersion(major: {major}, minor: {minor})"


def facts(item):
    """Returns the sentences about a message's sender, receiver and effects."""
    text = item.has["from"].replace("both", "either side → the other")
    if "answer" in item.has:
        text += f"; answered by `{item.has['answer'].partition(',')[0]}`" + item.has["answer"].partition(",")[2]
    if "then" in item.has:
        text += f"; followed by `{item.has['then'].partition(',')[0]}`"
    text = text[0].upper() + text[1:] + "."
    return text + payload_text(item)


def message_kinds(schema):
    lines = [
        "// MessageKind: every message of the protocol on one page, by the range it belongs to.",
        NOTE,
        "",
        "/// The number in a packet's header. Answers have the high bit of the low byte set.",
        "public enum MessageKind: UInt16, Sendable, Hashable, CaseIterable {",
    ]
    for group, (high, title) in schema.groups.items():
        lines.append(f"    // 0x{high:02x}xx: {lowered(title)}.")
        lines += [
            f"    case {kind} = 0x{item.number:04x}" for kind, item in schema.kinds.items() if item.group == group
        ] + [""]
    lines[-1:] = [
        "}",
        "",
        "extension MessageKind {",
        "    /// The lowest version that knows this kind: to a peer of a lower one it is a violation.",
        "    public var since: ProtocolVersion {",
        "        switch self {",
    ]
    for version in sorted({item.since for item in schema.kinds.values()} - {"1.0"}):
        later = [f".{kind}" for kind, item in schema.kinds.items() if item.since == version]
        pad = " " * 12
        cases = textwrap.wrap("case " + ", ".join(later) + ":", WIDTH, initial_indent=" " * 8, subsequent_indent=pad)
        lines += [*cases, f"{pad}{version_text(version)}"]
    return "\n".join([*lines, "        default: .lowest", "        }", "    }", "}", ""])


def keys(schema):
    lines = [
        "// Key: every key of every message, record and journal, spelt once.",
        NOTE,
        "",
        "/// The keys of a packet's dictionary.",
        "public enum Key: String, Sendable, Hashable, CaseIterable {",
    ]
    found = sorted(schema.keys(), key=str.lower)
    for letter in sorted({key[0].lower() for key in found}):
        own = ", ".join(quoted(key) for key in found if key[0].lower() == letter)
        lines += textwrap.wrap(f"case {own}", WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
    return "\n".join([*lines, "}", ""])
