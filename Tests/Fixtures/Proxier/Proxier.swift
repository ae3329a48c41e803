// Proxier: an app proxy and a DNS proxy. The name of a flow's host says what they do with it.

import Foundation
import Glibc
import Locks
import NetworkExtension

/// The flows that a provider holds, and its counts.
final class Holder: Sendable {
    private struct Held: @unchecked Sendable {
        var flows: [NEAppProxyFlow] = []
        var handlers: [Any] = []
        var written = 0
        var isLazy = false
    }

    private let state = Mutex(Held())

    func hold(_ flow: NEAppProxyFlow) { state.withLock { $0.flows.append(flow) } }
    func hold(handler: sending Any) { state.withLock { $0.handlers.append(handler) } }
    /// Calls the handlers that take nothing.
    func resume() {
        let held = state.withLock { held in
            defer { held.handlers = [] }
            return Held(handlers: held.handlers)
        }
        for case let handler as () -> Void in held.handlers { handler() }
    }
    /// Whether the provider does not answer its stop.
    var isLazy: Bool {
        get { state.withLock { $0.isLazy } }
        set { state.withLock { $0.isLazy = newValue } }
    }
    func count() { state.withLock { $0.written += 1 } }
    var written: Int { state.withLock { $0.written } }
}

private func code(_ error: (any Error)?) -> String {
    guard let error = error as? NEAppProxyFlowError else { return error.map { "\($0)" } ?? "none" }
    return "\((error as NSError).domain) \(error.errorCode)"
}

/// Says through `displayMessage` what it is told, so that a test's host hears it.
final class Proxier: NEAppProxyProvider, @unchecked Sendable {
    // Unchecked: it has one object, which is safe.
    private let holder = Holder()

    private func say(_ text: String) { displayMessage(text) { _ in } }

    override func startProxy(
        options: [String: Any]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let mode = (options?["mode"] ?? options?["do"]) as? String
        if mode == "refuse" { return completionHandler(CocoaError(.featureUnsupported)) }
        if mode == "hang" { return holder.hold(handler: completionHandler) }
        holder.isLazy = mode == "lazy"
        let server = (protocolConfiguration as? NETunnelProviderProtocol)?.serverAddress
        say("started \(mode ?? "plain") \(server ?? "none") \(routingMethod)")
        completionHandler(nil)
    }

    override func stopProxy(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        say("stopped \(reason)")
        if holder.isLazy { return holder.hold(handler: completionHandler) }
        completionHandler()
    }

    override func handleAppMessage(_ messageData: Data, completionHandler: (@Sendable (Data?) -> Void)? = nil) {
        guard let completionHandler else { return say("told \(String(decoding: messageData, as: UTF8.self))") }
        completionHandler(Data("\(holder.written)".utf8))
    }

    override func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
        guard let flow = flow as? NEAppProxyTCPFlow else { return false }
        let name = flow.remoteHostname ?? ""
        switch name {
        case "refuse.test": return false
        case "kept.test":
            holder.hold(flow)
            return false
        case "hang.test":
            say("hangs")
            Glibc.sleep(1000)
        case "crash.test": abort()
        case "never.test": holder.hold(flow)
        case "released.test": break
        case "unopened.test":
            flow.readData { [self] in say("read \($0?.count ?? -1) \(code($1))") }
            flow.write(Data("x".utf8)) { [self] in say("write \(code($0))") }
            echo(flow)
        case "cancel.test": cancelProxyWithError(CocoaError(.userCancelled))
        case "settings.test":
            let settings = NETunnelNetworkSettings(tunnelRemoteAddress: "")
            setTunnelNetworkSettings(settings) { [self] in
                say("settings \($0.map { ($0 as NSError).code } ?? 0)")
            }
            return false
        default:
            flow.open(withLocalEndpoint: NWHostEndpoint(hostname: "10.0.0.9", port: "1234")) { [self] error in
                if error == nil { opened(flow, name) }
            }
        }
        return true
    }

    private func opened(_ flow: NEAppProxyTCPFlow, _ name: String) {
        switch name {
        case "twice.test":
            flow.readData { [self] data, _ in
                say("first \(String(decoding: data ?? Data(), as: UTF8.self))")
                Self.copy(flow)
            }
            flow.readData { [self] in say("second \($0?.count ?? -1) \(code($1))") }
            flow.open(withLocalEndpoint: nil) { [self] in say("open again \(code($0))") }
        case "source.test": fill(flow, 100)
        case "sink.test": holder.hold(flow)
        case "fail.test":
            flow.closeReadWithError(NEAppProxyFlowError(.refused))
            flow.closeWriteWithError(NEAppProxyFlowError(.hostUnreachable))
            flow.readData { [self] in say("read \($0?.count ?? -1) \(code($1))") }
            flow.write(Data("x".utf8)) { [self] in say("write \(code($0))") }
        case "deny.test":
            holder.hold(flow)
            flow.closeReadWithError(NEAppProxyFlowError(.refused))
            flow.write(Data("why".utf8)) { [self] in say("write \(code($0))") }
        case "shut.test":
            holder.hold(flow)
            flow.closeReadWithError(nil)
        case "half.test":
            flow.closeReadWithError(nil)
            flow.write(Data("half".utf8)) { _ in flow.closeWriteWithError(nil) }
        case "die.test": flow.readData { _, _ in abort() }
        case "stuck.test": flow.readData { _, _ in Glibc.sleep(1000) }
        case "aborted.test":
            flow.readData { [self] in say("read \($0?.count ?? -1) \(code($1))") }
        default: Self.copy(flow)
        }
    }

    private func echo(_ flow: NEAppProxyTCPFlow) {
        flow.open(withLocalEndpoint: nil) { error in
            if error == nil { Self.copy(flow) }
        }
    }

    /// Sends everything back.
    private static func copy(_ flow: NEAppProxyTCPFlow) {
        flow.readData { data, error in
            guard let data, !data.isEmpty, error == nil else {
                flow.closeReadWithError(error)
                return flow.closeWriteWithError(error)
            }
            flow.write(data) { error in
                if error == nil { copy(flow) }
            }
        }
    }

    /// Writes pieces of 64 KiB, one after the other.
    private func fill(_ flow: NEAppProxyTCPFlow, _ rest: Int) {
        guard rest > 0 else { return flow.closeWriteWithError(nil) }
        flow.write(Data(repeating: UInt8(rest), count: 65_536)) { [self] error in
            guard error == nil else { return }
            holder.count()
            fill(flow, rest - 1)
        }
    }

    override func handleNewUDPFlow(_ flow: NEAppProxyUDPFlow, initialRemoteEndpoint remoteEndpoint: NWEndpoint) -> Bool
    {
        let name = (remoteEndpoint as? NWHostEndpoint)?.hostname ?? ""
        if name == "192.0.2.99" { return false }
        say("datagrams \(remoteEndpoint) \(flow.localEndpoint?.description ?? "none")")
        flow.open(withLocalEndpoint: nil) { [self] error in
            guard error == nil else { return }
            if name == "192.0.2.98" {
                flow.writeDatagrams([Data(count: 65_508)], sentBy: [remoteEndpoint]) { [self] in
                    say("large \(code($0))")
                }
                flow.writeDatagrams([Data(count: 1)], sentBy: []) { [self] in say("senders \(code($0))") }
            }
            if name == "192.0.2.97" { return copyAfterPause(flow) }
            Self.copy(flow)
        }
        return true
    }

    /// Sends the first datagrams back. If they are "wait", further ones wait until another flow has got "go".
    private func copyAfterPause(_ flow: NEAppProxyUDPFlow) {
        flow.readDatagrams { [self] datagrams, endpoints, error in
            guard let datagrams, let endpoints, error == nil, !datagrams.isEmpty else { return }
            if datagrams == [Data("wait".utf8)] {
                holder.hold(handler: { Self.copy(flow) })
            } else {
                if datagrams == [Data("go".utf8)] { holder.resume() }
                Self.copy(flow)
            }
            flow.writeDatagrams(datagrams, sentBy: endpoints) { _ in }
        }
    }

    private static func copy(_ flow: NEAppProxyUDPFlow) {
        flow.readDatagrams { datagrams, endpoints, error in
            guard let datagrams, let endpoints, error == nil, !datagrams.isEmpty else {
                flow.closeReadWithError(error)
                return flow.closeWriteWithError(error)
            }
            flow.writeDatagrams(datagrams, sentBy: endpoints) { error in
                guard error == nil else { return }
                // A provider may end a flow after each answer.
                if datagrams.contains(Data("last".utf8)) {
                    flow.closeReadWithError(nil)
                    return flow.closeWriteWithError(nil)
                }
                copy(flow)
            }
        }
    }

    override func sleep(completionHandler: @escaping @Sendable () -> Void) {
        say("sleep")
        completionHandler()
    }

    override func wake() { say("wake") }
}

/// Answers each query with its own bytes.
final class Namer: NEDNSProxyProvider {
    override func startProxy(options: [String: Any]? = nil) async throws {
        _ = await displayMessage("servers \(systemDNSSettings?.first?.servers ?? [])")
        guard let values = options?["VendorData"] as? [String: Any] else { return }
        _ = await displayMessage("values \(values) \(options?["ServerAddress"] ?? "none")")
    }

    override func stopProxy(with reason: NEProviderStopReason) async {
        _ = await displayMessage("stopped \(reason)")
    }

    override func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
        switch flow {
        case let flow as NEAppProxyUDPFlow: flow.open(withLocalEndpoint: nil) { _ in Self.answer(flow) }
        case let flow as NEAppProxyTCPFlow: flow.open(withLocalEndpoint: nil) { _ in Self.answerOnce(flow) }
        default: return false
        }
        return true
    }

    private static func answerOnce(_ flow: NEAppProxyTCPFlow) {
        flow.readData { query, _ in
            flow.write(Data("\(flow.remoteEndpoint) ".utf8) + (query ?? Data())) { error in
                flow.closeReadWithError(error)
                flow.closeWriteWithError(error)
            }
        }
    }

    private static func answer(_ flow: NEAppProxyUDPFlow) {
        flow.readDatagrams { datagrams, endpoints, _ in
            guard let datagrams, let endpoints, !datagrams.isEmpty else { return }
            flow.writeDatagrams(datagrams.map { Data($0.reversed()) }, sentBy: endpoints) { _ in answer(flow) }
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
