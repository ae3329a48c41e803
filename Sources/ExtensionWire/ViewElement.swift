// ViewElement: an extension's view as plain values, with the names by which a host uses its elements.

public import PropertyListCoding

/// One element of a view, with its children. It travels as a property list (`docs/protocol.md`, section 8.1).
public struct ViewElement: Sendable, Hashable {
    /// The kind of an element. A reader shows an unknown kind as a `view`.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A container that only holds other elements.
        public static let view = Kind(rawValue: "view")
        /// A compose sheet: `text` with `placeholder` and `remaining`; enabled while it can be posted.
        public static let sheet = Kind(rawValue: "sheet")
        /// An option of a sheet: `title` and, as `text`, its value; pending while the value is being determined.
        public static let item = Kind(rawValue: "item")
        /// The controller that an option has pushed.
        public static let pushed = Kind(rawValue: "pushed")
        public static let label = Kind(rawValue: "label")
        public static let button = Kind(rawValue: "button")
        /// Text that can be edited, where enabled.
        public static let text = Kind(rawValue: "text")
        /// A wheel: pending while it turns.
        public static let activity = Kind(rawValue: "activity")
        public static let image = Kind(rawValue: "image")
        public static let table = Kind(rawValue: "table")
        public static let row = Kind(rawValue: "row")
        /// A question above everything else; its answers are buttons.
        public static let alert = Kind(rawValue: "alert")
    }

    public var kind: Kind
    /// The author's own identifier, by which a host finds the element if its title is not meant for that.
    public var name: String?
    public var title: String?
    public var text: String?
    public var placeholder: String?
    /// The number of characters that may be added; negative when there are too many.
    public var remaining: Int?
    public var isEnabled = true
    public var isPending = false
    public var isSelected = false
    public var children: [ViewElement] = []

    public init(
        _ kind: Kind, name: String? = nil, title: String? = nil, text: String? = nil, children: [ViewElement] = []
    ) {
        self.kind = kind
        self.name = name
        self.title = title
        self.text = text
        self.children = children
    }

    /// All elements: this one and its descendants, in order.
    public var all: [ViewElement] { [self] + children.flatMap(\.all) }

    /// Returns the first element of this kind.
    public func first(_ kind: Kind) -> ViewElement? { all.first { $0.kind == kind } }

    /// Returns the first element with this name or title; it may be this one.
    public subscript(name: String) -> ViewElement? { all.first { $0.answers(to: name) } }

    /// Whether the element has this name or title.
    public func answers(to name: String) -> Bool { self.name == name || title == name }
}

// MARK: Its property list

extension ViewElement {
    /// The limits of a view's depth and of its number of elements.
    public static let deepest = 32
    public static let most = 4096

    private enum Field {
        static let kind = "kind"
        static let name = "name"
        static let title = "title"
        static let text = "text"
        static let placeholder = "placeholder"
        static let remaining = "remaining"
        static let enabled = "enabled"
        static let pending = "pending"
        static let selected = "selected"
        static let children = "children"
    }

    /// The property list of the element; fields with their usual value are left out.
    public var plist: PropertyList {
        var entries: PropertyListDictionary = [Field.kind: .string(kind.rawValue)]
        entries[Field.name] = name.map(PropertyList.string)
        entries[Field.title] = title.map(PropertyList.string)
        entries[Field.text] = text.map(PropertyList.string)
        entries[Field.placeholder] = placeholder.map(PropertyList.string)
        entries[Field.remaining] = remaining.map { .integer(Int64($0)) }
        if !isEnabled { entries[Field.enabled] = .boolean(false) }
        if isPending { entries[Field.pending] = .boolean(true) }
        if isSelected { entries[Field.selected] = .boolean(true) }
        if !children.isEmpty { entries[Field.children] = .array(children.map(\.plist)) }
        return .dictionary(entries)
    }

    /// Reads a stranger's property list; throws on a wrong type, beyond 32 levels or 4,096 elements.
    public init(plist: PropertyList) throws(ProtocolError) {
        var left = Self.most
        try self.init(plist, depth: 1, left: &left)
    }

    private init(_ plist: PropertyList, depth: Int, left: inout Int) throws(ProtocolError) {
        guard depth <= Self.deepest, left > 0 else { throw .wrongType(key: Field.children, kind: "view") }
        left -= 1
        guard let entries = plist.dictionary else { throw .wrongType(key: Field.children, kind: "view") }
        guard let kind = try Self.value(entries, Field.kind, \.string) else {
            throw .missing(key: Field.kind, kind: "view")
        }
        self.init(Kind(rawValue: kind))
        name = try Self.value(entries, Field.name, \.string)
        title = try Self.value(entries, Field.title, \.string)
        text = try Self.value(entries, Field.text, \.string)
        placeholder = try Self.value(entries, Field.placeholder, \.string)
        remaining = try Self.value(entries, Field.remaining, \.integer).map { Int(clamping: $0) }
        isEnabled = try Self.value(entries, Field.enabled, \.boolean) ?? true
        isPending = try Self.value(entries, Field.pending, \.boolean) ?? false
        isSelected = try Self.value(entries, Field.selected, \.boolean) ?? false
        for child in try Self.value(entries, Field.children, \.array) ?? [] {
            children.append(try ViewElement(child, depth: depth + 1, left: &left))
        }
    }

    private static func value<Value>(
        _ entries: PropertyListDictionary, _ key: String, _ read: (PropertyList) -> Value?
    ) throws(ProtocolError) -> Value? {
        guard let entry = entries[key] else { return nil }
        guard let value = read(entry) else { throw .wrongType(key: key, kind: "view") }
        return value
    }
}
