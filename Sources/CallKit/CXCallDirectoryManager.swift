// CXCallDirectoryManager: an app's orders to the telephone about its call directories.

import ExtensionPointKit
public import Foundation
import Locks
import PointMessages

/// The requests of an app, or of an extension of it, to the telephone about the app's call directories.
///
/// The telephone is a host that provides the service `org.exthost.calls`, such as `CallDirectoryHost`. Without one each
/// request fails with `serviceUnavailable`.
open class CXCallDirectoryManager: NSObject, @unchecked Sendable {  // it has no state
    /// The state of an extension in the settings. The numbers are Apple's (header).
    public enum EnabledStatus: Int, Sendable {
        case unknown = 0
        case disabled = 1
        case enabled = 2
    }

    /// The one object of the process.
    public class var sharedInstance: CXCallDirectoryManager { shared }

    private static let shared = CXCallDirectoryManager()
    private static let telephone = Telephone()

    override init() {}

    /// Asks the telephone to load a directory.
    ///
    /// - Parameters:
    ///   - identifier: a call directory of the same app.
    ///   - completion: called on another thread, after the load: with nil, with a `CXErrorCodeCallDirectoryManagerError`,
    ///     or with an `ExtensionHostError`.
    open func reloadExtension(
        withIdentifier identifier: String, completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        Task {
            do {
                try await reloadExtension(withIdentifier: identifier)
                completion?(nil)
            } catch {
                completion?(error)
            }
        }
    }

    open func reloadExtension(withIdentifier identifier: String) async throws {
        // A load has 60 s.
        _ = try await Self.call(ReloadCallDirectory(identifier), .init(limit: .seconds(90)))
    }

    /// Asks the telephone whether its user has switched a directory on.
    ///
    /// - Parameters:
    ///   - identifier: a call directory of the same app.
    ///   - completion: called on another thread.
    open func getEnabledStatusForExtension(
        withIdentifier identifier: String,
        completionHandler completion: @escaping @Sendable (EnabledStatus, (any Error)?) -> Void
    ) {
        Task {
            do {
                completion(try await enabledStatusForExtension(withIdentifier: identifier), nil)
            } catch {
                completion(.unknown, error)
            }
        }
    }

    open func enabledStatusForExtension(withIdentifier identifier: String) async throws -> EnabledStatus {
        try await Self.call(CallDirectoryStatus(identifier), .init(isRepeatable: true)).isEnabled ? .enabled : .disabled
    }

    /// Asks the telephone to show the settings of its directories.
    ///
    /// - Parameter completion: called on another thread. A telephone without settings answers `notSimulated`.
    open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        Task {
            do {
                try await openSettings()
                completion?(nil)
            } catch {
                completion?(error)
            }
        }
    }

    open func openSettings() async throws { _ = try await Self.call(OpenCallSettings(), .init()) }

    private static func call<Message: PointMessage>(
        _ message: Message, _ options: CallPort.Options
    ) async throws -> Message.Reply {
        do {
            return try await telephone.connection().call(message, options)
        } catch {
            throw CXErrorCodeCallDirectoryManagerError.crossing(error)
        }
    }
}

/// The connection of this process with the telephone.
private final class Telephone: Sendable {
    private let opening = Mutex<(number: Int, task: Task<ServiceConnection, any Error>?)>((0, nil))

    /// Returns the connection, which all orders share. After its end the next order opens another.
    func connection() async throws -> ServiceConnection {
        let task = opening.withLock { opening in
            if let task = opening.task { return task }
            opening.number += 1
            let number = opening.number
            let task = Task { [self] in
                do {
                    let connection = try await ServicePort.ofProcess().open(CallDirectoryService.name)
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
