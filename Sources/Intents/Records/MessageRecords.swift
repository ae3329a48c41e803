// MessageRecords: the objects of intents that are messages and their attributes.

public import Foundation
public import PointMessages

/// The attributes of messages.
public enum INMessageAttribute: Int, Sendable, CaseIterable {
    case unknown, read, unread, flagged, unflagged, played
}

extension INMessageAttribute: _IntentEnumeration {}

/// A set of attributes of messages.
public struct INMessageAttributeOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let read = Self(rawValue: 1)
    public static let unread = Self(rawValue: 2)
    public static let flagged = Self(rawValue: 4)
    public static let unflagged = Self(rawValue: 8)
    public static let played = Self(rawValue: 16)
}

extension INMessageAttributeOptions: _IntentRepresentable {
    public static var _intentType: IntentType {
        IntentType(
            .enumeration, cases: ["read": 1, "unread": 2, "flagged": 4, "unflagged": 8, "played": 16], isSet: true)
    }
    public static func _make(from value: IntentValue?) -> Any? {
        guard case .integer(let number)? = value else { return nil }
        return Self(rawValue: number)
    }
    public var _intentValue: IntentValue? { .integer(rawValue) }
}

/// The kinds of messages. The numbers are from memory.
public enum INMessageType: Int, Sendable, CaseIterable {
    case unspecified, text, audio, digitalTouch, handwriting, sticker, tapbackLiked, tapbackDisliked
    case tapbackEmphasized, tapbackLoved, tapbackQuestioned, tapbackLaughed, mediaCalendar, mediaLocation
    case mediaAddressCard, mediaImage, mediaVideo, mediaPass, mediaAudio, paymentSent, paymentRequest, paymentNote
    case animoji, activitySnippet, file, link
}

extension INMessageType: _IntentEnumeration {}

/// A message that an app knows.
open class INMessage: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var identifier: String
    public internal(set) var conversationIdentifier: String?
    public internal(set) var content: String?
    public internal(set) var dateSent: Date?
    public internal(set) var sender: INPerson?
    public internal(set) var recipients: [INPerson]?
    public internal(set) var groupName: INSpeakableString?
    public internal(set) var messageType: INMessageType = .unspecified
    public internal(set) var serviceName: String?
    public internal(set) var audioMessageFile: INFile?

    public init(
        identifier: String, conversationIdentifier: String?, content: String?, dateSent: Date?, sender: INPerson?,
        recipients: [INPerson]?, groupName: INSpeakableString?, messageType: INMessageType, serviceName: String?,
        audioMessageFile: INFile?
    ) {
        self.identifier = identifier
        self.conversationIdentifier = conversationIdentifier
        self.content = content
        self.dateSent = dateSent
        self.sender = sender
        self.recipients = recipients
        self.groupName = groupName
        self.messageType = messageType
        self.serviceName = serviceName
        self.audioMessageFile = audioMessageFile
    }

    public init(
        identifier: String, conversationIdentifier: String?, content: String?, dateSent: Date?, sender: INPerson?,
        recipients: [INPerson]?, groupName: INSpeakableString?, messageType: INMessageType, serviceName: String?
    ) {
        self.identifier = identifier
        self.conversationIdentifier = conversationIdentifier
        self.content = content
        self.dateSent = dateSent
        self.sender = sender
        self.recipients = recipients
        self.groupName = groupName
        self.messageType = messageType
        self.serviceName = serviceName
    }

    public init(
        identifier: String, conversationIdentifier: String?, content: String?, dateSent: Date?, sender: INPerson?,
        recipients: [INPerson]?, groupName: INSpeakableString?, messageType: INMessageType
    ) {
        self.identifier = identifier
        self.conversationIdentifier = conversationIdentifier
        self.content = content
        self.dateSent = dateSent
        self.sender = sender
        self.recipients = recipients
        self.groupName = groupName
        self.messageType = messageType
    }

    public init(
        identifier: String, conversationIdentifier: String?, content: String?, dateSent: Date?, sender: INPerson?,
        recipients: [INPerson]?, messageType: INMessageType
    ) {
        self.identifier = identifier
        self.conversationIdentifier = conversationIdentifier
        self.content = content
        self.dateSent = dateSent
        self.sender = sender
        self.recipients = recipients
        self.messageType = messageType
    }

    public init(identifier: String, content: String?, dateSent: Date?, sender: INPerson?, recipients: [INPerson]?) {
        self.identifier = identifier
        self.content = content
        self.dateSent = dateSent
        self.sender = sender
        self.recipients = recipients
    }
}

extension INMessage: IntentRecord {
    static var kind: String { "message" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let identifier: String = members("identifier")
        else { return nil }
        return INMessage(
            identifier: identifier, conversationIdentifier: members("conversationIdentifier"),
            content: members("content"), dateSent: members("dateSent"), sender: members("sender"),
            recipients: members("recipients"), groupName: members("groupName"),
            messageType: members("messageType") ?? .unspecified, serviceName: members("serviceName"),
            audioMessageFile: members("audioMessageFile"))
    }
    var members: IntentMembers {
        IntentMembers([
            "identifier": identifier, "conversationIdentifier": conversationIdentifier, "content": content,
            "dateSent": dateSent, "sender": sender, "recipients": recipients, "groupName": groupName,
            "messageType": messageType, "serviceName": serviceName, "audioMessageFile": audioMessageFile,
        ])
    }
}
