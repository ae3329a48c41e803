// Conformance: what was asked of types by their identifiers before `UTType`.

@_exported public import UniformTypeIdentifiers

/// Whether a type is another one or conforms to it. False of identifiers that nobody knows, unless they are the same.
public func UTTypeConformsTo(_ type: CFString, _ other: CFString) -> Bool {
    if UTTypeEqual(type, other) { return true }
    guard let first = UTType(type), let second = UTType(other) else { return false }
    return first.conforms(to: second)
}

/// Whether two identifiers are the same, in whatever case.
public func UTTypeEqual(_ type: CFString, _ other: CFString) -> Bool { type.lowercased() == other.lowercased() }
