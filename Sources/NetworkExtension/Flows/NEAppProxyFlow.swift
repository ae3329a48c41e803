// NEAppProxyFlow: a connection of a program that a proxy has taken.

import Dispatch
import ExtensionItems
import FlowChannels
public import Foundation
import Locks
import PointMessages

/// The domain of the errors of flows.
public let NEAppProxyErrorDomain = FlowService.errorDomain

/// An error of a flow. Names and numbers are Apple's (header).
public struct NEAppProxyFlowError: Error, Sendable, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        case notConnected = 1
        case peerReset = 2
        case hostUnreachable = 3
        case invalidArgument = 4
        case aborted = 5
        case refused = 6
        case timedOut = 7
        case `internal` = 8
        case datagramTooLarge = 9
        case readAlreadyPending = 10
    }

    public static let notConnected = Code.notConnected
    public static let peerReset = Code.peerReset
    public static let hostUnreachable = Code.hostUnreachable
    public static let invalidArgument = Code.invalidArgument
    public static let aborted = Code.aborted
    public static let refused = Code.refused
    public static let timedOut = Code.timedOut
    public static let `internal` = Code.internal
    public static let datagramTooLarge = Code.datagramTooLarge
    public static let readAlreadyPending = Code.readAlreadyPending

    public static var errorDomain: String { NEAppProxyErrorDomain }
    public let code: Code
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { "The flow has failed: \(code)." }

    /// Makes an error.
    public init(_ code: Code) { self.code = code }

    init(of error: FlowError) { code = Code(rawValue: error.rawValue) ?? .internal }
}

/// The program of a flow.
public final class NEFlowMetaData: NSObject, Sendable {
    /// The identifier of the program's app; empty if the host does not know it.
    public let sourceAppSigningIdentifier: String
    /// The identity of the program's app: the bytes of its identifier (ours).
    public var sourceAppUniqueIdentifier: Data { Data(sourceAppSigningIdentifier.utf8) }
    /// The process of the program. The host does not tell of it.
    public var sourceAppAuditToken: Data? { nil }
    /// The identifier by which a filter of the system knows the flow.
    public let filterFlowIdentifier: UUID?

    init(_ value: NetworkFlow) {
        sourceAppSigningIdentifier = value.app ?? ""
        filterFlowIdentifier = UUID(uuidString: value.identifier)
    }
}

/// A connection of a program. Bytes come after `open(withLocalEndpoint:completionHandler:)`.
///
/// A flow is safe to use from any thread. The handlers of one flow run one after the other, on a queue of its own. A
/// provider holds its flows: a flow that nobody holds is closed.
open class NEAppProxyFlow: NSObject, @unchecked Sendable {
    // Unchecked: its values are set once, and the channel is safe. Only the kit makes objects.

    let value: NetworkFlow
    let channel: FlowChannel
    private let handlers = DispatchQueue(label: "org.exthost.flow")
    private let isOpened = Mutex(false)

    /// The program.
    public let metaData: NEFlowMetaData
    /// The name by which the program knows the other side, if it connects by name.
    public var remoteHostname: String? { value.hostname }
    /// Whether the program has bound its socket to an interface. The host's programs do not.
    public var isBound: Bool { false }

    init(_ value: NetworkFlow, _ channel: FlowChannel) {
        (self.value, self.channel) = (value, channel)
        metaData = NEFlowMetaData(value)
    }

    deinit { channel.abort(.aborted) }

    static func make(_ value: NetworkFlow, _ channel: FlowChannel) -> NEAppProxyFlow {
        value.kind == .datagrams ? NEAppProxyUDPFlow(value, channel) : NEAppProxyTCPFlow(value, channel)
    }

    /// Tells the program that its connection is open.
    ///
    /// - Parameters:
    ///   - localEndpoint: the end that the program shall see as its own; nil: any.
    ///   - completionHandler: called with nil when the flow is open.
    public func open(
        withLocalEndpoint localEndpoint: NWHostEndpoint?, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        let handler = AuthorCode(completionHandler)
        let isFirst = isOpened.withLock { isOpened in
            defer { isOpened = true }
            return !isOpened
        }
        var error: NEAppProxyFlowError?
        if !isFirst {
            error = NEAppProxyFlowError(.invalidArgument)
        } else if !channel.open(localEndpoint?.value) {
            error = NEAppProxyFlowError(.notConnected)
        }
        hand { [error] in handler.object(error) }
    }

    /// The form of `open(withLocalEndpoint:completionHandler:)` that waits.
    public func open(withLocalEndpoint localEndpoint: NWHostEndpoint?) async throws {
        try await Self.waiting { open(withLocalEndpoint: localEndpoint, completionHandler: $0) }
    }

    /// Ends the reading. The program can send no more. With an error, the program's connection is reset.
    public func closeReadWithError(_ error: (any Error)?) { channel.closeReading(Self.number(error)) }

    /// Ends the writing, after what was written before. The program reads the end, or its connection is reset.
    public func closeWriteWithError(_ error: (any Error)?) { channel.closeWriting(Self.number(error)) }

    private static func number(_ error: (any Error)?) -> FlowError? {
        guard let error = error.map({ $0 as NSError }) else { return nil }
        return error.domain == NEAppProxyErrorDomain ? FlowError(rawValue: error.code) ?? .internal : .peerReset
    }

    /// Calls a handler on the queue of the flow. A fence waits for it.
    func hand(_ body: @escaping @Sendable () -> Void) {
        Activity.process.enter()
        handlers.async {
            body()
            Activity.process.leave()
        }
    }

    /// Reads a piece of an open flow.
    func read(_ handler: @escaping @Sendable (FlowEntry?, NEAppProxyFlowError?) -> Void) {
        guard isOpened.withLock({ $0 }) else { return hand { handler(nil, NEAppProxyFlowError(.notConnected)) } }
        channel.read { [self] input in
            hand {
                switch input {
                case .success(let piece): handler(piece, nil)
                case .failure(let error): handler(nil, NEAppProxyFlowError(of: error))
                }
            }
        }
    }

    /// Writes to an open flow.
    ///
    /// - Parameter body: writes to the channel.
    func write(
        _ completionHandler: @escaping ((any Error)?) -> Void, _ body: (@escaping FlowChannel.Writer) -> Void
    ) {
        let handler = AuthorCode(completionHandler)
        guard isOpened.withLock({ $0 }) else { return fail(handler.object, .notConnected) }
        body { [self] error in hand { handler.object(error.map { NEAppProxyFlowError(of: $0) }) } }
    }

    func fail(_ completionHandler: @escaping ((any Error)?) -> Void, _ code: NEAppProxyFlowError.Code) {
        let handler = AuthorCode(completionHandler)
        hand { handler.object(NEAppProxyFlowError(code)) }
    }

    static func waiting(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            body { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }
}

/// A connection of TCP.
public final class NEAppProxyTCPFlow: NEAppProxyFlow, @unchecked Sendable {
    /// The other side, an `NWHostEndpoint`.
    public var remoteEndpoint: NWEndpoint { NWHostEndpoint(value.remote ?? FlowEndpoint("", 0)) }

    /// Reads the next bytes that the program sends, at most 64 KiB. Empty data is the end. One read at a time.
    ///
    /// Neither read has a form that waits, as on Apple's systems.
    public func readData(completionHandler: @escaping (Data?, (any Error)?) -> Void) {
        let handler = AuthorCode(completionHandler)
        read { piece, error in
            handler.object(error == nil ? piece?.bytes.map { Data($0) } ?? Data() : nil, error)
        }
    }

    /// Sends bytes to the program. The handler is called when the program's side has taken them.
    public func write(_ data: Data, withCompletionHandler completionHandler: @escaping ((any Error)?) -> Void) {
        write(completionHandler) { channel.write(Array(data), $0) }
    }

    /// The form of `write(_:withCompletionHandler:)` that waits.
    public func write(_ data: Data) async throws { try await Self.waiting { write(data, withCompletionHandler: $0) } }
}

/// The datagrams of a program's socket.
public final class NEAppProxyUDPFlow: NEAppProxyFlow, @unchecked Sendable {
    /// The end of the program's socket.
    public var localEndpoint: NWEndpoint? { value.local.map { NWHostEndpoint($0) } }

    /// Reads the next datagrams that the program sends, with their receivers. None is the end. One read at a time.
    public func readDatagrams(completionHandler: @escaping ([Data]?, [NWEndpoint]?, (any Error)?) -> Void) {
        let handler = AuthorCode(completionHandler)
        read { piece, error in
            if let error { return handler.object(nil, nil, error) }
            let datagrams = piece?.datagrams ?? []
            handler.object(datagrams.map { Data($0.bytes) }, datagrams.map { NWHostEndpoint($0.endpoint) }, nil)
        }
    }

    /// Sends datagrams to the program, each with its sender. The handler is called when the program's side has them.
    ///
    /// A sender that is no `NWHostEndpoint`, or another number of senders than of datagrams, is `invalidArgument`.
    public func writeDatagrams(
        _ datagrams: [Data], sentBy remoteEndpoints: [NWEndpoint],
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        let senders = remoteEndpoints.compactMap { ($0 as? NWHostEndpoint)?.value }
        guard senders.count == datagrams.count, remoteEndpoints.count == datagrams.count else {
            return fail(completionHandler, .invalidArgument)
        }
        write(completionHandler) { done in
            channel.write(zip(datagrams, senders).map { FlowDatagram(Array($0), $1) }, done)
        }
    }

    /// The form of `writeDatagrams(_:sentBy:completionHandler:)` that waits.
    public func writeDatagrams(_ datagrams: [Data], sentBy remoteEndpoints: [NWEndpoint]) async throws {
        try await Self.waiting { writeDatagrams(datagrams, sentBy: remoteEndpoints, completionHandler: $0) }
    }
}
