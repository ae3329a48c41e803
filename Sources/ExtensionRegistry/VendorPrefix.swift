// VendorPrefix: the part of an identifier that names a bundle's vendor; nothing is signed, so a name is all there is.

public import ExtensionProtocol

/// The first two parts of a reverse domain name: `org.example` of `org.example.app.share`, and of the group
/// `group.org.example.notes`.
public struct VendorPrefix: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let description: String

    /// Takes the prefix of an identifier. Of one without a dot, it is the whole.
    public init(identifier: String) {
        description = identifier.lowercased().split(separator: ".").prefix(2).joined(separator: ".")
    }

    /// Takes the prefix of a group; nil if fewer than two parts follow `group.`, so that it names no vendor.
    public init?(group: GroupIdentifier) {
        let name = group.text.drop { $0 != "." }.dropFirst()
        guard name.contains(".") else { return nil }
        self.init(identifier: String(name))
    }

    public static func < (left: VendorPrefix, right: VendorPrefix) -> Bool { left.description < right.description }
}
