// EveryPointTests: an extension without the calls of a framework, at each point that there is.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionPoints
import ExtensionProtocol
import Foundation
import PropertyListCoding
import Testing

@Suite struct EveryPointTests {
    /// Bundles with the puppet at a point, with the entitlement that the point asks for.
    private static func bundles(_ point: ExtensionPoint) throws -> TestBundles {
        let bundles = try TestBundles.withPuppet(
            point: point.identifier, rule: point.takesActivationRules ? "TRUEPREDICATE" : nil)
        if let entitlement = point.entitlement {
            let value: Any = entitlement.value.map { [$0] } ?? true
            try bundles.write(
                [entitlement.key: value], to: bundles.path + "/Tests.app/PlugIns/puppet.appex/Entitlements.plist")
        }
        return bundles
    }

    /// Makes a call by its name, and returns its error.
    private static func error(of name: String, _ request: ExtensionRequest) async -> ExtensionHostError? {
        await withCheckedContinuation { continuation in
            request.send(name, EncodedValue(plist: .dictionary([:])), CallPort.Options()) { answer in
                if case .failure(let error as ExtensionHostError) = answer {
                    continuation.resume(returning: error)
                } else {
                    continuation.resume(returning: nil)
                }
            }
        }
    }

    // spec: PC-26, PC-27
    @Test(
        "PC-26, PC-27: at each point an extension without the framework's calls lives and ends as at others",
        arguments: PointTable().points.map(\.identifier).sorted())
    func anExtensionWithoutTheFramework(identifier: String) async throws {
        let point = try #require(PointTable().points.first { $0.identifier == identifier })
        let bundles = try Self.bundles(point)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            // It completes a request, and is told of a cancelled one.
            let request = try await host.begin(puppet, items: [order("return", "x")])
            let outcome = await request.outcome
            #expect(try items(of: outcome).first?.userInfo?["argument"] as? String == "x")
            let cancelled = try await host.begin(puppet, items: [order("hang")])
            if let framework = point.framework {
                // Each call names what lacks, and the request goes on.
                // The extension of a set-up makes all calls itself.
                #expect(!(point.messages.accepts + point.messages.sends).isEmpty)
                for name in point.messages.accepts {
                    let error = await Self.error(of: name, cancelled)
                    #expect(error?.code == .frameworkMissing, "\(name): \(String(describing: error))")
                    #expect(error.map { "\($0.message) \($0.remedy ?? "")".contains(framework) } == true, "\(name)")
                }
            }
            try await cancelled.cancel()
            #expect(await cancelled.outcome.cause == .cancelledByHost)
            // Its end is that of its request.
            let killed = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(killed.processIdentifier)
            _ = try await daemon.control.kill(.pid(pid))
            #expect(await killed.outcome.cause == .terminatedByOperator)
            // Another process serves the next one, and ends when nobody needs it.
            let last = try await host.begin(puppet, items: [order("return", "y")])
            #expect(await last.outcome.kind == .completed)
            #expect(last.processIdentifier != pid)
            try await daemon.clock.advance(by: .seconds(3600))
            try await eventually { try await daemon.control.processes().isEmpty }
            let ends = try await daemon.control.exits().map(\.exit.cause)
            #expect(ends.last == .idle || ends.last == .completed, "\(ends)")
        }
    }
}
