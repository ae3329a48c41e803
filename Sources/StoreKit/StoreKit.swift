// StoreKit: the answers of a device on which nobody may pay.

@_exported public import Foundation

public let SKErrorDomain = "SKErrorDomain"

/// The reason why a payment or a request fails.
public struct SKError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case unknown, clientInvalid, paymentCancelled, paymentInvalid, paymentNotAllowed, storeProductNotAvailable

        public static func ~= (code: Code, error: any Error) -> Bool { (error as? SKError)?.code == code }
    }
    public let code: Code
    /// Makes the error of a code.
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { SKErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "notSimulated: there is no store here"] }
    public static var unknown: Code { .unknown }
    public static var paymentCancelled: Code { .paymentCancelled }
    public static var paymentNotAllowed: Code { .paymentNotAllowed }
    public static var storeProductNotAvailable: Code { .storeProductNotAvailable }
}

/// The question for a review. It is never shown, which Apple's systems may decide as well.
open class SKStoreReviewController: NSObject {
    /// Has no effect.
    open class func requestReview() {}
}

/// A product of the store. None is made here.
open class SKProduct: NSObject, @unchecked Sendable {  // its properties are constant
    public let productIdentifier = ""
    public let localizedTitle = ""
    public let localizedDescription = ""
    public let price = NSDecimalNumber.zero
    public let priceLocale = Locale(identifier: "en_US")
}

/// A payment for a product.
open class SKPayment: NSObject, @unchecked Sendable {  // its properties are constant
    public let productIdentifier: String
    public let quantity = 1
    public init(product: SKProduct) { productIdentifier = product.productIdentifier }
}

public enum SKPaymentTransactionState: Int, Sendable { case purchasing, purchased, failed, restored, deferred }

/// A payment in the queue, which has failed.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {  // its properties are constant
    public let payment: SKPayment
    public let error: (any Error)?
    public let transactionState = SKPaymentTransactionState.failed
    public let transactionIdentifier: String? = nil
    public let transactionDate: Date? = nil
    public var original: SKPaymentTransaction? { nil }

    init(_ payment: SKPayment) { (self.payment, error) = (payment, SKError(.paymentNotAllowed)) }
}

/// The observer of the queue. The last two methods are optional in Objective-C.
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])
    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)
}

extension SKPaymentTransactionObserver {
    public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {}
    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
}

/// The queue of payments. Each payment and each restoration fails once with `SKError.paymentNotAllowed`, on the main
/// queue.
open class SKPaymentQueue: NSObject, @unchecked Sendable {  // its observers are used on the main queue
    private static let shared = SKPaymentQueue()
    private var observers: [() -> (any SKPaymentTransactionObserver)?] = []

    open class func `default`() -> SKPaymentQueue { shared }
    /// Returns false.
    open class func canMakePayments() -> Bool { false }
    /// The open payments: none.
    open var transactions: [SKPaymentTransaction] { [] }

    open func add(_ observer: any SKPaymentTransactionObserver) {
        observers = observers.filter { $0() != nil && $0() !== observer } + [{ [weak observer] in observer }]
    }
    open func remove(_ observer: any SKPaymentTransactionObserver) {
        observers = observers.filter { $0() != nil && $0() !== observer }
    }

    open func add(_ payment: SKPayment) {
        tell { queue, observer in observer.paymentQueue(queue, updatedTransactions: [SKPaymentTransaction(payment)]) }
    }
    open func restoreCompletedTransactions() {
        tell { queue, observer in
            observer.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: SKError(.paymentNotAllowed))
        }
    }
    /// Has no effect: no payment stays in the queue.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {}

    private func tell(_ body: @escaping @Sendable (SKPaymentQueue, any SKPaymentTransactionObserver) -> Void) {
        DispatchQueue.main.async { for observer in self.observers.compactMap({ $0() }) { body(self, observer) } }
    }
}

/// The observer of a request.
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

/// A request to the store. Each start fails once with `SKError.storeProductNotAvailable`, on the main queue.
open class SKRequest: NSObject {
    open weak var delegate: (any SKRequestDelegate)?

    open func start() {
        nonisolated(unsafe) let request = self  // its delegate is called where its callers expect it
        DispatchQueue.main.async {
            request.delegate?.request(request, didFailWithError: SKError(.storeProductNotAvailable))
        }
    }
    /// Has no effect: no request is open.
    open func cancel() {}
}

/// The answer to a request for products. None is made here.
open class SKProductsResponse: NSObject {
    public let products: [SKProduct] = []
    public let invalidProductIdentifiers: [String] = []
}

public protocol SKProductsRequestDelegate: SKRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

/// A request for the products of identifiers, which it keeps.
open class SKProductsRequest: SKRequest {
    public let productIdentifiers: Set<String>
    public init(productIdentifiers: Set<String>) { self.productIdentifiers = productIdentifiers }
}
