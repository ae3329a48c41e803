// GroupIdentifier: the name of an app group, which is also the name of its folder.

/// An app group as entitlements name it: `group.com.example.notes`, or `TEAMID.com.example.notes` of the Mac.
///
/// The name cannot lead out of the folder of containers, and names no hidden file in it.
public struct GroupIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The limit in bytes: its files have names that contain it, with suffixes, and a file name has 255 bytes
    /// (limits.h).
    public static let greatestLength = 200
    private static let prefix = "group."
    /// The configuration's word for every group (`SharedGroups`), and words that an operator may write by mistake.
    private static let reserved: Set<String> = ["all", "none", "true", "false"]

    public let text: String

    /// Whether the name begins with `group.`, as all names on iOS do.
    public var hasGroupPrefix: Bool { text.hasPrefix(Self.prefix) }

    public init(_ text: String) throws(GroupIdentifierFault) {
        guard !text.utf8.contains(UInt8(ascii: "*")) else { throw .wildcard }
        guard !text.isEmpty, text != Self.prefix, !Self.reserved.contains(text.lowercased()), !text.hasPrefix(".")
        else { throw .name }
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
    /// The name is empty, reserved or that of a hidden file.
    case name
    case length
    case character

    public var description: String {
        switch self {
        case .wildcard: "a wildcard names no app group; write each group's whole name"
        case .name:
            "an app group's name is not empty, “group.”, “all”, “none”, “true” or “false”, and does not begin with “.”"
        case .length: "an app group's name has at most \(GroupIdentifier.greatestLength) bytes"
        case .character: "an app group's name has letters, digits, “.”, “-” and “_” only"
        }
    }
}
