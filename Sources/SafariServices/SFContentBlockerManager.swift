// SFContentBlockerManager: an app's orders to the browser about its content blockers.

import ExtensionPointKit
import ExtensionWire
public import Foundation
import Locks
import PointMessages

/// The requests of an app, or of an extension of it, to Safari about the app's content blockers.
///
/// The browser is a host that provides the service `org.exthost.safari`, such as `ContentBlockerHost`. Without one each
/// request fails with `serviceUnavailable`.
open class SFContentBlockerManager: NSObject {
    /// Asks the browser for a new compilation of a blocker's list.
    ///
    /// - Parameters:
    ///   - identifier: a content blocker of the same app.
    ///   - completionHandler: called on another thread, after the compilation: with nil, with an error of
    ///     `SFErrorDomain` or `WKErrorDomain`, or with an `ExtensionHostError`.
    open class func reloadContentBlocker(
        withIdentifier identifier: String, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        Task {
            do {
                try await reloadContentBlocker(withIdentifier: identifier)
                completionHandler?(nil)
            } catch {
                completionHandler?(error)
            }
        }
    }

    open class func reloadContentBlocker(withIdentifier identifier: String) async throws {
        _ = try await browser.connection().call(ReloadContentBlocker(identifier), .init(limit: .seconds(60)))
    }

    /// Asks the browser whether its user has switched a blocker on.
    ///
    /// - Parameters:
    ///   - identifier: a content blocker of the same app.
    ///   - completionHandler: called on another thread.
    open class func getStateOfContentBlocker(
        withIdentifier identifier: String,
        completionHandler: @escaping @Sendable (SFContentBlockerState?, (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await stateOfContentBlocker(withIdentifier: identifier), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    open class func stateOfContentBlocker(withIdentifier identifier: String) async throws -> SFContentBlockerState {
        let state = try await browser.connection().call(ContentBlockerState(identifier), .init(isRepeatable: true))
        return SFContentBlockerState(isEnabled: state.isEnabled)
    }

    private static let browser = Browser()
}

/// The connection of this process with the browser.
private final class Browser: Sendable {
    private let opening = Mutex<(number: Int, task: Task<ServiceConnection, any Error>?)>((0, nil))

    /// Returns the connection, which all orders share. After its end the next order opens another.
    func connection() async throws -> ServiceConnection {
        let task = opening.withLock { opening in
            if let task = opening.task { return task }
            opening.number += 1
            let number = opening.number
            let task = Task { [self] in
                do {
                    let connection = try await ServicePort.ofProcess().open(SafariService.name)
                    connection.whenEnded { [self] _ in forget(number) }
                    return connection
                } catch {
                    forget(number)
                    throw error
                }
            }
            opening.task = task
            return task
        }
        return try await task.value
    }

    private func forget(_ number: Int) { opening.withLock { if $0.number == number { $0.task = nil } } }
}

/// The state of a content blocker.
public final class SFContentBlockerState: NSObject, Sendable {
    /// Whether the user has switched the blocker on in the browser.
    public let isEnabled: Bool
    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}

/// The requests of an app to Safari about its extensions for the Mac.
///
/// There is no browser here: every request fails with `notSimulated`.
open class SFSafariExtensionManager: NSObject {
    /// - Parameter completionHandler: called on another thread.
    open class func getStateOfSafariExtension(
        withIdentifier identifier: String,
        completionHandler: @escaping @Sendable (SFSafariExtensionState?, (any Error)?) -> Void
    ) {
        let error = ExtensionHostError(.notSimulated, "there is no browser with the extension \(identifier)")
        DispatchQueue.global().async { completionHandler(nil, error) }
    }
}

/// The enabled state of a Safari extension.
///
/// This kit never creates one.
open class SFSafariExtensionState: NSObject {
    public let isEnabled: Bool
    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}
