// RequestBook: the requests of one host connection whose story is not over.

import ExtensionProtocol
import Synchronization

/// Requests by identifier, until their process has ended.
final class RequestBook: Sendable {
    private let requests = Mutex<[RequestIdentifier: ExtensionRequest]>([:])

    func add(_ request: ExtensionRequest) { requests.withLock { $0[request.identifier] = request } }

    subscript(identifier: RequestIdentifier) -> ExtensionRequest? { requests.withLock { $0[identifier] } }

    func remove(_ identifier: RequestIdentifier) { requests.withLock { $0[identifier] = nil } }

    /// Every request that is still open ends here and now.
    func connectionLost(_ error: ExtensionHostError) {
        let left = requests.withLock { book in
            defer { book = [:] }
            return Array(book.values)
        }
        for request in left { request.fail(ExtensionHostError(.connectionLost, error.message, remedy: error.remedy, cause: error.cause)) }
    }
}
