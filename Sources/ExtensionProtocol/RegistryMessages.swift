// RegistryMessages: orders to the registry that outlast their connection, and everything about one extension.

/// Registers an app or an `.appex` by its path, until it is removed; of the daemon's own user only.
public struct AddBundle: RequestMessage {
    public typealias Response = BundleList
    public static let kind = MessageKind.addBundle
    /// Absolute.
    public var path: String
    public init(path: String) { self.path = path }
    public init(_ fields: Fields) throws(ProtocolError) { path = try fields.value(.path) }
    public func encode(into fields: inout FieldWriter) { fields.set(.path, path) }
}

/// Takes an app or an `.appex` out of the registry, and deletes the containers that nobody else uses; of the daemon's own user only.
public struct RemoveBundle: RequestMessage {
    public typealias Response = BundleList
    public static let kind = MessageKind.removeBundle
    /// Absolute.
    public var path: String
    public init(path: String) { self.path = path }
    public init(_ fields: Fields) throws(ProtocolError) { path = try fields.value(.path) }
    public func encode(into fields: inout FieldWriter) { fields.set(.path, path) }
}

/// The user's word on an extension, for all of its copies; answered once it is on the disk. Of the daemon's own user and root.
public struct Elect: RequestMessage {
    public typealias Response = BundleList
    public static let kind = MessageKind.elect
    public var extensionIdentifier: String
    public var election: Election

    public init(extensionIdentifier: String, election: Election) {
        self.extensionIdentifier = extensionIdentifier
        self.election = election
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        election = try fields.value(.election)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.election, election)
    }
}

/// The copies that an order concerned: as many of the first of them as a packet holds, and how many there are.
public struct BundleList: Message {
    public static let kind = MessageKind.bundles
    public var entries: [ExtensionRecord]
    public var count: Int
    /// Of a removal, absolute paths: containers that are deleted once no process of the removed uses them, and containers of groups that
    /// stay for another member.
    public var deleted: [String]
    public var kept: [String]

    public init(entries: [ExtensionRecord], count: Int, deleted: [String] = [], kept: [String] = []) {
        self.entries = entries
        self.count = count
        self.deleted = deleted
        self.kept = kept
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        entries = try fields.value(.items)
        count = try fields.value(.count)
        deleted = try fields.optional(.deleted) ?? []
        kept = try fields.optional(.kept) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.items, entries)
        fields.set(.count, count)
        fields.set(.deleted, deleted.isEmpty ? nil : deleted)
        fields.set(.kept, kept.isEmpty ? nil : kept)
    }
}

/// What is there to know of one extension?
public struct ShowExtension: RequestMessage {
    public typealias Response = ExtensionDetail
    public static let kind = MessageKind.showExtension
    /// An identifier, or the path of one copy.
    public var name: String
    public init(name: String) { self.name = name }
    public init(_ fields: Fields) throws(ProtocolError) { name = try fields.value(.name) }
    public func encode(into fields: inout FieldWriter) { fields.set(.name, name) }
}

/// Everything about one copy of an extension.
public struct ExtensionDetail: Message {
    public static let kind = MessageKind.extensionDetail
    /// Bytes of an `Info.plist` in binary form that travel.
    public static let informationLimit = 24 * 1024
    public var record: ExtensionRecord
    public var principalClass: String?
    /// Absent of a bundle that cannot be run.
    public var executable: String?
    /// The whole `Info.plist` in binary form; absent when there is none that could be read, or it is too large to travel.
    public var information: [UInt8]?
    /// How many copies of the identifier there are, this one among them.
    public var count: Int
    /// The app groups that it holds.
    public var groups: [String]
    /// What its entitlements, or its app's, ask for in vain: a sentence each.
    public var refused: [String]
    /// What its entitlements let it do over the network: `client`, `server`.
    public var network: [String]

    public init(
        record: ExtensionRecord, principalClass: String?, executable: String?, information: [UInt8]?, count: Int,
        groups: [String] = [], refused: [String] = [], network: [String] = []
    ) {
        self.network = network
        self.groups = groups
        self.refused = refused
        self.record = record
        self.principalClass = principalClass
        self.executable = executable
        self.information = information
        self.count = count
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        record = try fields.value(.extension)
        principalClass = try fields.optional(.principalClass)
        executable = try fields.optional(.executable)
        information = try fields.optional(.information, as: Bytes.self)?.bytes
        count = try fields.value(.count)
        groups = try fields.optional(.groups) ?? []
        refused = try fields.optional(.refused) ?? []
        network = try fields.optional(.network) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.network, network.isEmpty ? nil : network)
        fields.set(.groups, groups.isEmpty ? nil : groups)
        fields.set(.refused, refused.isEmpty ? nil : refused)
        fields.set(.extension, record)
        fields.set(.principalClass, principalClass)
        fields.set(.executable, executable)
        fields.set(.information, information.map(Bytes.init))
        fields.set(.count, count)
    }
}
