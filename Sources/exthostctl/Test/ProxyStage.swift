// ProxyStage: the app proxy or DNS proxy of one test, and the flows that it takes.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages
import Scenarios

/// The proxy of one test. It starts with the first step.
final class ProxyStage: Sendable {
    /// The number of bytes of an answer after which no more are read.
    private static let mostAnswer = 16 << 20

    private let host: HostApplication
    private let identifier: String
    private let proxy = Mutex<ProxyHost?>(nil)

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Performs a step. A failure of the provider is its result.
    ///
    /// - Parameter folder: the folder to which the path of a file is relative.
    /// - Throws: `CommandError` for a file that cannot be read.
    func perform(_ step: ProxyStep, in folder: String) async throws -> ProxyAnswer {
        do {
            switch step {
            case .start(let options):
                // Other options need another proxy.
                let old = proxy.withLock { known in
                    defer { known = nil }
                    return known
                }
                await old?.stop()
                try await started(TunnelSteps.options(options)).start()
                return ProxyAnswer(result: .connected, members: [])
            case .stop:
                await started(nil).stop()
                proxy.withLock { $0 = nil }
                return ProxyAnswer(result: .stopped, members: [])
            case .message(let text):
                let reply = try await started(nil).send(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
                return ProxyAnswer(
                    result: reply == nil ? .nothing : .answered, members: [("reply", .optional(reply))])
            case .flow(let isDatagrams, let host, let port, let texts):
                let sent = try texts.map { try Self.bytes($0, folder) }
                return try await exchange(isDatagrams, FlowEndpoint(host, port), sent)
            case .resolve(let name, let isIPv6): return try await resolve(NameQuery(name, isIPv6: isIPv6))
            }
        } catch let error as CommandError {
            throw error
        } catch {
            let reason =
                (error as? ExtensionHostError)?.message ?? (error as? FlowFailure)?.description
                ?? (error as NSError).localizedDescription
            return ProxyAnswer(result: .failed, members: [("reason", .string(reason))], why: reason)
        }
    }

    private static func bytes(_ text: String, _ folder: String) throws -> [UInt8] {
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let file = text.dropFirst()
        return Array(try InputFile(file.hasPrefix("/") ? String(file) : "\(folder)/\(file)").data())
    }

    /// Returns the proxy, which is made with these options if there is none.
    private func started(_ options: PointValue?) -> ProxyHost {
        proxy.withLock { known in
            if let known { return known }
            var settings = ProxyHost.Settings()
            settings.options = options
            var configured = TunnelProtocol(provider: identifier)
            configured.serverAddress = "192.0.2.1"
            settings.configuration = TunnelConfiguration("test", configured)
            settings.names = NetworkNames([NameQuery.server.host])
            let made = ProxyHost(host, identifier, settings: settings)
            known = made
            return made
        }
    }

    /// Offers a flow, sends the bytes and their end, and reads to the end of the flow.
    ///
    /// Of datagrams the end is sent when as many have come back. A program has no end of them.
    private func exchange(
        _ isDatagrams: Bool, _ place: FlowEndpoint, _ sent: [[UInt8]]
    ) async throws -> ProxyAnswer {
        var description = NetworkFlow(0, identifier: "", isDatagrams ? .datagrams : .stream)
        (description.remote, description.hostname) = (place, isDatagrams ? nil : place.host)
        if isDatagrams { description.local = FlowEndpoint("127.0.0.1", 49_152) }
        guard let flow = try await started(nil).open(description) else {
            return ProxyAnswer(result: .refused, members: [])
        }
        var pieces: [[UInt8]] = []
        var failure: FlowFailure?
        do throws(FlowFailure) {
            try await flow.opened()
            let writing = Task {
                for bytes in sent {
                    if isDatagrams {
                        try await flow.send([FlowDatagram(bytes, place)])
                    } else {
                        try await flow.write(bytes)
                    }
                }
                if !isDatagrams || sent.isEmpty { flow.finish() }
            }
            defer { writing.cancel() }
            var count = 0
            while count <= Self.mostAnswer {
                let next =
                    isDatagrams ? try await flow.receive().map(\.bytes) : [try await flow.read()].filter { !$0.isEmpty }
                if next.isEmpty { break }
                pieces += next
                count += next.reduce(0) { $0 + $1.count }
                if isDatagrams, pieces.count >= sent.count { break }
            }
        } catch {
            failure = error
        }
        flow.end()
        let passed = flow.passed
        let texts = isDatagrams ? pieces : [pieces.flatMap { $0 }]
        var members: [(name: String, value: JSON)] = [
            ("answer", .string(String(decoding: texts.first ?? [], as: UTF8.self))),
            ("answers", .array(texts.map { .string(String(decoding: $0, as: UTF8.self)) })),
            ("inbound", .integer(passed.inbound)), ("outbound", .integer(passed.outbound)),
        ]
        if let failure { members.append(("reason", .string(failure.description))) }
        return ProxyAnswer(
            result: failure != nil ? .failed : passed.inbound > 0 ? .answered : .nothing, members: members,
            why: failure?.description)
    }

    /// Asks for a name by a datagram, and reads the first answer.
    private func resolve(_ query: NameQuery) async throws -> ProxyAnswer {
        var description = NetworkFlow(0, identifier: "", .datagrams)
        (description.remote, description.local) = (NameQuery.server, FlowEndpoint("127.0.0.1", 49_152))
        guard let flow = try await started(nil).open(description) else {
            return ProxyAnswer(result: .refused, members: [])
        }
        defer { flow.end() }
        try await flow.opened()
        try await flow.send([FlowDatagram(query.message, NameQuery.server)])
        guard let bytes = try await flow.receive().first?.bytes else {
            return ProxyAnswer(result: .nothing, members: [("addresses", .array([]))])
        }
        guard let answer = query.answer(bytes) else {
            let why = "the proxy has sent \(bytes.count) bytes that do not answer the query"
            return ProxyAnswer(result: .failed, members: [("reason", .string(why))], why: why)
        }
        return ProxyAnswer(
            result: answer.code == 5 ? .refused : answer.addresses.isEmpty ? .nothing : .answered,
            members: [
                ("addresses", .array(answer.addresses.map { .string($0) })), ("code", .integer(answer.code)),
            ])
    }
}

/// The result of a step with a proxy, for scenarios.
struct ProxyAnswer: Sendable {
    let result: PointResult
    let members: [(name: String, value: JSON)]
    var why: String?
}
