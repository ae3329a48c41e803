// INInteraction: the donation of an intent to the system, which nothing uses.

public import Foundation
import Locks

/// The directions of an interaction.
public enum INInteractionDirection: Int, Sendable {
    case unspecified, outgoing, incoming
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
