// TransferClient, TransferOutput: the identity of a client, and the services of the program around the service.

public import ExtensionPointKit
internal import Glibc
internal import LinuxDescriptors

/// A client of the service, as the daemon has stamped its call.
public struct TransferClient: Sendable, Hashable {
    /// A kind of client.
    public enum Side: Sendable, Hashable {
        case `extension`, app
        /// A tool of the user, which sees all sessions and opens none.
        case tool
    }

    /// The number of its connection. Another connection of the same program has another one.
    public var number: Int
    /// The identifier of the extension or app.
    public var identifier: String
    /// The identifier of the containing app, which is the family that shares sessions.
    public var app: String
    public var side: Side
    /// The app groups of its entitlements.
    public var groups: Set<String>
    /// Whether its entitlements have `com.apple.security.network.client`.
    public var mayUseNetwork: Bool
    /// Whether it is an app that nobody has opened. Tasks that it starts are discretionary.
    public var isInBackground: Bool

    /// Makes a client; each value is described at its property.
    public init(
        number: Int, identifier: String, app: String, side: Side, groups: Set<String>, mayUseNetwork: Bool,
        isInBackground: Bool = false
    ) {
        (self.number, self.identifier, self.app, self.side) = (number, identifier, app, side)
        (self.groups, self.mayUseNetwork, self.isInBackground) = (groups, mayUseNetwork, isInBackground)
    }
}

/// A folder that gets downloaded files.
public enum TransferPlace: Sendable, Hashable {
    /// The container of an app group.
    case group(String)
    /// The own container of the app with this identifier, for a session that names no group.
    case app(String)

    init(group: String?, of app: String) { self = group.map { .group($0) } ?? .app(app) }

    /// The place as the store has it.
    var name: String {
        switch self {
        case .group(let group): "group \(group)"
        case .app(let app): "app \(app)"
        }
    }

    init?(name: String) {
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        switch parts.first {
        case "group" where parts.count == 2: self = .group(parts[1])
        case "app" where parts.count == 2: self = .app(parts[1])
        default: return nil
        }
    }
}

/// The result of waking an app.
public enum TransferWakeResult: Sendable, Hashable {
    /// The app has called the completion handler.
    case handled
    /// The app has not done so in time.
    case expired
    /// There is no such app.
    case noApp
    /// The app could not be launched now, or it ended before it called the handler. It is tried again, for a bounded
    /// number of times.
    case later
}

/// The program around the service. The service calls it on its own thread. No function may call the service back before
/// it has returned.
public protocol TransferOutput: AnyObject {
    /// Sends an event to a client. An event for a client that is gone is dropped.
    ///
    /// - Parameters:
    ///   - event: the message.
    ///   - client: the number of the client.
    func send(_ event: some PointMessage, to client: Int)

    /// Launches an app in the background, or tells one that runs, that a session has events.
    ///
    /// - Parameters:
    ///   - app: the identifier of the app.
    ///   - session: the identifier of the session.
    ///   - completion: to be called once, on the service's thread, after this function has returned.
    func wake(app: String, session: String, completion: @escaping (TransferWakeResult) -> Void)

    /// Reports that a client without the right to use the network has asked for a transfer.
    func denyNetwork(to client: TransferClient, url: String)
}

/// A clock.
public protocol TransferClock: AnyObject {
    /// Nanoseconds since 1970.
    var now: Int { get }
}

/// The limits of the service. The times are in seconds.
public struct TransferPolicy: Sendable {
    /// The time after which a discretionary task begins without permission.
    public var discretionaryDelay = 60.0
    /// The time that a part is kept when the disk is full.
    public var fullDiskDelay = 60.0
    /// The time that the part of a cancelled task is kept for its resume data.
    public var resumeDataLife = 86_400.0
    /// The time after the first failed attempt; it is doubled after each further one, up to 300 times this.
    public var retryDelay = 1.0
    /// The time after the first wake that failed; it is doubled after each further one.
    public var wakeDelay = 60.0
    /// The number of times that a failed wake is tried again.
    public var wakeRetries = 5
    /// Whether repeated wakes of an app delay the tasks that it starts in the background.
    public var delaysAfterWakes = false
    /// The number of attempts that are answered with 408, 429, 502, 503 or 504 until this answer is the task's.
    public var statusTries = 6
    /// The seed of the jitter between attempts.
    public var seed: UInt64 = 0
    /// The numbers of attempts at a time: of all apps, and of one.
    public var attempts = 32, attemptsOfApp = 8
    /// The numbers of sessions of an app, and of tasks of a session that have not ended.
    public var sessions = 64, tasks = 1_000
    /// The number of an app's tasks that have not ended, or whose end nobody has acknowledged.
    public var tasksOfApp = 2_000
    /// The number of parts that an app keeps for resume data.
    public var keptParts = 16
    /// The bytes of a task's `taskDescription`.
    public var labelSize = 4 << 10
    /// The bytes of an upload's file that are copied before other work has its turn.
    public var copySlice = 8 << 20
    /// The bytes after which a part is synced.
    public var syncInterval = 8 << 20
    /// The identifier of the machine's present boot; nil reads the kernel's.
    public var boot: String?

    /// Makes the usual limits.
    public init() {}
}

/// The numbered steps between which a test ends the service.
public enum TransferStep: String, Sendable, Hashable, CaseIterable {
    case bodyCopied, bodyStored, taskCommitted
    case headCommitted, bytesWritten, partSynced, offsetCommitted
    case partClosed, endCommitted, folderMade, fileRenamed, folderSynced, eventCommitted, eventSent
    case acknowledgementCommitted, fileRemoved, sessionRemoved
}

/// The faults that a test causes.
public struct TransferFaults {
    /// A function that is called after each step.
    public var afterStep: (TransferStep) -> Void = { _ in }
    /// Returns the error number with which a write of a part fails; nil lets it happen.
    public var writeError: () -> Int32? = { nil }
    /// Returns the error of the next sync of a file or folder; nil: it is performed.
    public var syncError: () -> Int32? = { nil }
    /// A function that is called after each sync, with the descriptor of the file or folder.
    public var synced: (Int32) -> Void = { _ in }
    /// Returns the number of free bytes in place of the file system's; nil asks that.
    public var freeBytes: () -> Int? = { nil }

    /// Makes a set without faults.
    public init() {}

    /// Syncs a file or folder.
    ///
    /// - Parameters:
    ///   - raw: its descriptor.
    ///   - call: fsync(2) or fdatasync(2).
    func sync(_ raw: Int32, _ call: (Int32) -> Int32 = fsync) throws(SystemError) {
        if let code = syncError() { throw SystemError("fsync", code: code) }
        guard call(raw) == 0 else { throw SystemError("fsync") }
        synced(raw)
    }
}
