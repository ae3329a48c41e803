// Conformance: the supertypes and subtypes of a type.

extension UTType {
    /// Whether this type is `type` or one of its subtypes.
    public func conforms(to type: UTType) -> Bool {
        let table = TypeTable.current
        if table.conforms(key, to: type.key) { return true }
        return assumedSupertype.map { table.conforms($0, to: type.key) } ?? false
    }

    /// Whether this type is a subtype of `type` and not the type itself.
    public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

    /// Whether this type is a supertype of `type` and not the type itself.
    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }

    /// All supertypes of this type.
    public var supertypes: Set<UTType> {
        Set(
            TypeTable.current.supertypes(of: key, assuming: assumedSupertype).map {
                UTType($0) ?? UTType(identifier: $0)
            })
    }

    /// Whether an identifier names the same type as another one, or one of its subtypes.
    ///
    /// It also accepts identifiers that are declared nowhere: each conforms to itself. This function is ours, because
    /// Apple's module has no form of it that makes no types. For many questions about the same types use
    /// `TypeTable.handle(_:)`.
    public static func identifier(_ identifier: String, conformsTo other: String) -> Bool {
        TypeTable.current.conforms(identifier, to: other)
    }
}
