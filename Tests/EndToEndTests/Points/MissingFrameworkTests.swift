// MissingFrameworkTests: extensions that are not linked with the framework of their point.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionPoints
import ExtensionProtocol
import Foundation
import PropertyListCoding
import Testing

@Suite struct MissingFrameworkTests {
    private static let points = PointTable().points.filter { $0.framework != nil }.map(\.identifier)

    /// Makes a call by its name, and returns its error.
    private func error(of name: String, _ request: ExtensionRequest) async -> ExtensionHostError? {
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
        "PC-26, PC-27: without the framework of its point an extension serves requests, and each call names what lacks",
        arguments: points)
    func eachCallNamesWhatLacks(identifier: String) async throws {
        let point = try #require(PointTable().points.first { $0.identifier == identifier })
        let framework = try #require(point.framework)
        let bundles = try TestBundles.withPuppet(point: identifier)
        if let entitlement = point.entitlement {
            let value: Any = entitlement.value.map { [$0] } ?? true
            try bundles.write(
                [entitlement.key: value], to: "\(bundles.path)/Tests.app/PlugIns/puppet.appex/Entitlements.plist")
        }
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("system")
            let request = try await host.begin(puppet, items: [order("return", "x")])
            #expect(await request.outcome.kind == .completed)
            let open = try await host.begin(puppet, items: [order("hang")])
            #expect(!point.messages.accepts.isEmpty)
            for name in point.messages.accepts {
                let error = await error(of: name, open)
                #expect(error?.code == .frameworkMissing, "\(name): \(String(describing: error))")
                #expect(error.map { "\($0.message) \($0.remedy ?? "")".contains(framework) } == true, "\(name)")
            }
            try await open.cancel()
            #expect(await open.outcome.kind == .cancelled)
        }
    }
}
