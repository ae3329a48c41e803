// RuleSubject: the tree of values that rules are evaluated on, in flat arrays that are built once for all rules.

public import PropertyListCoding
public import UniformTypeIdentifiers

/// The extension-items representation of a request, or the items of a file provider's actions.
///
/// The initializer looks up each type once; afterwards any number of rules may be evaluated on it, on any thread.
public struct RuleSubject: Sendable {
    /// The maximum size of a subject. A larger one is refused, with an error that names the bound.
    public struct Limits: Sendable, Hashable {
        /// The number of values of any kind, including arrays and dictionaries.
        public var values: Int
        /// The number of arrays and dictionaries around a value.
        public var depth: Int
        /// The bytes of text and data.
        public var bytes: Int

        public init(values: Int, depth: Int, bytes: Int) {
            self.values = values
            self.depth = depth
            self.bytes = bytes
        }

        /// The standard limits, which are more than a packet can hold.
        public static let standard = Limits(values: 65_536, depth: 64, bytes: 1 << 20)
    }

    enum Node: Sendable {
        case integer(Int64)
        case real(Double)
        case date(Double)
        case text(Int32)
        case data(Int32)
        /// The elements are in `children` from `first`; `facts` is the index of the array's facts.
        case array(first: Int32, count: Int32, facts: Int32)
        /// Pairs of a key and a node, from `first` in `children`. A key is the index of its text, or `~symbol` for a
        /// known one.
        case dictionary(first: Int32, count: Int32)
    }

    /// The facts of an array: the union of the types that its texts conform to.
    struct ArrayFacts: Sendable {
        var conformance: UInt64 = 0
    }

    /// The storage behind one reference. Thus passing a subject on, or evaluating a thousand rules, counts none of its
    /// arrays'.
    private final class Storage: Sendable {
        let nodes: [Node]
        let children: [Int32]
        let facts: [ArrayFacts]
        let texts: TextTable
        let blobs: [[UInt8]]
        let root: Int32
        let types: TypeTable
        let attachments: AttachmentTable

        init(_ builder: consuming Builder, root: Int32, types: TypeTable) {
            let shape = ItemShape(nodes: builder.nodes, children: builder.children, root: root)
            attachments = shape.table(builder.facts)
            (nodes, children, facts) = (builder.nodes, builder.children, builder.facts)
            (texts, blobs) = (builder.texts, builder.blobs)
            self.root = root
            self.types = types
        }
    }

    private let storage: Storage

    var nodes: [Node] { storage.nodes }
    var texts: TextTable { storage.texts }
    /// The type table as given, for a subject that is made from this one.
    var types: TypeTable { storage.types }
    /// The attachments of all items.
    var table: AttachmentTable {
        @inline(__always) _read { yield storage.attachments }
    }

    /// Creates a subject from items → attachments → registered type identifiers, as a host's `begin` names them.
    ///
    /// - Parameter types: the types and their conformance; pass the table with the types that bundles declare.
    public init(
        attachments: [[[String]]], types: TypeTable = .current, limits: Limits = .standard
    ) throws(RuleError) {
        var builder = Builder(limits: limits, types: types)
        let root = try builder.add(items: attachments)
        builder.texts.close()
        storage = Storage(builder, root: root, types: types)
    }

    /// Creates a subject from any property list, such as `{extensionItems: […]}` or `{fileproviderItems: […]}`.
    ///
    /// Key paths start at its top.
    public init(_ value: PropertyList, types: TypeTable = .current, limits: Limits = .standard) throws(RuleError) {
        var builder = Builder(limits: limits, types: types)
        let root = try builder.add(value, depth: 0)
        builder.texts.close()
        storage = Storage(builder, root: root, types: types)
    }

    private struct Builder {
        let limits: Limits
        var nodes: [Node] = []
        var children: [Int32] = []
        var facts: [ArrayFacts] = []
        var texts: TextTable
        var blobs: [[UInt8]] = []
        var bytes = 0

        init(limits: Limits, types: TypeTable) {
            self.limits = limits
            texts = TextTable(types: types)
        }

        mutating func add(_ value: PropertyList, depth: Int) throws(RuleError) -> Int32 {
            switch value {
            case .boolean(let value): return try add(.integer(value ? 1 : 0))
            case .integer(let value): return try add(.integer(value))
            case .real(let value): return try add(.real(value))
            case .date(let value): return try add(.date(value))
            case .string(let text): return try add(text)
            case .data(let bytes):
                try spend(bytes.count)
                blobs.append(bytes)
                return try add(.data(Int32(blobs.count - 1)))
            case .array(let values):
                return try add(values, depth: depth) { (builder, value) throws(RuleError) in
                    try builder.add(value, depth: depth + 1)
                }
            case .dictionary(let entries):
                try check(depth)
                let number = try add(.dictionary(first: 0, count: 0))
                var pairs: [Int32] = []
                for (key, value) in entries {
                    try spend(key.utf8.count)
                    pairs.append(self.number(ofKey: key))
                    pairs.append(try add(value, depth: depth + 1))
                }
                end(number, pairs)
                return number
            }
        }

        /// Adds the tree of items → attachments → registered type identifiers, without a property list of it.
        mutating func add(items: [[[String]]]) throws(RuleError) -> Int32 {
            try add("extensionItems", items, depth: 0) { (builder, item) throws(RuleError) in
                try builder.add("attachments", item, depth: 2) { (builder, types) throws(RuleError) in
                    try builder.add("registeredTypeIdentifiers", types, depth: 4) { (builder, type) throws(RuleError) in
                        try builder.add(type)
                    }
                }
            }
        }

        /// Adds a dictionary of one key, with an array.
        private mutating func add<Element>(
            _ key: String, _ values: [Element], depth: Int,
            _ each: (inout Self, Element) throws(RuleError) -> Int32
        ) throws(RuleError) -> Int32 {
            try check(depth)
            let number = try add(.dictionary(first: 0, count: 0))
            try spend(key.utf8.count)
            let keyNumber = self.number(ofKey: key)
            end(number, [keyNumber, try add(values, depth: depth + 1, each)])
            return number
        }

        private mutating func number(ofKey key: String) -> Int32 {
            let symbol = TextTable.Symbol.number(key)
            return symbol >= 0 ? ~symbol : texts.number(key)
        }

        private mutating func add<Element>(
            _ values: [Element], depth: Int, _ each: (inout Self, Element) throws(RuleError) -> Int32
        ) throws(RuleError) -> Int32 {
            try check(depth)
            let number = try add(.array(first: 0, count: 0, facts: 0))
            var elements: [Int32] = []
            elements.reserveCapacity(values.count)
            var ownFacts = ArrayFacts()
            for value in values {
                let element = try each(&self, value)
                if case .text(let text) = nodes[Int(element)] {
                    ownFacts.conformance |= texts.entries[Int(text)].conformance
                }
                elements.append(element)
            }
            nodes[Int(number)] = .array(
                first: Int32(children.count), count: Int32(elements.count), facts: Int32(facts.count))
            children += elements
            facts.append(ownFacts)
            return number
        }

        private mutating func end(_ dictionary: Int32, _ pairs: [Int32]) {
            nodes[Int(dictionary)] = .dictionary(first: Int32(children.count), count: Int32(pairs.count / 2))
            children += pairs
        }

        private mutating func add(_ text: String) throws(RuleError) -> Int32 {
            try spend(text.utf8.count)
            return try add(.text(texts.number(text)))
        }

        private mutating func add(_ node: Node) throws(RuleError) -> Int32 {
            guard nodes.count < limits.values else {
                throw RuleError(
                    "the items have more than \(limits.values) values", hint: "Use fewer items or attachments at once")
            }
            nodes.append(node)
            return Int32(nodes.count - 1)
        }

        private func check(_ depth: Int) throws(RuleError) {
            guard depth < limits.depth else {
                throw RuleError("the items are nested deeper than \(limits.depth) levels", hint: "Make them flatter")
            }
        }

        private mutating func spend(_ count: Int) throws(RuleError) {
            bytes += count
            guard bytes <= limits.bytes else {
                throw RuleError(
                    "the items have more than \(limits.bytes) bytes of text", hint: "Use fewer items at once")
            }
        }
    }
}

// MARK: The items' own shape

extension RuleSubject {
    private var shape: ItemShape { ItemShape(nodes: storage.nodes, children: storage.children, root: storage.root) }

    /// The object tree of this subject: a file provider's if the top holds its items.
    public var vocabulary: RuleVocabulary {
        shape.value(of: "fileproviderItems", in: storage.root) != nil ? .fileproviderItems : .extensionItems
    }

    /// The nodes of the items; empty if the subject holds no items.
    var itemNodes: ArraySlice<Int32> { shape.items ?? [] }

    /// The nodes of the attachments, item by item.
    var attachmentNodes: [ArraySlice<Int32>] { itemNodes.map { shape.attachments(of: $0) ?? [] } }

    /// Returns the texts among an array's elements.
    func textElements(of node: Int32) -> [String] {
        (shape.elements(node) ?? []).compactMap {
            if case .text(let text) = nodes[Int($0)] { texts.text(text) } else { nil }
        }
    }

    /// The items → attachments → registered type identifiers.
    public var attachments: [[[String]]] {
        attachmentNodes.map { item in item.map { shape.types(of: $0).map(textElements) ?? [] } }
    }
}

extension RuleSubject {
    /// The tree's arrays in place; see `TextTable.View`.
    struct View {
        let nodes: UnsafeBufferPointer<Node>
        let children: UnsafeBufferPointer<Int32>
        let facts: UnsafeBufferPointer<ArrayFacts>
        let blobs: UnsafeBufferPointer<[UInt8]>
        let texts: TextTable.View
        let root: Int32
    }

    @inline(__always)
    func withView<Result>(_ body: (View) -> Result) -> Result {
        storage.nodes.withUnsafeBufferPointer { nodes in
            storage.children.withUnsafeBufferPointer { children in
                storage.facts.withUnsafeBufferPointer { facts in
                    storage.blobs.withUnsafeBufferPointer { blobs in
                        storage.texts.withView { texts in
                            body(
                                View(
                                    nodes: nodes, children: children, facts: facts, blobs: blobs, texts: texts,
                                    root: storage.root))
                        }
                    }
                }
            }
        }
    }
}
