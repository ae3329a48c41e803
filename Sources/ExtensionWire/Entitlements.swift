// Entitlements: the app groups and network access that a bundle's Entitlements.plist asks for.

public import PropertyListCoding

/// The part of an entitlements property list that the daemon knows: the app groups and the network.
public struct Entitlements: Sendable, Hashable {
    /// The file's name, at the top of a bundle or in its `Contents`.
    public static let fileName = "Entitlements.plist"
    /// The limits for reading the file.
    public static let limits = PropertyListLimits.packet
    /// Apple's key: an array of strings.
    public static let groupsKey = "com.apple.security.application-groups"
    /// Apple's keys: booleans.
    public static let clientKey = "com.apple.security.network.client"
    public static let serverKey = "com.apple.security.network.server"
    /// The most groups of one bundle.
    public static let greatestCount = 64

    /// All entries of the file.
    public var values: PropertyListDictionary = [:]
    public var groups: Set<GroupIdentifier> = []
    /// Whether it asks to connect to others over the network, and to be connected to.
    public var isClient = false
    public var isServer = false
    /// The entries that cannot be granted, each with its reason, in the order of the file.
    public var faults: [Fault] = []

    /// A fault of one entry, or of the key as a whole.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The entry as it is in the file, cut to 255 characters; empty if it is no text.
        public let group: String
        public let reason: String

        public init(group: String, reason: String) {
            self.group = group
            self.reason = reason
        }

        public var description: String { group.isEmpty ? reason : "\(group): \(reason)" }
    }

    public init() {}

    public init(_ plist: PropertyList) {
        guard let entries = plist.dictionary else {
            faults = [Fault(group: "", reason: "\(Self.fileName) is not a dictionary")]
            return
        }
        values = entries
        isClient = flag(Self.clientKey, entries)
        isServer = flag(Self.serverKey, entries)
        guard let value = entries[Self.groupsKey] else { return }
        guard let names = value.array else {
            faults.append(Fault(group: "", reason: "\(Self.groupsKey) is not an array of strings"))
            return
        }
        for name in names {
            guard let text = name.string else {
                faults.append(Fault(group: "", reason: "\(Self.groupsKey) has an entry that is not a string"))
                continue
            }
            do throws(GroupIdentifierFault) {
                let group = try GroupIdentifier(text)
                guard groups.count < Self.greatestCount || groups.contains(group) else {
                    faults.append(Fault(group: text, reason: "a bundle has at most \(Self.greatestCount) app groups"))
                    return
                }
                groups.insert(group)
            } catch {
                faults.append(Fault(group: String(text.prefix(255)), reason: "\(error)"))
            }
        }
    }

    private mutating func flag(_ key: String, _ entries: PropertyListDictionary) -> Bool {
        guard let value = entries[key] else { return false }
        if case .boolean(let isSet) = value { return isSet }
        faults.append(Fault(group: "", reason: "\(key) is neither true nor false"))
        return false
    }
}
