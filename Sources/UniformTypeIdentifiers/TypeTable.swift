// TypeTable: every type that is known, and which stands below which, answered from bits.

/// The system's types with those that bundles declare: a value, made once, immutable, free to share between threads.
///
/// ```swift
/// let table = TypeTable(declaring: bundles.flatMap(\.types))
/// let image = table.handle("public.image")                    // once
/// table.conforms(table.handle("public.jpeg"), to: image)      // true; two loads and a mask, no allocation
/// ```
public struct TypeTable: Sendable {
    /// Types that one table holds, with those that are only mentioned as a supertype: its bits grow with the square, 8 MiB here.
    public static let limit = 8192

    let declarations: [TypeDeclaration]
    /// Lower-case identifiers by place: the declared types in the order of `declarations`, then those only mentioned.
    private let keys: [String]
    private let places: [String: Int32]
    /// The places one step above each.
    private let edges: [[Int32]]
    /// For each place a row of bits: itself and all above it.
    private let rows: [UInt64]
    private let rowLength: Int
    /// What was wrong with the declarations, each with its identifier. Nothing of it keeps the others from counting.
    public let problems: [String]

    /// The system's types alone: read when the first question is asked.
    public static let system = TypeTable(table: systemTypeTable)

    /// The system's types and those of bundles, in the order in which the bundles count.
    ///
    /// The system's own declaration of an identifier always counts; else an exported one before an imported one; else the first.
    /// The public domain is nobody's to export: an exported `public.…` counts as imported. A conformance that would close a
    /// circle is left out.
    public init(declaring declared: [DeclaredType]) {
        let ranked = declared.filter(\.isOwner) + declared.filter { !$0.isOwner }
        self.init(Self.system.declarations + ranked.map(TypeDeclaration.init))
    }

    init(table: String) {
        var table = table
        self.init(table.withUTF8 { bytes in bytes.split(separator: UInt8(ascii: "\n")).compactMap(TypeDeclaration.init(line:)) })
    }

    init(_ declared: [TypeDeclaration]) {
        var builder = TypeTableBuilder(capacity: declared.count)
        for declaration in declared { builder.declare(declaration) }
        builder.connect()
        let rows = builder.closure()
        (declarations, keys, places, edges) = (builder.declarations, builder.keys, builder.places, builder.edges)
        (self.rows, rowLength, problems) = (rows, (builder.keys.count + 63) / 64, builder.problems)
    }

    /// The declaration of a lower-case identifier.
    subscript(key: String) -> TypeDeclaration? {
        guard let place = places[key], Int(place) < declarations.count else { return nil }
        return declarations[Int(place)]
    }

    /// Whether the system or a bundle declares this identifier, in any case of letters.
    public func declares(_ identifier: String) -> Bool { self[identifier.lowercased()] != nil }

    /// The identifiers of the types that have a tag, as they are declared, the system's first. Looks at every type.
    public func identifiers(tag: String, tagClass: UTTagClass) -> [String] {
        guard let tag = tagClass.normalized(tag) else { return [] }
        return declarations.filter { $0.tags[tagClass]?.contains(tag) == true }.map(\.identifier)
    }

    // MARK: Conformance

    /// Whether an identifier names the same type as another one or a type below it, in any case of letters. Identifiers that are
    /// declared nowhere conform to themselves; dynamic ones to what their name says, too.
    public func conforms(_ identifier: String, to other: String) -> Bool {
        identifier == other || conforms(handle(identifier), to: handle(other))
    }

    /// An identifier made ready to be compared often. May allocate; comparing does not.
    ///
    /// A handle is good for the table that gave it; another one may answer wrongly, and never traps.
    public func handle(_ identifier: String) -> Handle {
        if let place = places[identifier] { return Handle(place: place) }
        let key = identifier.lowercased()
        if let place = places[key] { return Handle(place: place) }
        return Handle(place: -1, stranger: Stranger(key, in: places))
    }

    /// A type as one table knows it.
    public struct Handle: Sendable {
        fileprivate let place: Int32
        fileprivate var stranger: Stranger?
    }

    /// A type that the table does not have.
    fileprivate final class Stranger: Sendable {
        let key: String
        /// Of a dynamic type: the first above it that the table has, or −1; and those on the way there.
        let above: Int32
        let between: [String]

        init(_ key: String, in places: [String: Int32]) {
            self.key = key
            var between: [String] = []
            var above: Int32 = -1
            // Each name stands inside the one before, so this ends.
            var next = DynamicType(identifier: key)?.supertype
            while let supertype = next {
                if let place = places[supertype] {
                    above = place
                    break
                }
                between.append(supertype)
                next = DynamicType(identifier: supertype)?.supertype
            }
            (self.above, self.between) = (above, between)
        }
    }

    /// Whether a type is another one or stands below it. Allocates nothing.
    public func conforms(_ handle: borrowing Handle, to other: borrowing Handle) -> Bool {
        guard other.place >= 0 else {
            guard let mine = handle.stranger, let theirs = other.stranger else { return false }
            return mine.key == theirs.key || mine.between.contains(theirs.key)
        }
        let place = handle.place >= 0 ? handle.place : handle.stranger?.above ?? -1
        guard place >= 0, place < keys.count, other.place < keys.count else { return false }
        return rows[Int(place) * rowLength + Int(other.place >> 6)] & (1 << UInt64(other.place & 63)) != 0
    }

    /// The identifiers of every type above one, nearest first, each once, in lower case. None of an identifier that is neither
    /// declared nor dynamic.
    public func supertypes(of identifier: String) -> [String] { supertypes(of: identifier.lowercased(), assuming: nil) }

    /// Every type above `key`, nearest first, each once; lower-case. `assumed` is a supertype that only the asking value knows.
    func supertypes(of key: String, assuming assumed: String?) -> [String] {
        var found: [String] = []
        var seen: Set<String> = [key]
        func add(_ key: String) { if seen.insert(key).inserted { found.append(key) } }
        func addDirect(of key: String) {
            if let place = places[key] {
                for edge in edges[Int(place)] { add(keys[Int(edge)]) }
            } else if let supertype = DynamicType(identifier: key)?.supertype {
                add(supertype)
            }
        }
        addDirect(of: key)
        if let assumed { add(assumed) }
        var next = 0
        while next < found.count {
            addDirect(of: found[next])
            next += 1
        }
        return found
    }
}
