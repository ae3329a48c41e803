// OpenEnumeration: an enumeration of a vocabulary that may get further cases.

/// An enumeration that may get further cases in a newer version.
///
/// The other side of a request may be newer. A value that this side does not know is read as `unrecognized`, so the rest
/// of its message can still be used. Each reader decides what an unrecognized value means to it.
public protocol OpenEnumeration: RawRepresentable<String>, Codable, Sendable {
    /// The case of all values that this side does not know. It is only read, and never sent on purpose.
    static var unrecognized: Self { get }
}

extension OpenEnumeration {
    /// Reads a value.
    ///
    /// - Throws: `DecodingError` if the value is no text.
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unrecognized
    }
}
