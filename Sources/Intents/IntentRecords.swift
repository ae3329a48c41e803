// IntentRecords: the objects that intents and responses are about: messages, calls, media, notes and tasks.

public import Foundation
public import PointMessages

// MARK: Times, files and money

/// The frequencies of a recurrence.
public enum INRecurrenceFrequency: Int, Sendable, CaseIterable {
    case unknown, minute, hourly, daily, weekly, monthly, yearly
}

extension INRecurrenceFrequency: _IntentEnumeration {}

/// A recurrence.
open class INRecurrenceRule: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var interval: Int
    public internal(set) var frequency: INRecurrenceFrequency

    public init(interval: Int, frequency: INRecurrenceFrequency) {
        self.interval = interval
        self.frequency = frequency
    }
}

extension INRecurrenceRule: IntentRecord {
    static var kind: String { "recurrence" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let interval: Int = members("interval"),
            let frequency: INRecurrenceFrequency = members("frequency")
        else { return nil }
        return INRecurrenceRule(interval: interval, frequency: frequency)
    }
    var members: IntentMembers {
        IntentMembers(["interval": interval, "frequency": frequency])
    }
}

/// A time between two dates, either of which may be open.
open class INDateComponentsRange: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var startDateComponents: DateComponents?
    public internal(set) var endDateComponents: DateComponents?
    public internal(set) var recurrenceRule: INRecurrenceRule?

    public init(
        start startDateComponents: DateComponents?, end endDateComponents: DateComponents?,
        recurrenceRule: INRecurrenceRule?
    ) {
        self.startDateComponents = startDateComponents
        self.endDateComponents = endDateComponents
        self.recurrenceRule = recurrenceRule
    }

    public init(start startDateComponents: DateComponents?, end endDateComponents: DateComponents?) {
        self.startDateComponents = startDateComponents
        self.endDateComponents = endDateComponents
    }
}

extension INDateComponentsRange: IntentRecord {
    static var kind: String { "range" }
    static func read(_ members: IntentMembers) -> Any? {
        return INDateComponentsRange(
            start: members("startDateComponents"), end: members("endDateComponents"),
            recurrenceRule: members("recurrenceRule"))
    }
    var members: IntentMembers {
        IntentMembers([
            "startDateComponents": startDateComponents, "endDateComponents": endDateComponents,
            "recurrenceRule": recurrenceRule,
        ])
    }
}

/// A file by its bytes.
open class INFile: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var data: Data
    public internal(set) var filename: String
    public internal(set) var typeIdentifier: String?

    public init(data: Data, filename: String, typeIdentifier: String?) {
        self.data = data
        self.filename = filename
        self.typeIdentifier = typeIdentifier
    }

    /// The place of a file that the author has made from one.
    open var fileURL: URL? { nil }
}

extension INFile: IntentRecord {
    static var kind: String { "file" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let data: Data = members("data"),
            let filename: String = members("filename")
        else { return nil }
        return INFile(data: data, filename: filename, typeIdentifier: members("typeIdentifier"))
    }
    var members: IntentMembers {
        IntentMembers(["data": data, "filename": filename, "typeIdentifier": typeIdentifier])
    }
}

/// An amount of money.
open class INCurrencyAmount: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var number: NSNumber
    public internal(set) var currencyCode: String?

    public init(number: NSNumber, code currencyCode: String?) {
        self.number = number
        self.currencyCode = currencyCode
    }

    /// The amount.
    open var amount: NSDecimalNumber? { NSDecimalNumber(decimal: number.decimalValue) }

    /// - Parameters:
    ///   - amount: the amount.
    ///   - currencyCode: the ISO code, such as `EUR`.
    public convenience init(amount: NSDecimalNumber, currencyCode: String) {
        self.init(number: amount, code: currencyCode)
    }
}

extension INCurrencyAmount: IntentRecord {
    static var kind: String { "money" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let number: NSNumber = members("number")
        else { return nil }
        // The digits are exact, which those of a binary number are not.
        let digits: String? = members("digits")
        let exact = digits.map { NSDecimalNumber(string: $0) }.flatMap { $0.decimalValue.isNaN ? nil : $0 }
        return INCurrencyAmount(number: exact ?? number, code: members("currencyCode"))
    }
    var members: IntentMembers {
        IntentMembers(["number": number, "digits": number.stringValue, "currencyCode": currencyCode])
    }
}

// MARK: Messages

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

// MARK: Calls

/// The kinds of destinations of calls.
public enum INCallDestinationType: Int, Sendable, CaseIterable {
    case unknown, normal, emergency, voicemail, redial, callBack
}

extension INCallDestinationType: _IntentEnumeration {}

/// The ways of a call's sound.
public enum INCallAudioRoute: Int, Sendable, CaseIterable {
    case unknown, speakerphoneAudioRoute, bluetoothAudioRoute
}

extension INCallAudioRoute: _IntentEnumeration {}

/// The kinds of calls.
public enum INCallCapability: Int, Sendable, CaseIterable {
    case unknown, audioCall, videoCall
}

extension INCallCapability: _IntentEnumeration {}

/// The kinds of past calls.
public enum INCallRecordType: Int, Sendable, CaseIterable {
    case unknown, outgoing, missed, received, latest, voicemail, ringing, inProgress, onHold
}

extension INCallRecordType: _IntentEnumeration {}

/// A call of the past.
open class INCallRecord: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var identifier: String
    public internal(set) var dateCreated: Date?
    public internal(set) var callRecordType: INCallRecordType = .unknown
    public internal(set) var callCapability: INCallCapability = .unknown
    public internal(set) var callDuration: Double?
    public internal(set) var unseen: Bool?
    public internal(set) var participants: [INPerson]?

    public init(
        identifier: String, dateCreated: Date?, callRecordType: INCallRecordType, callCapability: INCallCapability,
        callDuration: Double?, unseen: Bool?
    ) {
        self.identifier = identifier
        self.dateCreated = dateCreated
        self.callRecordType = callRecordType
        self.callCapability = callCapability
        self.callDuration = callDuration
        self.unseen = unseen
    }

    public init(
        identifier: String, dateCreated: Date?, callRecordType: INCallRecordType, callCapability: INCallCapability,
        callDuration: Double?, unseen: Bool?, participants: [INPerson]?
    ) {
        self.identifier = identifier
        self.dateCreated = dateCreated
        self.callRecordType = callRecordType
        self.callCapability = callCapability
        self.callDuration = callDuration
        self.unseen = unseen
        self.participants = participants
    }
}

extension INCallRecord: IntentRecord {
    static var kind: String { "call" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let identifier: String = members("identifier")
        else { return nil }
        let object = INCallRecord(
            identifier: identifier, dateCreated: members("dateCreated"),
            callRecordType: members("callRecordType") ?? .unknown,
            callCapability: members("callCapability") ?? .unknown, callDuration: members("callDuration"),
            unseen: members("unseen"))
        if let participants: [INPerson] = members("participants") { object.participants = participants }
        return object
    }
    var members: IntentMembers {
        IntentMembers([
            "identifier": identifier, "dateCreated": dateCreated, "callRecordType": callRecordType,
            "callCapability": callCapability, "callDuration": callDuration, "unseen": unseen,
            "participants": participants,
        ])
    }
}

/// The past calls that are meant.
open class INCallRecordFilter: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var participants: [INPerson]?
    public internal(set) var callCapability: INCallCapability = .unknown

    public init(participants: [INPerson]?, callCapability: INCallCapability) {
        self.participants = participants
        self.callCapability = callCapability
    }
}

extension INCallRecordFilter: IntentRecord {
    static var kind: String { "callFilter" }
    static func read(_ members: IntentMembers) -> Any? {
        return INCallRecordFilter(
            participants: members("participants"), callCapability: members("callCapability") ?? .unknown)
    }
    var members: IntentMembers {
        IntentMembers(["participants": participants, "callCapability": callCapability])
    }
}

// MARK: Media

/// The kinds of media. The numbers are from memory.
public enum INMediaItemType: Int, Sendable, CaseIterable {
    case unknown, song, album, artist, genre, playlist, podcastShow, podcastEpisode, podcastPlaylist, musicStation
    case audioBook, movie, tvShow, tvShowEpisode, musicVideo, podcastStation, radioStation, station, music
    case algorithmicRadioStation, news
}

extension INMediaItemType: _IntentEnumeration {}

/// The media that are meant without a name.
public enum INMediaReference: Int, Sendable, CaseIterable {
    case unknown, currentlyPlaying, my
}

extension INMediaReference: _IntentEnumeration {}

/// The orders of media.
public enum INMediaSortOrder: Int, Sendable, CaseIterable {
    case unknown, newest, oldest, best, worst, popular, unpopular, trending, recommended
}

extension INMediaSortOrder: _IntentEnumeration {}

/// The modes of repetition.
public enum INPlaybackRepeatMode: Int, Sendable, CaseIterable {
    case unknown, none, all, one
}

extension INPlaybackRepeatMode: _IntentEnumeration {}

/// The places in a queue.
public enum INPlaybackQueueLocation: Int, Sendable, CaseIterable {
    case unknown, now, next, later
}

extension INPlaybackQueueLocation: _IntentEnumeration {}

/// A piece of media.
open class INMediaItem: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var identifier: String?
    public internal(set) var title: String?
    public internal(set) var type: INMediaItemType = .unknown
    public internal(set) var artwork: INImage?
    public internal(set) var artist: String?

    public init(identifier: String?, title: String?, type: INMediaItemType, artwork: INImage?, artist: String?) {
        self.identifier = identifier
        self.title = title
        self.type = type
        self.artwork = artwork
        self.artist = artist
    }

    public init(identifier: String?, title: String?, type: INMediaItemType, artwork: INImage?) {
        self.identifier = identifier
        self.title = title
        self.type = type
        self.artwork = artwork
    }
}

extension INMediaItem: IntentRecord {
    static var kind: String { "media" }
    static func read(_ members: IntentMembers) -> Any? {
        return INMediaItem(
            identifier: members("identifier"), title: members("title"), type: members("type") ?? .unknown,
            artwork: members("artwork"), artist: members("artist"))
    }
    var members: IntentMembers {
        IntentMembers(["identifier": identifier, "title": title, "type": type, "artwork": artwork, "artist": artist])
    }
}

/// The words with which a person asks for media.
open class INMediaSearch: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var mediaType: INMediaItemType = .unknown
    public internal(set) var sortOrder: INMediaSortOrder = .unknown
    public internal(set) var mediaName: String?
    public internal(set) var artistName: String?
    public internal(set) var albumName: String?
    public internal(set) var genreNames: [String]?
    public internal(set) var moodNames: [String]?
    public internal(set) var releaseDate: INDateComponentsRange?
    public internal(set) var reference: INMediaReference = .unknown
    public internal(set) var mediaIdentifier: String?

    public init(
        mediaType: INMediaItemType = .unknown, sortOrder: INMediaSortOrder = .unknown, mediaName: String? = nil,
        artistName: String? = nil, albumName: String? = nil, genreNames: [String]? = nil, moodNames: [String]? = nil,
        releaseDate: INDateComponentsRange? = nil, reference: INMediaReference = .unknown,
        mediaIdentifier: String? = nil
    ) {
        self.mediaType = mediaType
        self.sortOrder = sortOrder
        self.mediaName = mediaName
        self.artistName = artistName
        self.albumName = albumName
        self.genreNames = genreNames
        self.moodNames = moodNames
        self.releaseDate = releaseDate
        self.reference = reference
        self.mediaIdentifier = mediaIdentifier
    }
}

extension INMediaSearch: IntentRecord {
    static var kind: String { "mediaSearch" }
    static func read(_ members: IntentMembers) -> Any? {
        return INMediaSearch(
            mediaType: members("mediaType") ?? .unknown, sortOrder: members("sortOrder") ?? .unknown,
            mediaName: members("mediaName"), artistName: members("artistName"), albumName: members("albumName"),
            genreNames: members("genreNames"), moodNames: members("moodNames"), releaseDate: members("releaseDate"),
            reference: members("reference") ?? .unknown, mediaIdentifier: members("mediaIdentifier"))
    }
    var members: IntentMembers {
        IntentMembers([
            "mediaType": mediaType, "sortOrder": sortOrder, "mediaName": mediaName, "artistName": artistName,
            "albumName": albumName, "genreNames": genreNames, "moodNames": moodNames, "releaseDate": releaseDate,
            "reference": reference, "mediaIdentifier": mediaIdentifier,
        ])
    }
}

// MARK: Notes and tasks

/// A part of a note: a text or a picture.
open class INNoteContent: NSObject, @unchecked Sendable {  // it has no properties
    override init() {}
}

/// A text of a note.
open class INTextNoteContent: INNoteContent, @unchecked Sendable {  // its property is constant
    /// The text.
    public let text: String?
    /// - Parameter text: the text.
    public init(text: String) { self.text = text }
}

/// A picture of a note.
open class INImageNoteContent: INNoteContent, @unchecked Sendable {  // its property is constant
    /// The picture.
    public let image: INImage?
    /// - Parameter image: the picture.
    public init(image: INImage) { self.image = image }
}

extension INNoteContent: IntentRecord {
    static var kind: String { "noteContent" }
    static func read(_ members: IntentMembers) -> Any? {
        if let text: String = members("text") { return INTextNoteContent(text: text) }
        return members("image").map { INImageNoteContent(image: $0) }
    }
    var members: IntentMembers {
        IntentMembers(["text": (self as? INTextNoteContent)?.text, "image": (self as? INImageNoteContent)?.image])
    }
}

/// A note that an app knows.
open class INNote: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var title: INSpeakableString
    public internal(set) var contents: [INNoteContent]
    public internal(set) var groupName: INSpeakableString?
    public internal(set) var createdDateComponents: DateComponents?
    public internal(set) var modifiedDateComponents: DateComponents?
    public internal(set) var identifier: String?

    public init(
        title: INSpeakableString, contents: [INNoteContent], groupName: INSpeakableString?,
        createdDateComponents: DateComponents?, modifiedDateComponents: DateComponents?, identifier: String?
    ) {
        self.title = title
        self.contents = contents
        self.groupName = groupName
        self.createdDateComponents = createdDateComponents
        self.modifiedDateComponents = modifiedDateComponents
        self.identifier = identifier
    }
}

extension INNote: IntentRecord {
    static var kind: String { "note" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let title: INSpeakableString = members("title"),
            let contents: [INNoteContent] = members("contents")
        else { return nil }
        return INNote(
            title: title, contents: contents, groupName: members("groupName"),
            createdDateComponents: members("createdDateComponents"),
            modifiedDateComponents: members("modifiedDateComponents"), identifier: members("identifier"))
    }
    var members: IntentMembers {
        IntentMembers([
            "title": title, "contents": contents, "groupName": groupName,
            "createdDateComponents": createdDateComponents, "modifiedDateComponents": modifiedDateComponents,
            "identifier": identifier,
        ])
    }
}

/// The states of tasks.
public enum INTaskStatus: Int, Sendable, CaseIterable {
    case unknown, notCompleted, completed
}

extension INTaskStatus: _IntentEnumeration {}

/// The kinds of tasks.
public enum INTaskType: Int, Sendable, CaseIterable {
    case unknown, notCompletable, completable
}

extension INTaskType: _IntentEnumeration {}

/// The priorities of tasks.
public enum INTaskPriority: Int, Sendable, CaseIterable {
    case unknown, notFlagged, flagged
}

extension INTaskPriority: _IntentEnumeration {}

/// A place that reminds of a task. No place exists here, so nothing makes one.
open class INSpatialEventTrigger: NSObject, @unchecked Sendable {  // it has no properties
    override init() {}
}

/// A time that reminds of a task.
open class INTemporalEventTrigger: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var dateComponentsRange: INDateComponentsRange

    public init(dateComponentsRange: INDateComponentsRange) {
        self.dateComponentsRange = dateComponentsRange
    }
}

extension INTemporalEventTrigger: IntentRecord {
    static var kind: String { "time" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let dateComponentsRange: INDateComponentsRange = members("dateComponentsRange")
        else { return nil }
        return INTemporalEventTrigger(dateComponentsRange: dateComponentsRange)
    }
    var members: IntentMembers {
        IntentMembers(["dateComponentsRange": dateComponentsRange])
    }
}

/// A task that an app knows.
open class INTask: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var title: INSpeakableString
    public internal(set) var status: INTaskStatus = .unknown
    public internal(set) var taskType: INTaskType = .unknown
    public internal(set) var spatialEventTrigger: INSpatialEventTrigger?
    public internal(set) var temporalEventTrigger: INTemporalEventTrigger?
    public internal(set) var createdDateComponents: DateComponents?
    public internal(set) var modifiedDateComponents: DateComponents?
    public internal(set) var identifier: String?
    public internal(set) var priority: INTaskPriority = .unknown

    public init(
        title: INSpeakableString, status: INTaskStatus, taskType: INTaskType,
        spatialEventTrigger: INSpatialEventTrigger?, temporalEventTrigger: INTemporalEventTrigger?,
        createdDateComponents: DateComponents?, modifiedDateComponents: DateComponents?, identifier: String?,
        priority: INTaskPriority
    ) {
        self.title = title
        self.status = status
        self.taskType = taskType
        self.spatialEventTrigger = spatialEventTrigger
        self.temporalEventTrigger = temporalEventTrigger
        self.createdDateComponents = createdDateComponents
        self.modifiedDateComponents = modifiedDateComponents
        self.identifier = identifier
        self.priority = priority
    }

    public init(
        title: INSpeakableString, status: INTaskStatus, taskType: INTaskType,
        spatialEventTrigger: INSpatialEventTrigger?, temporalEventTrigger: INTemporalEventTrigger?,
        createdDateComponents: DateComponents?, modifiedDateComponents: DateComponents?, identifier: String?
    ) {
        self.title = title
        self.status = status
        self.taskType = taskType
        self.spatialEventTrigger = spatialEventTrigger
        self.temporalEventTrigger = temporalEventTrigger
        self.createdDateComponents = createdDateComponents
        self.modifiedDateComponents = modifiedDateComponents
        self.identifier = identifier
    }
}

extension INTask: IntentRecord {
    static var kind: String { "task" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let title: INSpeakableString = members("title")
        else { return nil }
        return INTask(
            title: title, status: members("status") ?? .unknown, taskType: members("taskType") ?? .unknown,
            spatialEventTrigger: nil, temporalEventTrigger: members("temporalEventTrigger"),
            createdDateComponents: members("createdDateComponents"),
            modifiedDateComponents: members("modifiedDateComponents"), identifier: members("identifier"),
            priority: members("priority") ?? .unknown)
    }
    var members: IntentMembers {
        IntentMembers([
            "title": title, "status": status, "taskType": taskType, "temporalEventTrigger": temporalEventTrigger,
            "createdDateComponents": createdDateComponents, "modifiedDateComponents": modifiedDateComponents,
            "identifier": identifier, "priority": priority,
        ])
    }
}

/// A list of tasks that an app knows.
open class INTaskList: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var title: INSpeakableString
    public internal(set) var tasks: [INTask]
    public internal(set) var groupName: INSpeakableString?
    public internal(set) var createdDateComponents: DateComponents?
    public internal(set) var modifiedDateComponents: DateComponents?
    public internal(set) var identifier: String?

    public init(
        title: INSpeakableString, tasks: [INTask], groupName: INSpeakableString?,
        createdDateComponents: DateComponents?, modifiedDateComponents: DateComponents?, identifier: String?
    ) {
        self.title = title
        self.tasks = tasks
        self.groupName = groupName
        self.createdDateComponents = createdDateComponents
        self.modifiedDateComponents = modifiedDateComponents
        self.identifier = identifier
    }
}

extension INTaskList: IntentRecord {
    static var kind: String { "taskList" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let title: INSpeakableString = members("title"),
            let tasks: [INTask] = members("tasks")
        else { return nil }
        return INTaskList(
            title: title, tasks: tasks, groupName: members("groupName"),
            createdDateComponents: members("createdDateComponents"),
            modifiedDateComponents: members("modifiedDateComponents"), identifier: members("identifier"))
    }
    var members: IntentMembers {
        IntentMembers([
            "title": title, "tasks": tasks, "groupName": groupName, "createdDateComponents": createdDateComponents,
            "modifiedDateComponents": modifiedDateComponents, "identifier": identifier,
        ])
    }
}
