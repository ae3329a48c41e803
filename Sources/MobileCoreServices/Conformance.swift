// Conformance: functions on type identifiers, from before `UTType`.

@_exported public import UniformTypeIdentifiers

/// Whether a type is another one or conforms to it.
///
/// False for unknown identifiers, unless they are the same.
public func UTTypeConformsTo(_ type: CFString, _ other: CFString) -> Bool {
    if UTTypeEqual(type, other) { return true }
    guard let first = UTType(type), let second = UTType(other) else { return false }
    return first.conforms(to: second)
}

/// Whether two identifiers are the same, ignoring case.
public func UTTypeEqual(_ type: CFString, _ other: CFString) -> Bool { type.lowercased() == other.lowercased() }
