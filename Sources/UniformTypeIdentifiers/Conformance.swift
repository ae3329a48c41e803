// Conformance: which type stands below which.

extension UTType {
    /// Whether this type is `type` or stands below it.
    public func conforms(to type: UTType) -> Bool {
        let table = TypeTable.current
        if table.conforms(key, to: type.key) { return true }
        return assumedSupertype.map { table.conforms($0, to: type.key) } ?? false
    }

    /// Whether this type stands below `type` and is not it.
    public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

    /// Whether this type stands above `type` and is not it.
    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }

    /// Every type above this one.
    public var supertypes: Set<UTType> {
        Set(TypeTable.current.supertypes(of: key, assuming: assumedSupertype).map { UTType($0) ?? UTType(identifier: $0) })
    }

    /// Whether an identifier names the same type as another one or a type below it. Works for identifiers that are declared
    /// nowhere, too: each conforms to itself. Ours: Apple's module has no form of this without making types. For many questions
    /// about the same types take `TypeTable.handle(_:)`.
    public static func identifier(_ identifier: String, conformsTo other: String) -> Bool {
        TypeTable.current.conforms(identifier, to: other)
    }
}
