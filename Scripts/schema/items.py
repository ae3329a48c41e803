"""Items and fields of the schema, as they are read."""

from dataclasses import dataclass, field

# Types of the schema: the type in Swift, its name on the page, and a value for full and one for bare samples. KEY and N stand
# for the key of the field and its place in the message.
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
    how: str  # "", "unsent", "_" for a value of a case without a label, or "..." for the keys of a record
    key: str
    name: str
    type: str
    optional: bool
    default: str | None
    options: dict  # always, since, needs
    own: dict = field(default_factory=dict)  # what stands below it

    @property
    def element(self):
        return self.type.strip("[]")

    @property
    def is_left_out(self):
        """Whether a reader does without its key."""
        return self.optional or self.default is not None


@dataclass
class Case:
    """Of an enumeration: a name and its raw value; of a choice: a name and what it has."""

    line: int
    doc: str
    name: str
    raw: str = ""
    fields: list = field(default_factory=list)
    own: dict = field(default_factory=dict)  # what stands below it: by, outcome, when …

    @property
    def clause(self):
        """Its sentences in a cell of a table."""
        return self.doc[0].lower() + self.doc[1:].removesuffix(".")


@dataclass
class Item:
    line: int
    what: str  # message, page, record, choice, enum or type
    type: str
    doc: str = ""
    kind: str = ""  # of a message; of a choice the key that names its case
    number: int = 0
    title: str = ""  # on the page
    is_open: bool = False
    is_number: bool = False  # an enumeration whose raw values are numbers
    is_untyped: bool = False  # an enumeration whose values travel as texts or numbers
    group: str = ""
    block: str = ""
    file: str = ""
    fields: list = field(default_factory=list)
    cases: list = field(default_factory=list)
    has: dict = field(default_factory=dict)  # from, answer, payload …
    module: str = ""  # of a type that is written by hand
    values: tuple = ()  # of such a type: in full and in bare samples

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
