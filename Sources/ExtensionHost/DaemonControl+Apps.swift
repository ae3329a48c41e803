// DaemonControl+Apps: opening apps, following one, closing one.

import ExtensionConnection
public import ExtensionProtocol
import Locks

/// What an app is opened for.
public enum AppReason: Sendable, Hashable {
    /// Its user wants to see it: it becomes active.
    case opened
    /// To open a URL of a scheme that its program knows.
    case url(String)
    /// For work in the background: it does not become active.
    case woken
}

/// An app that was opened, and whose output and end its connection gets. Letting go of the last reference to it and to the connection closes it.
public struct LaunchedApp: Sendable {
    /// What the daemon said of it. One that ran before is not followed.
    public let opened: AppOpened
    private let followed: FollowedApp
    private let connection: DaemonControl

    fileprivate init(_ opened: AppOpened, _ followed: FollowedApp, _ connection: DaemonControl) {
        self.connection = connection
        self.opened = opened
        self.followed = followed
    }

    /// How it ended, once it has; all that it printed was passed on before. Nil at once of an app that ran before.
    ///
    /// - Throws: what ended the connection first.
    public var ending: ExitRecord? {
        get async throws { opened.isLaunched ? try await followed.ended.value.get() : nil }
    }
}

extension DaemonControl {
    /// Launches the app at an absolute path, or tells the one that runs; it goes on when this connection ends.
    ///
    /// Returns when it runs; with a URL when its delegate has that.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the app.
    ///   - reason: what the app is told of why it is opened.
    ///   - arguments: for its program; only one that does not run yet can have some.
    /// - Throws: `noSuchExtension` for what is no app that can be run, `invalidArgument`, `launchFailed`, `timedOut` where it does not take the URL,
    ///   `notPermitted`, `quotaExceeded`, `breakerOpen`.
    public func openApp(at path: String, for reason: AppReason = .opened, arguments: [String] = []) async throws -> AppOpened {
        try await channel.ask(Self.order(path, reason, arguments, follow: false))
    }

    /// The same for one app of a connection that is to live as long as the connection at most.
    ///
    /// One at a time: another can be launched when this one has ended. An app that does not take its URL is closed.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the app.
    ///   - reason: what the app is told of why it is opened.
    ///   - arguments: for its program; only one that does not run yet can have some.
    ///   - onOutput: gets what the app prints, on the connection's reading thread: while that is kept, the app is held back.
    public func launchApp(
        at path: String, for reason: AppReason = .opened, arguments: [String] = [],
        onOutput: @escaping @Sendable (ExtensionOutput) -> Void
    ) async throws -> LaunchedApp {
        let app = FollowedApp(onOutput)
        try follow(app)
        do {
            let opened = try await channel.ask(Self.order(path, reason, arguments, follow: true))
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
                    .invalidArgument, "this connection follows an app already", remedy: "Open others on connections of their own")
            }
            followed = app
        }
    }

    private func unfollow(_ app: FollowedApp) { followed.withLock { if $0 === app { $0 = nil } } }

    /// Closes an app as its user would: it is told by SIGTERM, and has about five seconds (`term`). Throws `noSuchExtension` where it does not run.
    public func closeApp(_ identifier: String) async throws { _ = try await channel.ask(CloseApp(identifier: identifier)) }

    private static func order(_ path: String, _ reason: AppReason, _ arguments: [String], follow: Bool) -> OpenApp {
        switch reason {
        case .opened: OpenApp(path: path, reason: .opened, arguments: arguments, follow: follow)
        case .url(let url): OpenApp(path: path, reason: .url, url: url, arguments: arguments, follow: follow)
        case .woken: OpenApp(path: path, reason: .woken, arguments: arguments, follow: follow)
        }
    }
}

/// The app that a connection follows.
final class FollowedApp: Sendable {
    private let onOutput: @Sendable (ExtensionOutput) -> Void
    let ended = OneShot<Result<ExitRecord, any Error>>()

    init(_ onOutput: @escaping @Sendable (ExtensionOutput) -> Void) { self.onOutput = onOutput }

    /// False of what cannot be read.
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
