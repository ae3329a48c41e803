// ILMessageFilterQuery: the questions to a message filter, and its answers.

public import Foundation
import PointMessages

/// A message from a sender whom the person does not know.
open class ILMessageFilterQueryRequest: NSObject, @unchecked Sendable {  // its properties are constant
    /// The sender: a telephone number or an address. Nil if the host does not tell it.
    public let sender: String?
    /// The text of the message. Nil if the host does not tell it.
    public let messageBody: String?
    /// The ISO code of the receiver's country, such as `US`. Nil if it is unknown.
    public let receiverISOCountryCode: String?

    init(_ message: FilteredMessage) {
        (sender, messageBody) = (message.sender, message.body)
        receiverISOCountryCode = message.country
    }
}

/// The filter's decision about a message.
open class ILMessageFilterQueryResponse: NSObject {
    /// The decision. At first it is `none`.
    open var action = ILMessageFilterAction.none
    /// The kind of transaction or promotion. It acts only beside the action that it belongs to.
    open var subAction = ILMessageFilterSubAction.none

    public override init() {}
}

/// The question for the sub-actions of a filter.
open class ILMessageFilterCapabilitiesQueryRequest: NSObject {
    override init() {}
}

/// The sub-actions that a filter uses.
open class ILMessageFilterCapabilitiesQueryResponse: NSObject {
    /// The kinds of transactions.
    open var transactionalSubActions: [ILMessageFilterSubAction] = []
    /// The kinds of promotions.
    open var promotionalSubActions: [ILMessageFilterSubAction] = []

    public override init() {}
}

/// The decisions about a message. The numbers are Apple's (header).
public enum ILMessageFilterAction: Int, Sendable {
    /// The filter does not know. The message is shown as one without a filter.
    case none = 0
    /// The message is shown.
    case allow = 1
    /// The message is unwanted, and is shown apart without a notification.
    case junk = 2
    /// The message advertises something, and is shown apart.
    case promotion = 3
    /// The message is about something that the person does, such as a payment, and is shown apart.
    case transaction = 4

    /// The old name of `junk`.
    public static let filter = ILMessageFilterAction.junk

    init(_ action: FilteredMessage.Action) {
        switch action {
        case .allow: self = .allow
        case .junk: self = .junk
        case .promotion: self = .promotion
        case .transaction: self = .transaction
        case .none, .unrecognized: self = .none
        }
    }

    var message: FilteredMessage.Action {
        switch self {
        case .none: .none
        case .allow: .allow
        case .junk: .junk
        case .promotion: .promotion
        case .transaction: .transaction
        }
    }
}

/// The kinds of transactions and promotions. The numbers are Apple's (header).
public enum ILMessageFilterSubAction: Int, Sendable {
    case none = 0

    case transactionalOthers = 10000
    case transactionalFinance = 10001
    case transactionalOrders = 10002
    case transactionalReminders = 10003
    case transactionalHealth = 10004
    case transactionalWeather = 10005
    case transactionalCarrier = 10006
    case transactionalRewards = 10007
    case transactionalPublicServices = 10008

    case promotionalOthers = 20000
    case promotionalOffers = 20001
    case promotionalCoupons = 20002

    /// The sub-action of the same name, as it travels.
    var message: FilteredMessage.SubAction { FilteredMessage.SubAction(rawValue: "\(self)") ?? .none }
}
