// CallBench: calls there and back, beside loads of an item of the same size, as the extension's clock times them.

import EchoCalls
import ExtensionHostTesting
import Foundation

struct CallBench {
    let program: String
    let rounds: Int
    /// The size of the value in each direction that has one.
    static let size = 1024

    func run() async throws {
        let applications = try BenchApplications(program: program, kind: .calls)
        defer { applications.remove() }
        let bytes = (0..<Self.size).map { UInt8(truncatingIfNeeded: $0) }
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
            answer(Data(bytes), nil)
            return nil
        }
        let item = NSExtensionItem.order(["wait": true])
        item.attachments = [provider]
        try await withTestDaemon(applications: [applications.path], arguments: applications.points) { daemon in
            let host = try await daemon.host("bench")
            var handlers = PointHandlers()
            handlers.on(FetchBytes.self) { _, _ in FetchBytes.Reply(bytes: bytes) }
            let request = try await host.begin(applications.identifiers[0], items: [item], handling: handlers)
            try await request.call(TimeCalls(rounds: 50))
            let times = try await request.call(TimeCalls(rounds: rounds))
            printSamples("call", "us", times.calls)
            printSamples("load", "us", times.loads)
            try await request.cancel()
        }
    }
}
