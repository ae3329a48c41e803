// RegistryMessages: orders to the registry that outlast their connection, and everything about one extension.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Registers an app or an `.appex` by its path, until it is removed (section 6.4). Allowed to the daemon's own user.
///
/// Client → daemon; answered by `bundles`.
public struct AddBundle: RequestMessage {
    public typealias Response = BundleList
    public static let kind = MessageKind.addBundle
    public var path: String
    public init(path: String) { self.path = path }
    public init(_ fields: Fields) throws(ProtocolError) { path = try fields.value(.path) }
    public func encode(into fields: inout FieldWriter) { fields.set(.path, path) }
}

/// Removes an app or an `.appex` from the registry, and deletes the containers that no other bundle uses. Allowed to
/// the daemon's own user.
///
/// Client → daemon; answered by `bundles`.
public struct RemoveBundle: RequestMessage {
    public typealias Response = BundleList
    public static let kind = MessageKind.removeBundle
    public var path: String
    public init(path: String) { self.path = path }
    public init(_ fields: Fields) throws(ProtocolError) { path = try fields.value(.path) }
    public func encode(into fields: inout FieldWriter) { fields.set(.path, path) }
}

/// Sets the user's decision about an extension, for all of its copies. Allowed to the daemon's own user and root.
///
/// Client → daemon; answered by `bundles` when it is stored on disk.
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

/// Sets a consent of the user to an extension, for all of its copies. Allowed to the daemon's own user and root.
///
/// Client → daemon; answered by `bundles` when it is stored on disk.
public struct SetConsent: RequestMessage {
    public typealias Response = BundleList
    public static let kind = MessageKind.setConsent
    public var extensionIdentifier: String
    /// The name of the consent, one that the extension's point lists.
    public var name: String
    /// Whether the user gives it.
    public var isGiven: Bool

    public init(extensionIdentifier: String, name: String, isGiven: Bool) {
        self.extensionIdentifier = extensionIdentifier
        self.name = name
        self.isGiven = isGiven
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        name = try fields.value(.name)
        isGiven = try fields.value(.on)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.name, name)
        fields.set(.on, isGiven)
    }
}

/// Asks for the annotations of an extension.
///
/// Client → daemon; answered by `annotations`.
public struct ReadAnnotations: RequestMessage {
    public typealias Response = Annotations
    public static let kind = MessageKind.readAnnotations
    public var extensionIdentifier: String
    public init(extensionIdentifier: String) { self.extensionIdentifier = extensionIdentifier }
    public init(_ fields: Fields) throws(ProtocolError) { extensionIdentifier = try fields.value(.extension) }
    public func encode(into fields: inout FieldWriter) { fields.set(.extension, extensionIdentifier) }
}

/// The annotations of an extension.
///
/// Daemon → client. Payload: a dictionary with the value of each annotation. None: there is no annotation.
public struct Annotations: Message {
    public static let kind = MessageKind.annotations
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Asks which way the entries of a new stream between a host and an extension go.
///
/// Host → daemon; answered by `streamCarrier`.
public struct GetStreamCarrier: RequestMessage {
    public typealias Response = StreamCarrierName
    public static let kind = MessageKind.getStreamCarrier
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// The way of a new stream's entries.
///
/// Daemon → host.
public struct StreamCarrierName: Message {
    public static let kind = MessageKind.streamCarrier
    /// Whether they are calls through the daemon: its clock is virtual, or it records. If not, the two processes share
    /// memory.
    public var isRouted: Bool
    public init(isRouted: Bool) { self.isRouted = isRouted }
    public init(_ fields: Fields) throws(ProtocolError) { isRouted = try fields.value(.routed) }
    public func encode(into fields: inout FieldWriter) { fields.set(.routed, isRouted) }
}

/// The copies that an order affected.
///
/// Daemon → client.
public struct BundleList: Message {
    public static let kind = MessageKind.bundles
    /// The first copies, as many as the packet holds.
    public var entries: [ExtensionRecord]
    /// The number of all copies.
    public var count: Int
    /// The containers that a removal deletes as soon as no process uses them, at most 16 absolute paths.
    public var deleted: [String]
    /// The containers that a removal leaves because another bundle holds their groups, at most 16 absolute paths.
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
        if !deleted.isEmpty { fields.set(.deleted, deleted) }
        if !kept.isEmpty { fields.set(.kept, kept) }
    }
}

/// Asks for the details of one extension.
///
/// Client → daemon; answered by `extensionDetail`.
public struct ShowExtension: RequestMessage {
    public typealias Response = ExtensionDetail
    public static let kind = MessageKind.showExtension
    /// An identifier, or the path of a copy.
    public var name: String
    public init(name: String) { self.name = name }
    public init(_ fields: Fields) throws(ProtocolError) { name = try fields.value(.name) }
    public func encode(into fields: inout FieldWriter) { fields.set(.name, name) }
}

/// The details of one copy of an extension.
///
/// Daemon → client.
public struct ExtensionDetail: Message {
    public static let kind = MessageKind.extensionDetail
    /// The network access that its entitlements allow: `client`, `server`.
    public var network: [String]
    /// The consents that the user has given.
    public var consents: [String]
    /// The app groups that it holds, at most 16.
    public var groups: [String]
    /// The refused entitlements of the extension or its app, at most 16 sentences.
    public var refused: [String]
    public var record: ExtensionRecord
    public var principalClass: String?
    /// The path of the executable. Absent for a bundle that cannot be run.
    public var executable: String?
    /// The `Info.plist` in binary form. Absent if it cannot be read or has more than 24 KiB.
    public var information: [UInt8]?
    /// The number of copies of the identifier, including this one.
    public var count: Int

    public init(
        record: ExtensionRecord, principalClass: String?, executable: String?, information: [UInt8]?, count: Int,
        groups: [String] = [], refused: [String] = [], network: [String] = [], consents: [String] = []
    ) {
        self.network = network
        self.consents = consents
        self.groups = groups
        self.refused = refused
        self.record = record
        self.principalClass = principalClass
        self.executable = executable
        self.information = information
        self.count = count
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        network = try fields.optional(.network) ?? []
        consents = try fields.optional(.consents) ?? []
        groups = try fields.optional(.groups) ?? []
        refused = try fields.optional(.refused) ?? []
        record = try fields.value(.extension)
        principalClass = try fields.optional(.principalClass)
        executable = try fields.optional(.executable)
        information = try fields.optional(.information, as: Bytes.self)?.bytes
        count = try fields.value(.count)
    }

    public func encode(into fields: inout FieldWriter) {
        if !network.isEmpty { fields.set(.network, network) }
        if !consents.isEmpty { fields.set(.consents, consents) }
        if !groups.isEmpty { fields.set(.groups, groups) }
        if !refused.isEmpty { fields.set(.refused, refused) }
        fields.set(.extension, record)
        fields.set(.principalClass, principalClass)
        fields.set(.executable, executable)
        fields.set(.information, information.map(Bytes.init))
        fields.set(.count, count)
    }
}
