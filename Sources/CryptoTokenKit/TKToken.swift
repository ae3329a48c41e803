// TKToken: the names of smart cards and their tokens, of which there is none.

@_exported public import ExtensionFoundation
@_exported public import Foundation

public let TKErrorDomain = "CryptoTokenKit"

/// The reason why a token does not answer.
public struct TKError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case notImplemented = -1, communicationError = -2, corruptedData = -3, canceledByUser = -4
        case authenticationFailed = -5, objectNotFound = -6, tokenNotFound = -7, badParameter = -8
        case authenticationNeeded = -9
    }

    public let code: Code
    /// Makes the error of a code.
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { TKErrorDomain }
    public var errorCode: Int { code.rawValue }
}

/// The work of a key.
public enum TKTokenOperation: Int, Sendable { case none, readData, signData, decryptData, performKeyExchange }

/// An algorithm of a key. A token gets none.
open class TKTokenKeyAlgorithm: NSObject {}
/// The wishes for an exchange of keys. A token gets none.
open class TKTokenKeyExchangeParameters: NSObject {}

/// A question for the person that has the token.
open class TKTokenAuthOperation: NSObject {
    public override init() {}
    /// Ends the question. The default does nothing.
    open func finish() throws {}
}

/// A question for the number of a card.
open class TKTokenSmartCardPINAuthOperation: TKTokenAuthOperation {
    open var pin: String?
    open weak var smartCard: TKSmartCard?
}

/// An item that a token would put into the keychain.
open class TKTokenKeychainItem: NSObject {
    public let objectID: Any
    open var label: String?

    /// - Parameter objectID: the name of the item on the token.
    public init(objectID: Any) { self.objectID = objectID }
}

/// The items of a token. They are kept: the keychain gets none.
open class TKTokenKeychainContents: NSObject {
    open private(set) var items: [TKTokenKeychainItem] = []
    /// Keeps items. Nothing reads them, and no line reports it.
    open func fill(with items: [TKTokenKeychainItem]) { self.items = items }
}

/// A card in a reader. There is none.
open class TKSmartCard: NSObject {
    override init() {}
}

/// A driver of tokens. No host makes one: the point is not simulated.
open class TKTokenDriver: NSObject {
    open weak var delegate: (any TKTokenDriverDelegate)?
    public override init() {}
}

/// A driver of cards.
open class TKSmartCardTokenDriver: TKTokenDriver {}

/// A token with keys.
open class TKToken: NSObject {
    public let tokenDriver: TKTokenDriver
    open weak var delegate: (any TKTokenDelegate)?
    public let keychainContents: TKTokenKeychainContents? = TKTokenKeychainContents()

    /// - Parameters:
    ///   - tokenDriver: the driver.
    ///   - instanceID: the name of the token.
    public init(tokenDriver: TKTokenDriver, instanceID: String) { self.tokenDriver = tokenDriver }
}

/// A token on a card.
open class TKSmartCardToken: TKToken {
    public let aid: Data?

    /// - Parameters:
    ///   - smartCard: the card.
    ///   - AID: the number of the card's program.
    ///   - instanceID: the name of the token.
    ///   - tokenDriver: the driver.
    public init(smartCard: TKSmartCard, aid AID: Data?, instanceID: String, tokenDriver: TKSmartCardTokenDriver) {
        aid = AID
        super.init(tokenDriver: tokenDriver, instanceID: instanceID)
    }
}

/// The use of a token by one client.
open class TKTokenSession: NSObject {
    public let token: TKToken
    open weak var delegate: (any TKTokenSessionDelegate)?

    /// - Parameter token: the token.
    public init(token: TKToken) { self.token = token }
}

/// The use of a card.
open class TKSmartCardTokenSession: TKTokenSession {}

/// The maker of tokens. No method is called.
public protocol TKTokenDriverDelegate: NSObjectProtocol {}

/// The maker of tokens of cards. No method is called.
public protocol TKSmartCardTokenDriverDelegate: TKTokenDriverDelegate {
    func tokenDriver(
        _ driver: TKSmartCardTokenDriver, createTokenFor smartCard: TKSmartCard, aid AID: Data?
    ) throws -> TKSmartCardToken
}

/// The maker of sessions. No method is called.
public protocol TKTokenDelegate: NSObjectProtocol {
    func createSession(_ token: TKToken) throws -> TKTokenSession
}

/// The work of a token. No method is called, and each has a body in place of Objective-C's optional ones.
public protocol TKTokenSessionDelegate: NSObjectProtocol {
    func tokenSession(
        _ session: TKTokenSession, beginAuthFor operation: TKTokenOperation, constraint: Any
    ) throws -> TKTokenAuthOperation
    func tokenSession(
        _ session: TKTokenSession, supports operation: TKTokenOperation, keyObjectID: Any,
        algorithm: TKTokenKeyAlgorithm
    ) -> Bool
    func tokenSession(
        _ session: TKTokenSession, sign dataToSign: Data, keyObjectID: Any, algorithm: TKTokenKeyAlgorithm
    ) throws -> Data
    func tokenSession(
        _ session: TKTokenSession, decrypt ciphertext: Data, keyObjectID: Any, algorithm: TKTokenKeyAlgorithm
    ) throws -> Data
    func tokenSession(
        _ session: TKTokenSession, performKeyExchange otherPartyPublicKeyData: Data, keyObjectID objectID: Any,
        algorithm: TKTokenKeyAlgorithm, parameters: TKTokenKeyExchangeParameters
    ) throws -> Data
}

extension TKTokenSessionDelegate {
    public func tokenSession(
        _ session: TKTokenSession, beginAuthFor operation: TKTokenOperation, constraint: Any
    ) throws -> TKTokenAuthOperation { throw TKError(.notImplemented) }
    public func tokenSession(
        _ session: TKTokenSession, supports operation: TKTokenOperation, keyObjectID: Any,
        algorithm: TKTokenKeyAlgorithm
    ) -> Bool { false }
    public func tokenSession(
        _ session: TKTokenSession, sign dataToSign: Data, keyObjectID: Any, algorithm: TKTokenKeyAlgorithm
    ) throws -> Data { throw TKError(.notImplemented) }
    public func tokenSession(
        _ session: TKTokenSession, decrypt ciphertext: Data, keyObjectID: Any, algorithm: TKTokenKeyAlgorithm
    ) throws -> Data { throw TKError(.notImplemented) }
    public func tokenSession(
        _ session: TKTokenSession, performKeyExchange otherPartyPublicKeyData: Data, keyObjectID objectID: Any,
        algorithm: TKTokenKeyAlgorithm, parameters: TKTokenKeyExchangeParameters
    ) throws -> Data { throw TKError(.notImplemented) }
}
