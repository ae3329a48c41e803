// StoredSession, StoredTask, StoredEvent: the rows of the store.

internal import TransferMessages

/// A session, as it is stored.
struct StoredSession: Codable {
    var app: String
    var configuration: TransferConfiguration
    /// The number of the next task.
    var next = 1
    /// The side that the events are reserved for.
    var receiver = TransferReceiver.any
    /// The last event for which the app was woken.
    var wokenFor = 0
    /// The number of wakes since somebody has opened the app.
    var wakes = 0

    init(app: String, configuration: TransferConfiguration) { (self.app, self.configuration) = (app, configuration) }

    var identifier: String { configuration.identifier }
}

/// A task that has not ended, as it is stored. All times are in nanoseconds since 1970.
struct StoredTask: Codable {
    enum State: String, Codable {
        case suspended, active
        /// All bytes are there and synced; the file is moved to its place.
        case ending
        /// The task was cancelled, and its part is kept for its resume data.
        case kept
    }

    var number: Int
    var kind: TransferKind
    var request: TransferRequest
    var state = State.suspended
    var label: String?
    /// The unguessable name of the task's files.
    var token: String
    /// The app group whose container gets the file; absent: the app's own container gets it.
    var container: String?

    // What is known of the file.
    var validator: String?
    var expected: Int?
    /// The bytes of the part that a loss of power does not take.
    var durable = 0
    var response: TransferResponse?
    /// The size of the finished file, in the state `ending`.
    var size: Int?

    // The attempts.
    var attempts = 0
    var statusTries = 0
    var fullDisks = 0
    var hasStartedAnew = false
    /// Whether the task was resumed once.
    var wasResumed = false
    /// The time of the next attempt.
    var next = 0
    /// The time before which the author wants no attempt.
    var earliest: Int?
    /// The time before which a discretionary task waits for permission.
    var allowed: Int?
    /// The time at which the task fails.
    var end: Int?

    init(number: Int, kind: TransferKind, request: TransferRequest, token: String) {
        (self.number, self.kind, self.request, self.token) = (number, kind, request, token)
    }

    /// Whether the task runs, or waits for its time. A suspended task does neither.
    var isUnderWay: Bool { state == .active || state == .ending }

    /// The first time at which an attempt may begin.
    var due: Int { max(next, earliest ?? 0, allowed ?? 0) }
}

/// An event that was not acknowledged, as it is stored.
struct StoredEvent: Codable {
    /// The end of a task; absent: the session's events are finished. Its number is 0 here.
    var completion: TransferCompletion?
    /// The task, for a client that opens the session later.
    var task: TransferTask?
    /// The name of the downloaded file.
    var token: String?

    /// The downloaded file in the containers of an app; nil: there is none.
    func file(of app: String) -> (place: TransferPlace, token: String)? {
        token.map { (TransferPlace(group: completion?.container, of: app), $0) }
    }

    /// Whether a client may read the file of the event, if there is one.
    func isReadable(by client: TransferClient) -> Bool {
        guard token != nil else { return true }
        guard let group = completion?.container else { return client.side != .extension }
        return client.groups.contains(group)
    }
}

/// The data that `cancel(byProducingResumeData:)` gives to the author.
struct ResumeData: Codable {
    static let mark = "org.exthost.resume-data.1"
    var mark = Self.mark
    var app: String
    var token: String
    var request: TransferRequest

    init(app: String, token: String, request: TransferRequest) {
        (self.app, self.token, self.request) = (app, token, request)
    }
}
