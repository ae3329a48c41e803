// FilesClient: the connection of this process with the host that keeps the files.

import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointMessages

/// The calls of this process to the host of files, over one connection. Safe to use from any thread.
final class FilesClient: Sendable {
    static let shared = FilesClient()

    private let opening = Mutex<(number: Int, task: Task<ServiceConnection, any Error>?)>((0, nil))

    /// Calls the host.
    ///
    /// - Throws: `NSFileProviderError` `providerNotFound` if no host keeps files; the host's error.
    func call<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        do {
            return try await connection().call(message, CallPort.Options(isRepeatable: true))
        } catch let error as ExtensionHostError where error.code == .serviceUnavailable || error.code == .noDaemon {
            throw NSFileProviderError(
                .providerNotFound, userInfo: [NSLocalizedDescriptionKey: "no host keeps files: \(error.message)"])
        }
    }

    private func connection() async throws -> ServiceConnection {
        let task = opening.withLock { opening in
            if let task = opening.task { return task }
            opening.number += 1
            let number = opening.number
            let task = Task { [self] in
                do {
                    let connection = try await ServicePort.ofProcess().open(
                        FileService.name, handling: PointHandlers())
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

    private func forget(_ number: Int) {
        opening.withLock { if $0.number == number { $0.task = nil } }
    }
}
