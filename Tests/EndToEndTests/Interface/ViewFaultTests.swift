// ViewFaultTests: extensions that show what is no view, or do not answer what a person does.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

private let showy = "org.exthost.tests.showy"

@Suite struct ViewFaultTests {
    /// An extension in Python of protocol 1.1 that runs `begun` when a request has begun, and `acted` for each act.
    private func bundles(begun: String = "pass", acted: String = "pass") throws -> TestBundles {
        let script = """
            #!/usr/bin/env python3
            import exthost

            class Showy(exthost.Extension):
                def handle(self, packet):
                    if packet.kind == 0x232:
                        \(acted)
                    elif packet.kind == 0xfe:
                        self.show(self.request, 2, {"kind": "label", "text": "after"})
                    else:
                        super().handle(packet)

                def show(self, request, sequence, view):
                    self.connection.send(0x231, {"request": request, "sequence": sequence}, view)

                def begun(self, context):
                    self.request = context.request
                    \(begun)

            showy = Showy(lambda context: showy.begun(context))
            showy.run()
            """
        let bundles = try TestBundles()
        try bundles.add(
            "showy", script: script, beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")]
        )
        return bundles
    }

    @Test func whatIsNoViewIsNotShownAndTheNextIs() async throws {
        let bundles = try bundles(begun: #"self.show(context.request, 1, {"kind": 1})"#)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(showy, items: [.text("x")])
            #expect(await request.view { _ in true }?.text == "after")
            try await request.cancel()
        }
    }

    @Test func anAnswerThatIsNoneEndsTheExtension() async throws {
        let bundles = try bundles(acted: #"self.connection.send(0x2b2, {}, {"kind": "view"}, answers=packet.serial)"#)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(showy, items: [.text("x")])
            // Its error, or that the request has ended by it.
            _ = try? await request.use(.post)
            #expect(await request.outcome.cause == .protocolViolation)
        }
    }

    /// Of many at once some come before the answer to the one before, however fast the host is.
    @Test func viewsAheadOfTheirAnswersEndTheExtension() async throws {
        let bundles = try bundles(
            begun: #"for number in range(1, 31): self.show(context.request, number, {"kind": "label", "text": "x"})"#)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(showy, items: [.text("x")])
            #expect(await request.outcome.cause == .protocolViolation)
            #expect(await request.explanation?.message.contains("showView") == true)
        }
    }

    @Test func actsThatWaitAreBoundedAndEndWithTheirRequest() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(showy, items: [.text("x")])
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<17 {
                    group.addTask {
                        do {
                            return try await request.use(.post) == nil
                        } catch let error as ExtensionHostError where error.code == .quotaExceeded {
                            // The one too many: now it is known that the others wait.
                            try await request.cancel()
                            return false
                        }
                    }
                }
                var ended = 0
                for try await hasEnded in group { ended += hasEnded ? 1 : 0 }
                #expect(ended == 16)
            }
            #expect(await request.outcome.cause == .cancelledByHost)
            let error = await #expect(throws: ExtensionHostError.self) { try await request.use(.post) }
            #expect(error?.code == .noSuchRequest)
        }
    }

    // not simulated: N-045
    @Test(arguments: ["1.0", "1.1"]) func aKitWithoutViewsHasNone(version: String) async throws {
        let bundles = try TestBundles()
        let kit = try TestBundles.source("Sources/Samples/Python/exthost.py")
        let other = kit.replacing(#""maximum": "1.2""#, with: #""maximum": "\#(version)""#)
        try #require(other != kit)
        let script = "#!/usr/bin/env python3\nimport exthost\nexthost.run(lambda context: None)"
        try bundles.add("hang", script: script, beside: ["exthost.py": other])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.hang", items: [.text("x")])
            let error = await #expect(throws: ExtensionHostError.self) { try await request.use(.post) }
            #expect(error?.code == .notSimulated)
            try await request.cancel()
        }
    }
}
