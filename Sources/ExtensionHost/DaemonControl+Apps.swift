// DaemonControl+Apps: opening apps, following one, closing one.

import ExtensionConnection
public import ExtensionProtocol
import Locks
public import PropertyListCoding

/// The reason for opening an app.
public enum AppReason: Sendable, Hashable {
    /// The user wants to see the app: it becomes active.
    case opened
    /// The app opens a URL of a scheme that its program knows.
    case url(String)
    /// The app works in the background: it does not become active.
    case woken
    /// The app continues an activity of this type, with its `userInfo`. Both have at most 16,384 bytes.
    case activity(String, userInfo: PropertyListDictionary)
}

/// An app that was opened, and whose output and end its connection gets.
///
/// It closes when the last reference to it and to the connection is released.
public struct LaunchedApp: Sendable {
    /// The daemon's answer. An app that ran before is not followed.
    public let opened: AppOpened
    private let followed: FollowedApp
    private let connection: DaemonControl

    fileprivate init(_ opened: AppOpened, _ followed: FollowedApp, _ connection: DaemonControl) {
        self.connection = connection
        self.opened = opened
        self.followed = followed
    }

    /// The way in which the app ended, once it has; all of its output was passed on before.
    ///
    /// Nil at once for an app that ran before.
    ///
    /// - Throws: the error that ended the connection first.
    public var ending: ExitRecord? {
        get async throws { opened.isLaunched ? try await followed.ended.value.get() : nil }
    }
}

extension HostApplication {
    /// Opens the app at a path, or activates the running one, so that it continues an activity.
    ///
    /// - Parameters:
    ///   - app: the absolute path of the app.
    ///   - type: the type of the activity.
    ///   - userInfo: its values.
    /// - Throws: as `DaemonControl.openApp`; `timedOut` if the app does not take the activity.
    package func open(app: String, continuing type: String, userInfo: PropertyListDictionary) async throws {
        _ = try await DaemonControl(channel: channel).openApp(at: app, for: .activity(type, userInfo: userInfo))
    }
}

extension DaemonControl {
    /// Launches the app at an absolute path, or activates the running one; it continues when this connection ends.
    ///
    /// Returns when it runs; with a URL or an activity when its delegate has that.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the app.
    ///   - reason: the reason that the app is given.
    ///   - arguments: for its program; only an app that does not run yet can have some.
    /// - Throws: `noSuchExtension` for a path without a runnable app, `invalidArgument`, `launchFailed`, `timedOut` if
    ///   it does not take the URL, `notPermitted`, `quotaExceeded`, `breakerOpen`.
    public func openApp(at path: String, for reason: AppReason = .opened, arguments: [String] = []) async throws
        -> AppOpened
    {
        try await channel.ask(try Self.order(path, reason, arguments, follow: false))
    }

    /// Launches an app that lives at most as long as this connection, or activates the running one.
    ///
    /// Only one at a time: another can be launched when this one has ended. An app that does not take its URL is
    /// closed.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the app.
    ///   - reason: the reason that the app is given.
    ///   - arguments: for its program; only an app that does not run yet can have some.
    ///   - onOutput: gets the app's output, on the connection's reading thread: while the handler blocks, so does the
    ///     app's output.
    public func launchApp(
        at path: String, for reason: AppReason = .opened, arguments: [String] = [],
        onOutput: @escaping @Sendable (ExtensionOutput) -> Void
    ) async throws -> LaunchedApp {
        let app = FollowedApp(onOutput)
        try follow(app)
        do {
            let opened = try await channel.ask(try Self.order(path, reason, arguments, follow: true))
            if !opened.isLaunched { unfollow(app) }
            return LaunchedApp(opened, app, self)
        } catch {
            unfollow(app)
            throw error
        }
    }

    private func follow(_ app: FollowedApp) throws {
        try followed.withLock { followed in
            if let followed, followed.ended.current == nil {
                throw ExtensionHostError(
                    .invalidArgument, "this connection already follows an app",
                    remedy: "Open others on their own connections")
            }
            followed = app
        }
    }

    private func unfollow(_ app: FollowedApp) { followed.withLock { if $0 === app { $0 = nil } } }

    /// Closes an app as its user would: by SIGTERM, after which it has about five seconds (`term`).
    ///
    /// Throws `noSuchExtension` if it does not run.
    public func closeApp(_ identifier: String) async throws {
        _ = try await channel.ask(CloseApp(identifier: identifier))
    }

    private static func order(_ path: String, _ reason: AppReason, _ arguments: [String], follow: Bool) throws
        -> OpenApp
    {
        switch reason {
        case .opened: OpenApp(path: path, reason: .opened, arguments: arguments, follow: follow)
        case .url(let url): OpenApp(path: path, reason: .url, url: url, arguments: arguments, follow: follow)
        case .woken: OpenApp(path: path, reason: .woken, arguments: arguments, follow: follow)
        case .activity(let type, let userInfo):
            OpenApp(
                path: path, reason: .activity, activity: type,
                values: try PropertyList.dictionary(userInfo).encodeBinary(), arguments: arguments, follow: follow)
        }
    }
}

/// The app that a connection follows.
final class FollowedApp: Sendable {
    private let onOutput: @Sendable (ExtensionOutput) -> Void
    let ended = OneShot<Result<ExitRecord, any Error>>()

    init(_ onOutput: @escaping @Sendable (ExtensionOutput) -> Void) { self.onOutput = onOutput }

    /// Handles a packet; returns false if it cannot be read.
    func receive(_ packet: Packet) -> Bool {
        switch packet.kind {
        case .output:
            guard case .success(let message) = packet.reading(Output.self) else { return false }
            onOutput(ExtensionOutput(message))
        case .exited:
            guard case .success(let message) = packet.reading(Exited.self) else { return false }
            ended.set(.success(message.exit))
        default: return false
        }
        return true
    }
}
