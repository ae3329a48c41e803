// MessageFilterMessages: the calls of a message filter.

public import ExtensionPointKit

/// A message from a stranger, and the words for what becomes of it.
public struct FilteredMessage: Codable, Sendable, Equatable {
    /// The decisions about a message.
    public enum Action: String, OpenEnumeration, Hashable, CaseIterable {
        case none, allow, junk, promotion, transaction
        case unrecognized
    }

    /// The kinds of transactions and promotions.
    public enum SubAction: String, OpenEnumeration, Hashable, CaseIterable {
        case none
        case transactionalOthers, transactionalFinance, transactionalOrders, transactionalReminders
        case transactionalHealth, transactionalWeather, transactionalCarrier, transactionalRewards
        case transactionalPublicServices
        case promotionalOthers, promotionalOffers, promotionalCoupons
        case unrecognized

        /// The action that a message with this kind has; nil for no kind.
        public var action: Action? {
            rawValue.hasPrefix("transactional") ? .transaction : rawValue.hasPrefix("promotional") ? .promotion : nil
        }
    }

    public var sender: String?
    public var body: String?
    /// The ISO code of the receiver's country.
    public var country: String?

    public init(sender: String?, body: String?, country: String? = nil) {
        (self.sender, self.body, self.country) = (sender, body, country)
    }
}

/// Asks a filter what becomes of a message.
public struct FilterMessage: PointMessage {
    public static let name = "messageFilter.handleQuery"

    public struct Reply: Codable, Sendable {
        public var action: FilteredMessage.Action
        public var subAction: FilteredMessage.SubAction
        public init(_ action: FilteredMessage.Action, _ subAction: FilteredMessage.SubAction) {
            (self.action, self.subAction) = (action, subAction)
        }
    }

    public var message: FilteredMessage
    public init(_ message: FilteredMessage) { self.message = message }
}

/// Asks a filter for the sub-actions that it uses.
public struct MessageFilterCapabilities: PointMessage {
    public static let name = "messageFilter.handleCapabilitiesQuery"

    public struct Reply: Codable, Sendable {
        public var transactional: [FilteredMessage.SubAction]
        public var promotional: [FilteredMessage.SubAction]
        public init(transactional: [FilteredMessage.SubAction], promotional: [FilteredMessage.SubAction]) {
            (self.transactional, self.promotional) = (transactional, promotional)
        }
    }

    public init() {}
}

/// The host's last call. The framework completes the request after it.
public struct EndMessageFilter: PointMessage {
    public static let name = "messageFilter.end"
    public init() {}
}

/// The filter's wish that the host sends the question to the server.
public struct DeferQueryToNetwork: PointMessage {
    public static let name = "messageFilter.deferQueryRequestToNetwork"

    /// The server's answer.
    public struct Reply: Codable, Sendable {
        public var url: String
        public var status: Int
        public var headers: [String: String]
        public var body: [UInt8]
        public init(url: String, status: Int, headers: [String: String], body: [UInt8]) {
            (self.url, self.status, self.headers, self.body) = (url, status, headers, body)
        }
    }

    public init() {}
}

/// The errors of a deferral, as they travel. The numbers are from memory.
public enum MessageFilterFault: Int, Sendable {
    case system = 1
    case invalidNetworkURL, networkURLUnauthorized, networkRequestFailed, redundantNetworkDeferral

    /// The domain of the errors.
    public static let domain = "ILMessageFilterErrorDomain"
}
