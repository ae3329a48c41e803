// CustomIntents: the run time of classes of intents, for those of the module and for those that are generated.

import PointFrameworkKit
public import PointMessages

// # The contract for generated classes
//
// The framework finds a class by its name in `IntentsSupported`: in this module, in the module of the principal class,
// or, for a name with a dot, in the named module. It makes an intent by `init()`, sets its parameters, calls the
// handler, and reads the response. Tables of key paths and closures are all that it knows: the classes of this module
// have them, too. A generated file has this shape:
//
//     import Intents
//
//     public class OrderSoupIntent: INIntent {
//         public var soup: Soup?                     // an object of the author's own
//         public var quantity: NSNumber?             // integers, decimals and booleans
//         public var size: SoupSize = .unknown       // an enumeration is never nil
//         public var toppings: [String]?
//
//         override public class var _parameters: [_IntentParameter] {
//             [
//                 _IntentParameter(
//                     "soup", \OrderSoupIntent.soup,
//                     resolve: { (handler: any OrderSoupIntentHandling, intent, answer) in
//                         handler.resolveSoup(for: intent, with: answer)
//                     },
//                     async: { handler, intent in await handler.resolveSoup(for: intent) }),
//                 // NSNumber does not say what it holds.
//                 _IntentParameter("quantity", \OrderSoupIntent.quantity, as: .integer),
//                 ...
//             ]
//         }
//         override public class var _handling: _IntentHandling? {
//             _IntentHandling(
//                 "OrderSoupIntentHandling",
//                 confirm: { (handler: any OrderSoupIntentHandling, intent: OrderSoupIntent, answer) in
//                     handler.confirm(intent: intent, completion: answer)
//                 },
//                 confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
//                 handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
//                 handleAsync: { handler, intent in await handler.handle(intent: intent) })
//         }
//     }
//
//     public protocol OrderSoupIntentHandling: NSObjectProtocol {
//         func resolveSoup(for intent: OrderSoupIntent, with completion: @escaping (SoupResolutionResult) -> Void)
//         func resolveSoup(for intent: OrderSoupIntent) async -> SoupResolutionResult
//         func confirm(intent: OrderSoupIntent, completion: @escaping (OrderSoupIntentResponse) -> Void)
//         func confirm(intent: OrderSoupIntent) async -> OrderSoupIntentResponse
//         func handle(intent: OrderSoupIntent, completion: @escaping (OrderSoupIntentResponse) -> Void)
//         func handle(intent: OrderSoupIntent) async -> OrderSoupIntentResponse
//     }
//
//     extension OrderSoupIntentHandling {            // one default body for each requirement
//         public func resolveSoup(
//             for intent: OrderSoupIntent, with completion: @escaping (SoupResolutionResult) -> Void
//         ) { _intentMethodNotWritten("resolveSoup(for:with:)") }
//         public func resolveSoup(for intent: OrderSoupIntent) async -> SoupResolutionResult {
//             _intentMethodNotWritten("resolveSoup(for:)")
//             return .notRequired()                  // any value: nobody reads it
//         }
//         // likewise confirm and handle, whose async forms return OrderSoupIntentResponse(code: .failure, ...)
//     }
//
//     public enum OrderSoupIntentResponseCode: Int {
//         case unspecified = 0, ready, continueInApp, inProgress, success, failure, failureRequiringAppLaunch
//         case outOfStock = 100                      // the author's own, from 100
//     }
//
//     public class OrderSoupIntentResponse: INIntentResponse {
//         public internal(set) var code = OrderSoupIntentResponseCode.unspecified
//         public var waitTime: NSNumber?
//         public convenience init(code: OrderSoupIntentResponseCode, userActivity: NSUserActivity?) {
//             self.init()
//             self.code = code
//             self.userActivity = userActivity
//         }
//         override public var _code: _IntentCode { _IntentCode(code) }   // or: isSuccess: false for .outOfStock
//         override public func _setCode(_ number: Int) { code = OrderSoupIntentResponseCode(rawValue: number) ?? code }
//         override public class var _properties: [_IntentProperty] {
//             [_IntentProperty("waitTime", \OrderSoupIntentResponse.waitTime, as: .integer)]
//         }
//     }
//
//     public enum SoupSize: Int, _IntentEnumeration { case unknown = 0, small, large }   // CaseIterable
//
//     public class Soup: INObject {
//         public var spiciness: NSNumber?
//         override public class var _properties: [_IntentProperty] {
//             [_IntentProperty("spiciness", \Soup.spiciness, as: .integer)]
//         }
//     }
//
//     public class SoupResolutionResult: INObjectResolutionResult {
//         public class func success(with resolvedObject: Soup) -> Self { _success(resolvedObject) }
//         public class func disambiguation(with options: [Soup]) -> Self { _disambiguation(options) }
//         public class func confirmationRequired(with object: Soup?) -> Self { _confirmationRequired(object) }
//     }
//     // An enumeration: class SoupSizeResolutionResult: INEnumResolutionResult, with the same three.
//     // Reasons: class OrderSoupQuantityResolutionResult: INIntegerResolutionResult {
//     //     public class func unsupported(forReason reason: OrderSoupQuantityUnsupportedReason) -> Self {
//     //         unsupported(forReason: reason.rawValue)
//     //     } }
//
// A parameter that is a list has results in a list: `resolveToppings(for:with:)` answers `[INStringResolutionResult]`.
// No other difference exists: `_IntentParameter` takes both. A parameter without a resolve method has no `resolve:`.
// Types of parameters: `String`, `NSNumber` with `as:`, `Int`, `Double`, `Bool`, `Date`, `DateComponents`, `URL`,
// `Data`, `INPerson`, `INObject` and its subclasses, `INSpeakableString`, `INFile`, `INDateComponentsRange`,
// `INCurrencyAmount`, `INMediaItem`, `INTask`, `INTaskList`, `INNote`, `INMessage`, enumerations, and lists of them.

/// A type of parameters and properties. Generated enumerations adopt `_IntentEnumeration`; no other type needs this.
public protocol _IntentRepresentable {
    /// The type of the values.
    static var _intentType: IntentType { get }
    /// Makes a value of this type, boxed; nil if the other side's value is none.
    static func _make(from value: IntentValue?) -> Any?
    /// The value; nil if there is none.
    var _intentValue: IntentValue? { get }
}

/// An enumeration of integers that is the type of parameters.
public protocol _IntentEnumeration: _IntentRepresentable, RawRepresentable, CaseIterable where RawValue == Int {}

extension _IntentEnumeration {
    public static var _intentType: IntentType {
        IntentType(
            .enumeration, cases: Dictionary(allCases.map { ("\($0)", $0.rawValue) }, uniquingKeysWith: { $1 }))
    }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .integer(let number)? = value else { return nil }
        return Self(rawValue: number)
    }
    public var _intentValue: IntentValue? { .integer(rawValue) }
}

/// The kind of value that an `NSNumber` holds.
public enum _IntentNumber {
    case integer, number, boolean

    var kind: IntentType.Kind {
        switch self {
        case .integer: .integer
        case .number: .number
        case .boolean: .boolean
        }
    }
}

/// A property of an intent, a response or an object, as the framework reads and writes it.
public struct _IntentProperty {
    let name: String
    let type: IntentType
    let get: (AnyObject) -> IntentValue?
    /// Returns false for a value of another type.
    let set: (AnyObject, IntentValue?) -> Bool
    /// The path of the property.
    let path: AnyKeyPath
    /// Returns the value itself; nil if there is none.
    let read: (AnyObject) -> Any?

    /// - Parameters:
    ///   - name: the name.
    ///   - path: the property.
    ///   - kind: the kind of an `NSNumber`.
    public init<Owner: AnyObject, Value: _IntentRepresentable>(
        _ name: String, _ path: ReferenceWritableKeyPath<Owner, Value>, as kind: _IntentNumber? = nil
    ) {
        var type = Value._intentType
        if let kind { type.kind = kind.kind }
        let wanted = type
        self.name = name
        self.type = wanted
        get = { owner in (owner as? Owner)?[keyPath: path]._intentValue.map { Self.number($0, as: wanted) } }
        set = { owner, value in
            guard let owner = owner as? Owner, value.map(wanted.holds) ?? true else { return false }
            guard let made = Value._make(from: value) as? Value else { return value == nil }
            owner[keyPath: path] = made
            return true
        }
        self.path = path
        read = { owner in (owner as? Owner).flatMap { INParameter.unwrapped($0[keyPath: path]) } }
    }

    /// An `NSNumber` does not say whether it holds an integer, a decimal or a truth value.
    private static func number(_ value: IntentValue, as type: IntentType) -> IntentValue {
        switch (value, type.kind) {
        case (.list(let elements), _): .list(elements.map { number($0, as: type.element) })
        case (.number(let number), .integer): .integer(Int(exactly: number.rounded(.towardZero)) ?? 0)
        case (.boolean(let value), .integer): .integer(value ? 1 : 0)
        case (.integer(let number), .number): .number(Double(number))
        case (.boolean(let value), .number): .number(value ? 1 : 0)
        case (.number(let number), .boolean): .boolean(number != 0)
        case (.integer(let number), .boolean): .boolean(number != 0)
        default: value
        }
    }
}

/// A result of a resolution, or a list of results.
public protocol _IntentResolution {
    /// The results.
    var _results: [INIntentResolutionResult] { get }
}

extension Array: _IntentResolution where Element: INIntentResolutionResult {
    public var _results: [INIntentResolutionResult] { self }
}

/// A parameter of an intent with the method of the handler that resolves it.
public struct _IntentParameter {
    /// Both forms of a method of the handler. The closures take handler, intent and completion handler.
    struct Resolve {
        let handler: (Any, INIntent, @escaping (any _IntentResolution) -> Void) -> Void
        let async: (Any, INIntent) async -> any _IntentResolution
    }

    let property: _IntentProperty
    let resolve: Resolve?

    /// Makes a parameter that no method resolves.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - path: the property.
    ///   - kind: the kind of an `NSNumber`.
    public init<Intent: INIntent, Value: _IntentRepresentable>(
        _ name: String, _ path: ReferenceWritableKeyPath<Intent, Value>, as kind: _IntentNumber? = nil
    ) {
        property = _IntentProperty(name, path, as: kind)
        resolve = nil
    }

    /// Makes a parameter with the two forms of its method.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - path: the property.
    ///   - kind: the kind of an `NSNumber`.
    ///   - resolve: calls the form with a completion handler.
    ///   - async: calls the other form.
    public init<Intent: INIntent, Value: _IntentRepresentable, Handler, Result: _IntentResolution>(
        _ name: String, _ path: ReferenceWritableKeyPath<Intent, Value>, as kind: _IntentNumber? = nil,
        resolve: @escaping (Handler, Intent, @escaping (Result) -> Void) -> Void,
        async: @escaping (Handler, Intent) async -> Result
    ) {
        property = _IntentProperty(name, path, as: kind)
        // The framework has checked both types.
        self.resolve = Resolve(
            handler: { resolve($0 as! Handler, $1 as! Intent, $2) },
            async: { await async($0 as! Handler, $1 as! Intent) })
    }
}

/// The protocol of the handlers of a class of intents, and its two last methods in both forms.
public struct _IntentHandling {
    /// Both forms of a method of the handler.
    struct Step {
        let handler: (Any, INIntent, @escaping (INIntentResponse) -> Void) -> Void
        let async: (Any, INIntent) async -> INIntentResponse
    }

    /// The name of the protocol.
    let name: String
    /// Whether an object is a handler.
    let accepts: (Any) -> Bool
    /// The class of the responses.
    let response: INIntentResponse.Type
    let confirm: Step
    let handle: Step

    /// - Parameters:
    ///   - name: the name of the protocol, for faults.
    ///   - confirm: calls `confirm(intent:completion:)`.
    ///   - confirmAsync: calls its async form.
    ///   - handle: calls `handle(intent:completion:)`.
    ///   - handleAsync: calls its async form.
    public init<Handler, Intent: INIntent, Response: INIntentResponse>(
        _ name: String, confirm: @escaping (Handler, Intent, @escaping (Response) -> Void) -> Void,
        confirmAsync: @escaping (Handler, Intent) async -> Response,
        handle: @escaping (Handler, Intent, @escaping (Response) -> Void) -> Void,
        handleAsync: @escaping (Handler, Intent) async -> Response
    ) {
        self.name = name
        accepts = { $0 is Handler }
        response = Response.self
        self.confirm = Step(
            handler: { confirm($0 as! Handler, $1 as! Intent, $2) },
            async: { await confirmAsync($0 as! Handler, $1 as! Intent) })
        self.handle = Step(
            handler: { handle($0 as! Handler, $1 as! Intent, $2) },
            async: { await handleAsync($0 as! Handler, $1 as! Intent) })
    }
}

/// The code of a response.
public struct _IntentCode: Sendable {
    let name: String
    let number: Int
    let isSuccess: Bool

    /// The code of a response without one.
    static let unspecified = _IntentCode(Unspecified.unspecified)

    private enum Unspecified: Int { case unspecified }

    /// - Parameters:
    ///   - code: the code.
    ///   - isSuccess: whether it stands for success. By default no code does whose name begins with `failure`.
    public init<Code: RawRepresentable>(_ code: Code, isSuccess: Bool? = nil) where Code.RawValue == Int {
        name = "\(code)"
        number = code.rawValue
        self.isSuccess = isSuccess ?? !(name.hasPrefix("failure") || name == "unspecified")
    }
}

/// Notes that the author has not written a method of a handler. Each default body calls it.
///
/// - Parameter method: the name of the method, for the log.
public func _intentMethodNotWritten(_ method: String) { PointSession.notWritten(method) }
