// ProviderConnection: the request in which a provider is asked, begun again after its end.

import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
import PointMessages

/// The calls of one provider. Its process may end at any time: the next call begins another request.
actor ProviderConnection {
    private let host: HostApplication
    let identifier: String
    private let domain: FileDomain?
    /// The time limit of one call.
    let limit: Duration
    private var opening: (number: Int, task: Task<ExtensionRequest, any Error>?) = (0, nil)
    private var isOver = false
    /// The open calls of the requests, and the request that has answered after an end of the process.
    private var calls: [Int: Int] = [:]
    private var recovered: Int?

    /// The times that a call is made again after the process has ended.
    private static let mostRepeats = 5

    init(_ host: HostApplication, _ identifier: String, domain: FileDomain?, limit: Duration) {
        (self.host, self.identifier, self.domain, self.limit) = (host, identifier, domain, limit)
    }

    /// The process; nil as long as none serves.
    var pid: Int? { get async { (try? await opening.task?.value)?.processIdentifier } }

    /// Calls the provider.
    ///
    /// - Parameter isRepeated: set once the call may have been performed before.
    func call<Message: PointMessage>(
        _ make: @Sendable (_ isRepeated: Bool) -> Message
    ) async throws -> Message.Reply {
        try await repeating { [limit] request, isRepeated in
            try await request.call(make(isRepeated), limit: limit)
        }
    }

    /// Calls the provider, and collects the parts of its answer.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - initial: the value before the first part. A repeated call begins with it again.
    ///   - take: takes a part; it throws to end the call.
    func call<Message: PointMessage, Collected: Sendable>(
        _ message: Message, into initial: Collected,
        take: @escaping @Sendable (inout Collected, Message.Part) throws -> Void
    ) async throws -> (Collected, Message.Reply) {
        try await repeating { [limit] request, _ in
            let collected = Mutex(initial)
            let reply = try await request.call(message, limit: limit) { part in
                try collected.withLock { try take(&$0, part) }
            }
            return (collected.withLock { $0 }, reply)
        }
    }

    private func repeating<Value: Sendable>(
        _ body: @Sendable (ExtensionRequest, _ isRepeated: Bool) async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        // The daemon may have been replaced after the provider has performed the call.
        var isResumed = false
        var pause = Duration.zero
        while true {
            let number: Int
            let request: ExtensionRequest
            do {
                (number, request) = try await self.request()
            } catch let error as ExtensionHostError where error.code == .connectionLost && pause < limit && !isOver {
                // The next daemon begins it.
                pause += Self.pauseStep
                try await Task.sleep(for: Self.pauseStep)
                continue
            }
            calls[number, default: 0] += 1
            do {
                let value = try await body(request, attempt > 0 || isResumed)
                await ended(number, request, isRecovered: attempt > 0)
                return value
            } catch let error as ExtensionHostError where Self.endsRequest(error) && !isOver {
                calls[number] = nil
                forget(number)
                switch await request.outcome {
                // The class may not fit; then each request ends with the same reason.
                case .cancelled(_, let reason): throw reason
                // The daemon goes, and ends each request at once. That is no end of the provider.
                case .interrupted(.daemonStopping) where pause < limit,
                    .interrupted(.daemonRestarted) where pause < limit, .refused(.daemonStopping) where pause < limit:
                    isResumed = true
                    pause += Self.pauseStep
                    try await Task.sleep(for: Self.pauseStep)
                    continue
                case .refused(.breakerOpen) where pause < limit:
                    // The daemon pauses the launches of an extension that has failed several times in a row.
                    pause += Self.pauseStep
                    try await Task.sleep(for: Self.pauseStep)
                    continue
                case .refused, .timedOut:
                    let why = await request.explanation
                    throw FileFailure(.providerEnded, "the provider was not launched: \(why.map { "\($0)" } ?? "")")
                case .completed, .interrupted: attempt += 1
                }
                guard attempt <= Self.mostRepeats, !Task.isCancelled else { throw error }
            } catch let error as ExtensionHostError where error.code == .connectionLost && pause < limit && !isOver {
                // The request goes on at the next daemon, if that could take it over.
                await ended(number, request, isRecovered: false)
                if !request.isOpen { forget(number) }
                isResumed = true
                pause += Self.pauseStep
                try await Task.sleep(for: Self.pauseStep)
            } catch {
                await ended(number, request, isRecovered: false)
                throw error
            }
        }
    }

    private static let pauseStep = Duration.milliseconds(100)

    /// Notes the end of a call.
    ///
    /// After an end of the process, the request that answers is completed once nothing needs it: the daemon counts
    /// failures in a row, and a completed request ends the row.
    private func ended(_ number: Int, _ request: ExtensionRequest, isRecovered: Bool) async {
        calls[number, default: 1] -= 1
        if isRecovered { recovered = number }
        guard calls[number] == 0 else { return }
        calls[number] = nil
        guard recovered == number, opening.number == number, !isOver else { return }
        forget(number)
        recovered = nil
        await Self.complete(request, limit)
    }

    private static func complete(_ request: ExtensionRequest, _ limit: Duration) async {
        do {
            _ = try await request.call(EndFiles(), limit: limit)
            // A host that left at once would cancel the request.
            _ = await request.outcome
        } catch {
            try? await request.cancel()
        }
    }

    private static func endsRequest(_ error: ExtensionHostError) -> Bool {
        [.interrupted, .contextFinished, .noSuchRequest].contains(error.code)
    }

    private func forget(_ number: Int) { if opening.number == number { opening.task = nil } }

    private func request() async throws -> (Int, ExtensionRequest) {
        if isOver { throw FileFailure(.providerEnded, "the files are closed") }
        let task: Task<ExtensionRequest, any Error>
        if let open = opening.task {
            task = open
        } else {
            opening.number += 1
            task = Task { [host, identifier, domain] in
                let item = NSExtensionItem()
                if let domain {
                    item.userInfo = [
                        "NSFileProviderDomainIdentifier": domain.identifier,
                        "NSFileProviderDomainDisplayName": domain.displayName,
                        "NSFileProviderDomainPath": domain.path ?? domain.identifier,
                    ]
                }
                return try await host.begin(identifier, items: domain == nil ? [] : [item])
            }
            opening.task = task
        }
        let number = opening.number
        do {
            return (number, try await task.value)
        } catch {
            forget(number)
            throw error
        }
    }

    /// Ends the provider's session. Calls fail from now on.
    func close() async {
        isOver = true
        guard let task = opening.task, let request = try? await task.value else { return }
        opening.task = nil
        await Self.complete(request, limit)
    }
}
