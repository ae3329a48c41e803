// TypeTable: all known types with their conformance, which is stored as bits.

/// The system's types with those that bundles declare: an immutable value, made once and shared between threads.
///
/// ```swift
/// let table = TypeTable(declaring: bundles.flatMap(\.types))
/// let image = table.handle("public.image")                    // once
/// table.conforms(table.handle("public.jpeg"), to: image)      // true; two loads and a mask, no allocation
/// ```
public struct TypeTable: Sendable {
    /// The maximum number of types in a table, including those only named as a supertype.
    ///
    /// The size of the bits grows with its square, to 8 MiB here.
    public static let limit = 8192

    let declarations: [TypeDeclaration]
    /// The lower-case identifiers by place: the types of `declarations` in their order, then the types that are only
    /// named.
    private let keys: [String]
    private let places: [String: Int32]
    /// The places of the direct supertypes of each place.
    private let edges: [[Int32]]
    /// A row of bits for each place: the type itself and all its supertypes.
    private let rows: [UInt64]
    private let rowLength: Int
    /// The faults of the declarations, each with its identifier. A fault does not affect the other declarations.
    public let problems: [String]

    /// The system's types alone, which are read at the first use.
    public static let system = TypeTable(table: systemTypeTable)

    /// Makes a table of the system's types and those of bundles, in the order of precedence of the bundles.
    ///
    /// The system's own declaration of an identifier always counts, else an exported one before an imported one, else
    /// the first. Nobody can export in the public domain, so an exported `public.…` counts as imported. A conformance
    /// that would close a cycle is omitted.
    public init(declaring declared: [DeclaredType]) {
        let ranked = declared.filter(\.isOwner) + declared.filter { !$0.isOwner }
        self.init(Self.system.declarations + ranked.map(TypeDeclaration.init))
    }

    init(table: String) {
        var table = table
        self.init(
            table.withUTF8 { bytes in pieces(of: bytes, dividedBy: "\n").compactMap(TypeDeclaration.init(line:)) })
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

    /// Whether the system or a bundle declares this identifier, regardless of case.
    public func declares(_ identifier: String) -> Bool { self[identifier.lowercased()] != nil }

    /// Returns the identifiers of the types that have a tag, as they are declared, the system's first. It examines
    /// every type.
    public func identifiers(tag: String, tagClass: UTTagClass) -> [String] {
        guard let tag = tagClass.normalized(tag) else { return [] }
        return declarations.filter { $0.tags[tagClass]?.contains(tag) == true }.map(\.identifier)
    }

    // MARK: Conformance

    /// Whether an identifier names the same type as another one or one of its subtypes, regardless of case.
    ///
    /// Undeclared identifiers conform to themselves; dynamic ones also conform to the supertype in their name.
    public func conforms(_ identifier: String, to other: String) -> Bool {
        identifier == other || conforms(handle(identifier), to: handle(other))
    }

    /// Prepares an identifier for many comparisons. This may allocate; a comparison does not.
    ///
    /// A handle is valid for the table that made it. Another table may give a wrong answer, but never traps.
    public func handle(_ identifier: String) -> Handle {
        if let place = places[identifier] { return Handle(place: place) }
        let key = identifier.lowercased()
        if let place = places[key] { return Handle(place: place) }
        return Handle(place: -1, stranger: Stranger(key, in: places))
    }

    /// A type in the form of one table.
    public struct Handle: Sendable {
        fileprivate let place: Int32
        fileprivate var stranger: Stranger?
    }

    /// A type that is not in the table.
    fileprivate final class Stranger: Sendable {
        let key: String
        /// The nearest supertype of a dynamic type that is in the table, or −1. `between` has the supertypes below that
        /// one.
        let above: Int32
        let between: [String]

        init(_ key: String, in places: [String: Int32]) {
            self.key = key
            var between: [String] = []
            var above: Int32 = -1
            // Each name is part of the one before, so the loop ends.
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

    /// Whether a type is another one or one of its subtypes. Allocates nothing.
    public func conforms(_ handle: borrowing Handle, to other: borrowing Handle) -> Bool {
        guard other.place >= 0 else {
            guard let mine = handle.stranger, let theirs = other.stranger else { return false }
            return mine.key == theirs.key || mine.between.contains(theirs.key)
        }
        let place = handle.place >= 0 ? handle.place : handle.stranger?.above ?? -1
        guard place >= 0, place < keys.count, other.place < keys.count else { return false }
        return rows[Int(place) * rowLength + Int(other.place >> 6)] & (1 << UInt64(other.place & 63)) != 0
    }

    /// Returns the identifiers of all supertypes of a type, nearest first, once each, in lower case.
    ///
    /// It is empty for an identifier that is neither declared nor dynamic.
    public func supertypes(of identifier: String) -> [String] { supertypes(of: identifier.lowercased(), assuming: nil) }

    /// Returns all supertypes of `key`, nearest first, once each, in lower case.
    ///
    /// `assumed` is a supertype that only the asking value knows.
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
