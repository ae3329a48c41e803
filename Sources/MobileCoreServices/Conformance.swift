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

/// A text that a function with `Create` or `Copy` in its name returns.
public struct UnmanagedString: Sendable {
    let text: CFString
    public func takeRetainedValue() -> CFString { text }
    public func takeUnretainedValue() -> CFString { text }
}

/// Returns the identifier of a type by one of its tags, such as an extension of file names; made up if none is known.
///
/// - Parameters:
///   - tagClass: the kind of the tag, such as `kUTTagClassFilenameExtension`.
///   - tag: the tag.
///   - conforming: a type to which the result conforms, or nil.
public func UTTypeCreatePreferredIdentifierForTag(
    _ tagClass: CFString, _ tag: CFString, _ conforming: CFString?
) -> UnmanagedString? {
    UTType(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: conforming.flatMap { UTType($0) })
        .map { UnmanagedString(text: $0.identifier) }
}

/// Returns the first tag of a type; nil if the type is unknown or has none.
///
/// - Parameters:
///   - type: an identifier.
///   - tagClass: the kind of the tag.
public func UTTypeCopyPreferredTagWithClass(_ type: CFString, _ tagClass: CFString) -> UnmanagedString? {
    UTType(type)?.tags[UTTagClass(rawValue: tagClass)]?.first.map { UnmanagedString(text: $0) }
}
