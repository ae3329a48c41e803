// INSendMessageIntent: the message that a notification is about, and its donation to the system, which nothing uses.

public import Foundation
import Locks
public import UserNotifications

/// Something that a person does with an app. The points of intents are not built; only messages are here.
open class INIntent: NSObject {
    open var identifier: String? { nil }
    fileprivate var images: [AnyKeyPath: INImage] = [:]
}

/// The answer of an app to an intent. This kit never creates one.
open class INIntentResponse: NSObject {
    override init() {}
}

/// The kinds of an outgoing message.
public enum INOutgoingMessageType: Int, Sendable {
    case unknown, outgoingMessageText, outgoingMessageAudio
}

/// A file beside a message. This kit never creates one.
open class INSendMessageAttachment: NSObject {
    override init() {}
}

/// A message with its sender, for a notification about a conversation. It holds what is set.
open class INSendMessageIntent: INIntent {
    public let recipients: [INPerson]?
    public let outgoingMessageType: INOutgoingMessageType
    public let content: String?
    public let speakableGroupName: INSpeakableString?
    public let conversationIdentifier: String?
    public let serviceName: String?
    public let sender: INPerson?
    public let attachments: [INSendMessageAttachment]?

    public init(
        recipients: [INPerson]?, outgoingMessageType: INOutgoingMessageType, content: String?,
        speakableGroupName: INSpeakableString?, conversationIdentifier: String?, serviceName: String?,
        sender: INPerson?, attachments: [INSendMessageAttachment]?
    ) {
        (self.recipients, self.outgoingMessageType, self.content) = (recipients, outgoingMessageType, content)
        (self.speakableGroupName, self.conversationIdentifier) = (speakableGroupName, conversationIdentifier)
        (self.serviceName, self.sender, self.attachments) = (serviceName, sender, attachments)
    }

    public convenience init(
        recipients: [INPerson]?, content: String?, speakableGroupName: INSpeakableString?,
        conversationIdentifier: String?, serviceName: String?, sender: INPerson?
    ) {
        self.init(
            recipients: recipients, outgoingMessageType: .unknown, content: content,
            speakableGroupName: speakableGroupName, conversationIdentifier: conversationIdentifier,
            serviceName: serviceName, sender: sender, attachments: nil)
    }

    /// Stores the picture of a parameter, such as `\.sender`. Nothing shows it.
    open func setImage<Value>(
        _ image: INImage?, forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>
    ) {
        images[parameterName] = image
    }

    open func image<Value>(forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>) -> INImage? {
        images[parameterName]
    }
}

/// A notification about a message: `UNNotificationContent.updating(from:)` takes the intent, without effect.
extension INSendMessageIntent: UNNotificationContentProviding {}

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
        guard let completion else { return }
        // The author's handler, which Apple's framework calls on a thread, too.
        nonisolated(unsafe) let call = completion
        DispatchQueue.global().async { call(nil) }
    }

    /// Donates the interaction, without effect.
    open func donate() async throws { Self.tell() }
}
