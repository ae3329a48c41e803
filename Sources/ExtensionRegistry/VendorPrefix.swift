// VendorPrefix: the part of an identifier that names who made a bundle, as far as a name tells: nobody signs here.

public import ExtensionProtocol

/// The first two parts of a reverse domain name: `org.example` of `org.example.app.share`, and of the group
/// `group.org.example.notes`.
public struct VendorPrefix: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let description: String

    /// Of an identifier without a dot it is the whole.
    public init(identifier: String) {
        description = identifier.lowercased().split(separator: ".").prefix(2).joined(separator: ".")
    }

    /// nil for a group that names no vendor: there are fewer than two parts behind `group.`.
    public init?(group: GroupIdentifier) {
        let name = group.text.drop { $0 != "." }.dropFirst()
        guard name.contains(".") else { return nil }
        self.init(identifier: String(name))
    }

    public static func < (left: VendorPrefix, right: VendorPrefix) -> Bool { left.description < right.description }
}
