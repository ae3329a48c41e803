// INInteraction: an intent with its response, as a view shows it or as an app donates it.

public import Foundation
import Locks

/// The directions of an interaction.
public enum INInteractionDirection: Int, Sendable {
    case unspecified, outgoing, incoming
}

/// The states of an interaction.
public enum INIntentHandlingStatus: Int, Sendable {
    /// There is no response.
    case unspecified
    /// The intent is confirmed, and not handled yet.
    case ready
    case inProgress, success, failure
    /// The app is to handle the intent.
    case deferredToApplication
    case userConfirmationRequired

    /// The state of a response with a code, by the code's name.
    init(_ code: _IntentCode) {
        switch code.name {
        case "unspecified": self = .unspecified
        case "ready": self = .ready
        case "inProgress": self = .inProgress
        case "continueInApp", "handleInApp": self = .deferredToApplication
        default: self = code.isSuccess ? .success : .failure
        }
    }
}

/// An intent that a person or an app has handled.
///
/// No system here learns from donations. `donate` succeeds without effect, which one line on standard error reports.
open class INInteraction: NSObject {
    public let intent: INIntent
    public let intentResponse: INIntentResponse?
    open var direction = INInteractionDirection.unspecified
    open var dateInterval: DateInterval?
    open var identifier = UUID().uuidString
    open var groupIdentifier: String?

    public init(intent: INIntent, response: INIntentResponse?) { (self.intent, intentResponse) = (intent, response) }

    /// The state, which the code of the response gives.
    open var intentHandlingStatus: INIntentHandlingStatus {
        intentResponse.map { INIntentHandlingStatus($0._code) } ?? .unspecified
    }

    /// Returns the value of a parameter.
    ///
    /// - Parameter parameter: a property of the intent or of the response, by the class and the path.
    /// - Returns: the value; nil if there is none, or if the class is another.
    open func parameterValue(for parameter: INParameter) -> Any? {
        let owners: [NSObject] = [intent, intentResponse].compactMap { $0 }
        guard let owner = owners.first(where: { parameter.belongs(to: type(of: $0)) }) else { return nil }
        return parameter.value(of: owner)
    }

    private static let isTold = Atomic(false)

    private static func tell() {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        FileHandle.standardError.write(Data("INInteraction.donate has no effect: nothing uses donations here\n".utf8))
    }

    /// Donates the interaction, without effect.
    ///
    /// - Parameter completion: called on another thread, without an error.
    open func donate(completion: (((any Error)?) -> Void)? = nil) {
        Self.tell()
        Self.finish(completion)
    }

    /// Donates the interaction, without effect.
    open func donate() async throws { Self.tell() }

    /// Deletes donations, of which none is stored.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers of interactions.
    ///   - completion: called on another thread, without an error.
    open class func delete(with identifiers: [String], completion: (((any Error)?) -> Void)? = nil) {
        finish(completion)
    }

    /// Deletes the donations of a group, of which none is stored.
    ///
    /// - Parameters:
    ///   - groupIdentifier: the group.
    ///   - completion: called on another thread, without an error.
    open class func delete(with groupIdentifier: String, completion: (((any Error)?) -> Void)? = nil) {
        finish(completion)
    }

    /// Deletes all donations, of which none is stored.
    ///
    /// - Parameter completion: called on another thread, without an error.
    open class func deleteAll(completion: (((any Error)?) -> Void)? = nil) { finish(completion) }

    private static func finish(_ completion: (((any Error)?) -> Void)?) {
        guard let completion else { return }
        // The author's handler, which Apple's framework calls on a thread, too.
        nonisolated(unsafe) let call = completion
        DispatchQueue.global().async { call(nil) }
    }
}
