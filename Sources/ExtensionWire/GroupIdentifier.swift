// GroupIdentifier: the name of an app group, which is also the name of its folder.

/// An app group as entitlements name it (`group.com.example.notes`).
///
/// The name cannot lead out of the folder of containers.
public struct GroupIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The limit in bytes: its files have names that contain it, with suffixes, and a file name has 255 bytes
    /// (limits.h).
    public static let greatestLength = 200
    private static let prefix = "group."

    public let text: String

    public init(_ text: String) throws(GroupIdentifierFault) {
        guard !text.utf8.contains(UInt8(ascii: "*")) else { throw .wildcard }
        guard text.hasPrefix(Self.prefix), text.utf8.count > Self.prefix.utf8.count else { throw .prefix }
        guard text.utf8.count <= Self.greatestLength else { throw .length }
        guard text.utf8.allSatisfy(Self.isAllowed) else { throw .character }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    public var description: String { text }

    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// The reason why a text names no app group.
public enum GroupIdentifierFault: Error, Sendable, Hashable, CustomStringConvertible {
    case wildcard
    case prefix
    case length
    case character

    public var description: String {
        switch self {
        case .wildcard: "a wildcard names no app group; write each group's whole name"
        case .prefix: "an app group's name begins with “group.”"
        case .length: "an app group's name has at most \(GroupIdentifier.greatestLength) bytes"
        case .character: "an app group's name has letters, digits, “.”, “-” and “_” only"
        }
    }
}
