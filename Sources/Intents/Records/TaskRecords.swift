// TaskRecords: the objects of intents that are notes, tasks and lists of tasks.

public import Foundation

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
