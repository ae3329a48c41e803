// VendorPrefix: the part of an identifier that names a bundle's vendor; nothing is signed, so a name is all there is.

public import ExtensionProtocol

/// The first two parts of a reverse domain name: `org.example` of `org.example.app.share`, and of the groups
/// `group.org.example.notes` and `A1B2C3D4E5.org.example.notes`.
public struct VendorPrefix: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let description: String

    /// Takes the prefix of an identifier. Of one without a dot, it is the whole.
    public init(identifier: String) {
        description = identifier.lowercased().split(separator: ".").prefix(2).joined(separator: ".")
    }

    /// Takes the prefix of a group, without `group.` or the Mac's identifier of a team; nil if fewer than two parts are
    /// left, so that it names no vendor.
    public init?(group: GroupIdentifier) {
        var name = group.text[...]
        let first = name.prefix { $0 != "." }
        if group.hasGroupPrefix || Self.isTeam(first) { name = name.dropFirst(first.count + 1) }
        guard name.contains(".") else { return nil }
        self.init(identifier: String(name))
    }

    /// Whether a text has the form of Apple's identifier of a team: ten capital letters and digits.
    private static func isTeam(_ text: Substring) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    public static func < (left: VendorPrefix, right: VendorPrefix) -> Bool { left.description < right.description }
}
