"""reading: parses the schema, and answers the generators' questions about it."""

import re

from items import BASE, Case, Field, Item
from places import shown

# The formats of unindented lines. Kinds of items have their names here, and their arguments in `item`.
DIRECTIVES = {
    "group": re.compile(r'(\w+) (0x\w\w) "(.+)"'),
    "file": re.compile(r"(\S+?\.swift)(?:: (.+))?"),
    "records": re.compile(r"(\w+)"),
    "meaning": re.compile(r"(\w+): (.+)"),
    "plain": re.compile(r"(\w+(?:, \w+)*)"),
    "type": re.compile(r'(\S+)(?: of (\w+))?(?: "(.+)" (\S+) (\S+))?'),
    "message": re.compile(r"(\w+) (0x[0-9a-f]{4}) (\w+)"),
    "page": re.compile(r"(\w+) (0x[0-9a-f]{4}) of (\w+)"),
    "record": re.compile(r'([\w.]+) "(.+)"'),
    "choice": re.compile(r'([\w.]+)(?: by (\w+) "(.+)")?'),
    "enum": re.compile(r"([\w.]+)( of Int)?( open)?( untyped)?"),
}
FIELD = re.compile(
    r"(unsent |_ |\.\.\.)?(\w+)(?: as (\w+))?: ([\w.\[\]]+)(\?)?"
    r"(?: = ((?:\"[^\"]*\"|[^,])+))?((?:, (?:always|since \S+|needs \S+))*)"
)
ATTRIBUTES = ("also", "answer", "bare", "by", "from", "init", "payload", "sample", "since", "then")
CHANGES = ("initially", "reads", "sample", "shown", "writes")  # allowed below a field
FACTS = ("by", "outcome", "remedy", "status", "when")  # allowed below a case of an enumeration
ENUM_ATTRIBUTES = ("bare", "sample", "shown")


class Schema:
    """The items of the schema, in order, and its faults."""

    def __init__(self, path):
        self.path = path
        self.faults, self.items, self.groups, self.files = [], [], {}, {}
        self.meanings = {}  # by key: the line, the text
        self.group = self.block = self.file = ""  # of the current item
        self.read(path.read_text(encoding="utf-8"))
        self.named = {item.type: item for item in self.items if item.what != "page"}
        self.kinds = {item.kind: item for item in self.items if item.is_message}
        self.pages = {item.type: item for item in self.items if item.what == "page"}

    def fault(self, line, text):
        self.faults.append((line, f"{shown(self.path)}:{line}: {text}"))

    # Parsing

    def read(self, text):
        doc, item, last = [], None, None
        for line, indent, words in self.lines(text):
            if words.startswith("///"):
                doc.append(words[3:].strip())
                continue
            said, doc = " ".join(doc), []
            if indent == 8 and last is not None and words.split()[0] in (FACTS if isinstance(last, Case) else CHANGES):
                word, _, value = words.partition(" ")
                last.own[word] = value
            elif indent == 4 and item is not None:
                last = self.member(item, line, words, said)
            elif indent == 0:
                item, last = self.directive(line, words, said), None
            else:
                self.fault(
                    line, f"{words!r} belongs to nothing; members have four blanks, what changes one of them eight"
                )

    @staticmethod
    def lines(text):
        """Yields each line with its continuations: its number, its indentation and its text."""
        start, whole = 0, ""
        for number, line in enumerate(text.splitlines(), 1):
            start = start or number
            whole = f"{whole} {line.strip()}" if whole else line
            if whole.endswith("\\"):
                whole = whole[:-1].rstrip()
                continue
            if whole.strip() and not whole.startswith("#"):
                yield start, len(whole) - len(whole.lstrip()), whole.strip()
            start, whole = 0, ""

    def directive(self, line, words, said):
        """Parses an unindented line. Returns the item that owns the following lines."""
        word, _, rest = words.partition(" ")
        match = word in DIRECTIVES and DIRECTIVES[word].fullmatch(rest)
        if not match:
            return self.fault(line, f"cannot be read: {words!r}; the grammar stands at the top of the file")
        if word == "group":
            self.group = match[1]
            self.groups[match[1]] = (int(match[2], 16), match[3])
        elif word == "file":
            self.file = match[1]
            self.files.setdefault(match[1], match[2])
        elif word == "records":
            self.block = match[1]
        elif word == "meaning":
            self.meanings[match[1]] = (line, match[2])
        elif word == "plain":
            self.meanings |= {key: (line, "") for key in match[1].split(", ")}
        elif word == "type":
            self.items.append(
                Item(line, word, match[1], title=match[3] or "", module=match[2] or "", values=(match[4], match[5]))
            )
        else:
            return self.item(line, word, match, said)
        return None

    def item(self, line, word, match, said):
        item = Item(line, word, match[1], said, group=self.group, block=self.block, file=self.file)
        if item.is_message:
            item.kind, item.number, item.type = match[1], int(match[2], 16), match[3]
        elif word == "record":
            item.title = match[2]
        elif word == "choice":
            item.kind, item.title = match[2] or "", match[3] or ""
        elif word == "enum":
            item.is_number, item.is_open, item.is_untyped = bool(match[2]), bool(match[3]), bool(match[4])
        self.items.append(item)
        if not self.file:
            self.fault(line, "no file is named for this; put a line `file PATH: TEXT` before it")
        return item

    def member(self, item, line, words, said):
        """Parses a line of an item. Returns a field, or a case of an enumeration."""
        if item.what == "enum":
            word, _, rest = words.partition(" ")
            if match := re.fullmatch(r"(\w+)(?: = ([\w.]+))?", words):
                item.cases.append(Case(line, said, match[1], match[2] or match[1]))
                return item.cases[-1]
            if word not in ENUM_ATTRIBUTES:
                return self.fault(line, f"{words!r} is no case; write `name`, or `name = raw`")
            item.has[word] = rest
            return None
        if item.what == "choice" and item.kind:
            match = re.fullmatch(r"(\w+) \((.+)\)", words)
            fields = [self.field(line, part, "") for part in match[2].split(", ")] if match else [None]
            if None in fields:
                return self.fault(line, f"{words!r} is no case; write `name (key: Type, …)`")
            item.cases.append(Case(line, said, match[1], fields=fields))
            item.fields += fields
            return None
        if found := self.field(line, words, said):
            item.fields.append(found)
            return found
        word, _, rest = words.partition(" ")
        if word not in ATTRIBUTES:
            return self.fault(line, f"{words!r} is neither a key (`key: Type`) nor one of {', '.join(ATTRIBUTES)}")
        if word == "init" and rest.startswith("by hand"):
            word = "init by hand"
        item.has[word] = rest
        return None

    @staticmethod
    def field(line, words, said):
        match = FIELD.fullmatch(words)
        if not match:
            return None
        options = dict((option.split(" ") + [""])[:2] for option in match[7].split(", ")[1:])
        how, key, name = (match[1] or "").strip(), match[2], match[3] or match[2]
        return Field(line, said, how, key, name, match[4], bool(match[5]), match[6], options)

    # Questions of the generators

    def keys(self):
        """Returns the keys of fields, the keys that name cases, and `payload`, allowed in any packet (section 1.4)."""
        named = {item.kind for item in self.items if item.what == "choice" and item.kind}
        return {"payload"} | named | {each.key for item in self.items for each in item.sent if each.how != "..."}

    def swift(self, each):
        """Returns the Swift type of a property."""
        inner = self.base(each.element)[0]
        depth = each.type.count("[")
        return "[" * depth + inner + "]" * depth + ("?" if each.optional else "")

    def base(self, name):
        """Returns the entry of `BASE` for a type: in Swift, on the page, and in samples."""
        if name in BASE:
            return BASE[name]
        item = self.named[name]
        if item.what == "type":
            return (name, item.title, *item.values)
        if item.what == "enum":
            *others, last = [f"`{case.raw}`" for case in item.cases]
            shown = item.has.get("shown", f"{', '.join(others)} or {last}")
            samples = f"{name}.{item.cases[-1].name}", f"{name}.{item.cases[0].name}"
            return name, shown, item.has.get("sample", samples[0]), item.has.get("bare", samples[1])
        return name, f"*{item.title}*", sample_name("full", name), sample_name("bare", name)

    def parameters(self, item):
        """Returns the parameters of the initializer: label, name, default."""
        if "init" not in item.has:
            return [("", each.name, each.default) for each in item.sent]
        found = []
        for parameter in re.findall(r"[^,()]+", item.has["init"]):
            words, _, default = parameter.strip().partition(" = ")
            label, _, name = words.rpartition(" ")
            known = next((each for each in item.fields if each.name == name), None)
            found.append((label, name, default or (known and known.default)))
        return found

    def answer(self, kind):
        """Returns the Swift type of a message's answer."""
        item = self.kinds[kind]
        return f"Page<{item.type}>" if item.what == "page" else item.type


def sample_name(which, name):
    return which + name.replace(".", "")
