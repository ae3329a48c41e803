"""items: the parsed items and fields of the schema."""

from dataclasses import dataclass, field

# Types of the schema: the Swift type, its name on the page, and a value for full and for bare samples. KEY and N stand
# for the field's key and its position in the message.
BASE = {
    "String": ("String", "string", '"KEY"', '""'),
    "Int": ("Int", "integer", "N << 33", "0"),
    "Double": ("Double", "real", "N.5", "0"),
    "Bool": ("Bool", "boolean", "true", "false"),
    "Bytes": ("[UInt8]", "data", "[N, 0xff]", "[]"),
    "Serial": ("UInt32", "serial", "N", "0"),
    "UInt32": ("UInt32", "integer", "N", "0"),
    "UUID": ("RequestIdentifier", "UUID", "RequestIdentifier(words: (1, N))", "RequestIdentifier(words: (1, N))"),
    "Version": ("ProtocolVersion", "version", "ProtocolVersion(major: N, minor: 65535)", "ProtocolVersion.lowest"),
    "PropertyList": ("PropertyList", "any value", '["KEY"]', "[]"),
    "Dictionary": ("PropertyListDictionary", "dictionary", '["KEY": N]', "[:]"),
}


@dataclass
class Field:
    line: int
    doc: str
    how: str  # "", "unsent", "_" for a case's value without a label, or "..." for the keys of a record
    key: str
    name: str
    type: str
    optional: bool
    default: str | None
    options: dict  # always, since, needs
    own: dict = field(default_factory=dict)  # the lines indented below it

    @property
    def element(self):
        return self.type.strip("[]")

    @property
    def is_left_out(self):
        """Whether a reader accepts a message without the key."""
        return self.optional or self.default is not None


@dataclass
class Case:
    """A case of an enumeration, with its raw value, or a case of a choice, with its fields."""

    line: int
    doc: str
    name: str
    raw: str = ""
    fields: list = field(default_factory=list)
    own: dict = field(default_factory=dict)  # the lines indented below it: by, outcome, when …

    @property
    def clause(self):
        """Returns its sentences for a cell of a table."""
        return self.doc[0].lower() + self.doc[1:].removesuffix(".")


@dataclass
class Item:
    line: int
    what: str  # message, page, record, choice, enum or type
    type: str
    doc: str = ""
    kind: str = ""  # a message's kind, or the key that names a choice's case
    number: int = 0
    title: str = ""  # its title on the page
    is_open: bool = False
    is_number: bool = False  # an enumeration whose raw values are numbers
    is_untyped: bool = False  # an enumeration whose values travel as texts or numbers
    group: str = ""
    block: str = ""
    file: str = ""
    fields: list = field(default_factory=list)
    cases: list = field(default_factory=list)
    has: dict = field(default_factory=dict)  # the attributes: from, answer, payload …
    module: str = ""  # a hand-written type's module
    values: tuple = ()  # a hand-written type's values in full and in bare samples

    @property
    def sent(self):
        return [each for each in self.fields if each.how != "unsent"]

    @property
    def is_message(self):
        return self.what in ("message", "page")

    @property
    def is_by_hand(self):
        return "by" in self.has

    @property
    def since(self):
        return self.has.get("since", "1.0")
