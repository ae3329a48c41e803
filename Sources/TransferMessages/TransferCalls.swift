// TransferCalls: the calls of extensions and apps to the service of background transfers.

public import ExtensionPointKit

/// The name of the service.
public let transferServiceName = "org.exthost.transfers"

/// Connects the client to a session, and makes the session if there is none. Its undelivered events follow the answer.
public struct OpenTransferSession: PointMessage {
    public static let name = "transfers.openSession"

    public struct Reply: Codable, Sendable {
        /// The tasks of the session whose end nobody has acknowledged.
        public var tasks: [TransferTask]
        /// The reason why the session cannot be used: −995 or −996.
        public var fault: TransferFault?
        /// Makes a reply; each value is described at its property.
        public init(tasks: [TransferTask], fault: TransferFault?) { (self.tasks, self.fault) = (tasks, fault) }
    }

    public var configuration: TransferConfiguration
    /// Makes the call.
    public init(_ configuration: TransferConfiguration) { self.configuration = configuration }
}

/// Adds a suspended task to a session. It is stored before the answer is sent.
public struct AddTransferTask: PointMessage {
    public static let name = "transfers.addTask"

    public struct Reply: Codable, Sendable {
        /// The number of the task; absent if it was refused.
        public var task: Int?
        /// The reason of a refusal. It is the error of the task for its author.
        public var fault: TransferFault?
        /// Makes a reply; each value is described at its property.
        public init(task: Int?, fault: TransferFault?) { (self.task, self.fault) = (task, fault) }
    }

    /// The identifier of the session.
    public var session: String
    public var kind: TransferKind
    public var request: TransferRequest
    /// The body of an upload.
    public var file: PointFile?
    /// The data of an earlier task. The request is that task's then.
    public var resumeData: [UInt8]?
    /// Seconds since 1970 before which the task does not begin.
    public var earliestBegin: Double?
    /// `taskDescription` of the task.
    public var label: String?

    /// Makes the call; each value is described at its property.
    public init(
        session: String, kind: TransferKind, request: TransferRequest, file: PointFile? = nil,
        resumeData: [UInt8]? = nil, earliestBegin: Double? = nil, label: String? = nil
    ) {
        (self.session, self.kind, self.request, self.file) = (session, kind, request, file)
        (self.resumeData, self.earliestBegin, self.label) = (resumeData, earliestBegin, label)
    }
}

/// Lets a suspended task run.
public struct ResumeTransferTask: PointMessage {
    public static let name = "transfers.resume"
    public var session: String
    public var task: Int
    /// Seconds since 1970 before which the task does not begin, in place of the time that it was added with.
    public var earliestBegin: Double?
    /// `taskDescription` of the task, in place of the one that it was added with.
    public var label: String?
    /// Whether the client is an app that its user has opened since it has connected.
    public var isOpened: Bool?
    /// Makes the call; each value is described at its property.
    public init(
        session: String, task: Int, earliestBegin: Double? = nil, label: String? = nil, isOpened: Bool? = nil
    ) {
        (self.session, self.task) = (session, task)
        (self.earliestBegin, self.label, self.isOpened) = (earliestBegin, label, isOpened)
    }
}

/// Stops a task until it is resumed. What it has received is kept.
public struct SuspendTransferTask: PointMessage {
    public static let name = "transfers.suspend"
    public var session: String
    public var task: Int
    /// Makes the call; each value is described at its property.
    public init(session: String, task: Int) { (self.session, self.task) = (session, task) }
}

/// Cancels a task. It completes with the error −999.
public struct CancelTransferTask: PointMessage {
    public static let name = "transfers.cancel"

    public struct Reply: Codable, Sendable {
        /// The data from which another task can go on; absent: it was not asked for, or nothing can be resumed.
        public var resumeData: [UInt8]?
        /// Makes a reply.
        public init(resumeData: [UInt8]?) { self.resumeData = resumeData }
    }

    public var session: String
    public var task: Int
    /// Whether the received part is kept for another task.
    public var producesResumeData: Bool
    /// Makes the call; each value is described at its property.
    public init(session: String, task: Int, producesResumeData: Bool) {
        (self.session, self.task, self.producesResumeData) = (session, task, producesResumeData)
    }
}

/// Asks for the tasks of a session that have not ended.
public struct ListTransferTasks: PointMessage {
    public static let name = "transfers.tasks"

    public struct Reply: Codable, Sendable {
        public var tasks: [TransferTask]
        /// Makes a reply.
        public init(_ tasks: [TransferTask]) { self.tasks = tasks }
    }

    public var session: String
    /// Makes the call.
    public init(session: String) { self.session = session }
}

/// Confirms that the client has dealt with an event. The service forgets the event, and deletes the file that it named.
public struct AcknowledgeTransferEvent: PointMessage {
    public static let name = "transfers.acknowledge"
    public var session: String
    /// The number of the event.
    public var event: Int
    /// Makes the call; each value is described at its property.
    public init(session: String, event: Int) { (self.session, self.event) = (session, event) }
}

/// Ends the client's use of a session. Its tasks go on.
public struct CloseTransferSession: PointMessage {
    public static let name = "transfers.closeSession"
    public var session: String
    /// Makes the call.
    public init(session: String) { self.session = session }
}
