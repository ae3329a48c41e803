// Filterer: the two providers of a filter. The name of a flow's host says what they do with it.

import Foundation
import Glibc
import NetworkExtension

/// Says through `displayMessage` what it is told, so that a test's host hears it.
final class Filterer: NEFilterDataProvider {
    override func startFilter(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let vendor = filterConfiguration.vendorConfiguration?["mode"] as? String
        if vendor == "refuse" { return completionHandler(CocoaError(.featureUnsupported)) }
        if vendor == "hang" { return hold(completionHandler) }
        say("started \(vendor ?? "plain"), \(filterConfiguration.organization ?? "nobody")")
        completionHandler(nil)
    }

    override func stopFilter(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        say("stopped \(reason)")
        completionHandler()
    }

    private nonisolated(unsafe) static var held: [Any] = []
    private func hold(_ handler: Any) { Self.held.append(handler) }

    private func say(_ text: String) { displayMessage(text) { _ in } }

    private static func host(_ flow: NEFilterFlow) -> String {
        flow.url?.host ?? (flow as? NEFilterSocketFlow)?.remoteHostname ?? ""
    }

    private var rules: String {
        guard
            let folder = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.org.exthost.tests.filter"),
            let data = try? Data(contentsOf: folder.appendingPathComponent("rules"))
        else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    override func handleNewFlow(_ flow: NEFilterFlow) -> NEFilterNewFlowVerdict {
        let host = Self.host(flow)
        switch host {
        case "allow.test": return .allow()
        case "drop.test": return .drop()
        case "peek.test":
            return .filterDataVerdict(
                withFilterInbound: true, peekInboundBytes: 4, filterOutbound: true, peekOutboundBytes: 3)
        case "inbound.test":
            return .filterDataVerdict(
                withFilterInbound: true, peekInboundBytes: 1024, filterOutbound: false, peekOutboundBytes: 0)
        case "greedy.test":
            return .filterDataVerdict(
                withFilterInbound: true, peekInboundBytes: .max, filterOutbound: false, peekOutboundBytes: 0)
        case "remedy.test":
            return .remediateVerdict(withRemediationURLMapKey: "page", remediationButtonTextMapKey: "button")
        case "append.test": return .urlAppendStringVerdict(withMapKey: "safe")
        case "reportdrop.test":
            let verdict = NEFilterNewFlowVerdict.drop()
            verdict.shouldReport = true
            return verdict
        case "report.test", "reportbytes.test":
            let verdict = NEFilterNewFlowVerdict.filterDataVerdict(
                withFilterInbound: true, peekInboundBytes: 4, filterOutbound: false, peekOutboundBytes: 0)
            verdict.shouldReport = true
            return verdict
        case "complete.test":
            return .filterDataVerdict(
                withFilterInbound: true, peekInboundBytes: .max, filterOutbound: true, peekOutboundBytes: .max)
        case "forget.test": return .pause()
        case "network.test": return .needRules()
        case "pause.test":
            let provider = self
            let paused = Paused(provider: provider, flow: flow)
            DispatchQueue.global().async {
                paused.provider.resumeFlow(paused.flow, with: NEFilterNewFlowVerdict.drop())
            }
            return .pause()
        case "hang.test":
            Glibc.sleep(1000)
            return .allow()
        case "crash.test": abort()
        case "confined.test":
            say(confinement())
            return .allow()
        case "rules.test", "control.test", "never.test":
            return rules.contains(host) ? .allow() : .needRules()
        default:
            say(
                "flow \(flow.url?.absoluteString ?? "none") \((flow as? NEFilterSocketFlow)?.remoteEndpoint?.description ?? "none") \(flow.direction)"
            )
            return .allow()
        }
    }

    private struct Paused: @unchecked Sendable {
        let provider: Filterer
        let flow: NEFilterFlow
    }

    /// Tries the network.
    static func network() -> String {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(9).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let code = errno
        if socket >= 0 { close(socket) }
        return socket < 0 || (connected < 0 && code != ECONNREFUSED) ? "no network" : "network"
    }

    /// Tries the network, and to write into the group's container.
    private func confinement() -> String {
        let network = Self.network()
        guard
            let folder = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.org.exthost.tests.filter")
        else { return "\(network), no group" }
        let file = folder.appendingPathComponent("written")
        let isWritten = (try? Data("x".utf8).write(to: file)) != nil
        return "\(network), group \(isWritten ? "writable" : "read only"), rules \(rules)"
    }

    override func handleInboundData(from flow: NEFilterFlow, readBytesStartOffset offset: Int, readBytes: Data)
        -> NEFilterDataVerdict
    {
        let text = String(decoding: readBytes, as: UTF8.self)
        switch Self.host(flow) {
        case "greedy.test", "complete.test": return NEFilterDataVerdict(passBytes: 0, peekBytes: .max)
        case "report.test":
            let verdict = NEFilterDataVerdict.allow()
            verdict.shouldReport = true
            return verdict
        case "reportbytes.test":
            let verdict = NEFilterDataVerdict.drop()
            verdict.shouldReport = true
            return verdict
        case "inbound.test":
            if text.contains("BAD") { return .drop() }
            return NEFilterDataVerdict(passBytes: readBytes.count, peekBytes: 1024)
        default:
            say("in \(offset) \(text)")
            if text == "stop" { return .drop() }
            // Six bytes pass, so two that it has not seen do, and then it wants four.
            if text == "skip" { return NEFilterDataVerdict(passBytes: 6, peekBytes: 4) }
            return text.count < 4 ? NEFilterDataVerdict(passBytes: 0, peekBytes: 4) : .init(passBytes: 4, peekBytes: 4)
        }
    }

    override func handleOutboundData(from flow: NEFilterFlow, readBytesStartOffset offset: Int, readBytes: Data)
        -> NEFilterDataVerdict
    {
        if Self.host(flow) == "complete.test" { return NEFilterDataVerdict(passBytes: 0, peekBytes: .max) }
        say("out \(offset) \(String(decoding: readBytes, as: UTF8.self))")
        return .allow()
    }

    override func handleOutboundDataComplete(for flow: NEFilterFlow) -> NEFilterDataVerdict {
        // This verdict asks for no report.
        .allow()
    }

    override func handleInboundDataComplete(for flow: NEFilterFlow) -> NEFilterDataVerdict {
        if Self.host(flow) == "complete.test" {
            let verdict = NEFilterDataVerdict.allow()
            verdict.shouldReport = true
            return verdict
        }
        say("in complete")
        return Self.host(flow) == "greedy.test" ? .drop() : .allow()
    }

    override func handleRulesChanged() { say("rules changed") }

    override func handleRemediation(for flow: NEFilterFlow) -> NEFilterRemediationVerdict {
        Self.host(flow) == "remedy.test" ? .allow() : .drop()
    }

    override func handle(_ report: NEFilterReport) {
        say("report \(report.event) \(report.action) \(report.bytesInboundCount) \(report.bytesOutboundCount)")
    }

    override func sleep(completionHandler: @escaping @Sendable () -> Void) {
        say("sleep")
        completionHandler()
    }

    override func wake() { say("wake") }
}

/// Writes the host of a flow into the rules.
final class Rules: NEFilterControlProvider {
    override func startFilter() async throws {
        remediationMap = [
            NEFilterProviderRemediationMapRemediationURLs: ["page": "https://rules.test/?a&b" as NSString],
            NEFilterProviderRemediationMapRemediationButtonTexts: ["button": "Ask <them>" as NSString],
        ]
        urlAppendStringMap = ["safe": "&safe=1"]
    }

    override func handleNewFlow(_ flow: NEFilterFlow) async -> NEFilterControlVerdict {
        let host = flow.url?.host ?? ""
        if host == "network.test" {
            displayMessage("control provider: \(Filterer.network())") { _ in }
            return .allow(withUpdateRules: false)
        }
        if host == "never.test" { return .updateRules() }
        if host == "control.test" { return .drop(withUpdateRules: false) }
        guard
            let folder = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.org.exthost.tests.filter")
        else { return .drop(withUpdateRules: false) }
        do {
            try Data(host.utf8).write(to: folder.appendingPathComponent("rules"))
        } catch { return .drop(withUpdateRules: false) }
        return .updateRules()
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
