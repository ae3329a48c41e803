// TunnelStage: the host of packet tunnels of one test.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages
import Scenarios

/// The packet tunnel of one test.
final class TunnelStage: Sendable {
    private let host: HostApplication
    private let tunnel: TunnelHost
    private let configuration: TunnelConfiguration
    private let arrivals = Mutex<[[UInt8]]>([])

    init(_ host: HostApplication, _ identifier: String) {
        self.host = host
        tunnel = TunnelHost(host)
        var configured = TunnelProtocol(provider: identifier)
        configured.serverAddress = "192.0.2.1"
        configuration = TunnelConfiguration("test", configured)
        tunnel.packets.onPackets { [weak self] packets in self?.arrivals.withLock { $0 += packets } }
    }

    /// Performs a step. A failure of the provider is its result.
    ///
    /// - Parameter folder: the folder to which the path of a file is relative.
    func perform(_ step: TunnelStep, in folder: String) async throws -> TunnelAnswer {
        do {
            switch step {
            case .start(let options):
                try await tunnel.start(configuration, options: try TunnelSteps.options(options))
                let settings = await tunnel.settings.map { TunnelSteps.json(of: $0) }
                return TunnelAnswer(result: .connected, members: [("settings", settings ?? .null)])
            case .stop:
                await tunnel.stop()
                return TunnelAnswer(
                    result: .stopped,
                    members: [
                        ("packets", TunnelSteps.json(of: tunnel.packets.counters)),
                        ("remarks", .array(await tunnel.remarks.map { .string($0) })),
                    ])
            case .send(let text):
                let isRelative = text.hasPrefix("@") && !text.hasPrefix("@/")
                let packets = try TunnelSteps.packets(isRelative ? "@\(folder)/\(text.dropFirst())" : text)
                let before = arrivals.withLock { $0.count }
                for start in stride(from: 0, to: packets.count, by: 512) {
                    await tunnel.packets.waitForRoom()
                    tunnel.packets.send(Array(packets[start..<min(start + 512, packets.count)]))
                }
                try await host.fence()
                let found = arrivals.withLock { Array($0[before...]) }
                return TunnelAnswer(
                    result: found.isEmpty ? .nothing : .answered,
                    members: [
                        ("count", .integer(found.count)),
                        ("answers", .array(found.prefix(100).map { .string(InternetPacket.summary(of: $0)) })),
                        ("packets", TunnelSteps.json(of: tunnel.packets.counters)),
                    ])
            case .message(let text):
                let reply = try await tunnel.send(Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
                return TunnelAnswer(
                    result: reply == nil ? .nothing : .answered, members: [("reply", .optional(reply))])
            }
        } catch let error as CommandError {
            throw error
        } catch {
            let failure = error as NSError
            let reason = (error as? ExtensionHostError)?.message ?? failure.localizedDescription
            return TunnelAnswer(
                result: .failed,
                members: [
                    ("domain", .string(failure.domain)), ("code", .integer(failure.code)), ("reason", .string(reason)),
                ], why: reason)
        }
    }
}

/// The result of a step with a tunnel, for scenarios.
struct TunnelAnswer: Sendable {
    let result: PointResult
    let members: [(name: String, value: JSON)]
    var why: String?
}
