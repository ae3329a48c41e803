// OfferMessages: the extensions that accept some items, with the reasons.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The types of a host's items, for the evaluation of activation rules.
public struct OfferedTypes: Sendable, Hashable, WireStructure {
    public var attachments: [[[String]]]
    /// The types that each item adds for extensions whose rule asks for a web page: one array per item, empty if it
    /// adds none.
    public var webPages: [[String]]

    public init(attachments: [[[String]]], webPages: [[String]] = []) {
        self.attachments = attachments
        self.webPages = webPages
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        attachments = try fields.value(.attachments)
        webPages = try fields.optional(.webPages) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.attachments, attachments)
        if !webPages.isEmpty { fields.set(.webPages, webPages) }
    }
}

/// Asks which extensions accept some items. The answer has every usable extension, with the reason.
///
/// Client → daemon; answered by `offers`.
public struct MatchItems: RequestMessage {
    public typealias Response = Page<OfferRecord>
    public static let kind = MessageKind.match
    public var types: OfferedTypes
    public var offset: Int

    public init(types: OfferedTypes, offset: Int = 0) {
        self.types = types
        self.offset = offset
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        types = try OfferedTypes(fields)
        offset = try fields.optional(.offset) ?? 0
    }

    public func encode(into fields: inout FieldWriter) {
        types.encode(into: &fields)
        fields.set(.offset, offset)
    }
}

/// The result of an offer for one extension.
public struct OfferRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.offers
    public var identifier: String
    /// The path of the evaluated copy.
    public var path: String
    /// Whether the daemon offers the extension.
    public var shown: Bool
    /// The reason, as one line of text.
    public var why: String
    /// Whether its rule asks for a web page. The extension then gets the types in `webPages` too.
    public var wantsWebPage: Bool

    public init(identifier: String, path: String, shown: Bool, why: String, wantsWebPage: Bool = false) {
        self.identifier = identifier
        self.path = path
        self.shown = shown
        self.why = why
        self.wantsWebPage = wantsWebPage
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        path = try fields.value(.path)
        shown = try fields.value(.shown)
        why = try fields.value(.why)
        wantsWebPage = try fields.value(.webPage)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.path, path)
        fields.set(.shown, shown)
        fields.set(.why, why)
        fields.set(.webPage, wantsWebPage)
    }
}

/// Asks for the reason why the daemon offers an extension for some items, or does not.
///
/// Client → daemon; answered by `explanation`.
public struct ExplainOffer: RequestMessage {
    public typealias Response = OfferExplanation
    public static let kind = MessageKind.explain
    public var extensionIdentifier: String
    public var types: OfferedTypes

    public init(extensionIdentifier: String, types: OfferedTypes) {
        self.extensionIdentifier = extensionIdentifier
        self.types = types
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        types = try OfferedTypes(fields)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        types.encode(into: &fields)
    }
}

/// The decision, clause by clause.
///
/// Daemon → client.
public struct OfferExplanation: Message {
    public static let kind = MessageKind.explanation
    public var offer: OfferRecord
    /// The first clauses, as many as a packet holds. Empty if no rule was evaluated.
    public var clauses: [OfferExplanation.Clause]
    /// A change that would make the rule match, if one attachment or one count decides.
    public var nearMiss: String?

    public init(offer: OfferRecord, clauses: [OfferExplanation.Clause] = [], nearMiss: String? = nil) {
        self.offer = offer
        self.clauses = clauses
        self.nearMiss = nearMiss
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        offer = try fields.value(.extension)
        clauses = try fields.value(.clauses)
        nearMiss = try fields.optional(.nearMiss)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, offer)
        fields.set(.clauses, clauses)
        fields.set(.nearMiss, nearMiss)
    }
}

extension OfferExplanation {
    /// One condition of an activation rule, and its result.
    public struct Clause: Sendable, Hashable, WireStructure {
        /// The condition, in one line.
        public var clause: String
        public var result: Bool
        /// The finding.
        public var detail: String
        /// The nesting level. Conditions inside this one follow it, one level deeper.
        public var level: Int

        public init(clause: String, result: Bool, detail: String, level: Int = 0) {
            self.clause = clause
            self.result = result
            self.detail = detail
            self.level = level
        }

        public init(_ fields: Fields) throws(ProtocolError) {
            clause = try fields.value(.clause)
            result = try fields.value(.result)
            detail = try fields.value(.detail)
            level = try fields.value(.level)
        }

        public func encode(into fields: inout FieldWriter) {
            fields.set(.clause, clause)
            fields.set(.result, result)
            fields.set(.detail, detail)
            fields.set(.level, level)
        }
    }
}
