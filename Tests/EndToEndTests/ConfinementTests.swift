// ConfinementTests: extensions that a daemon confines: they serve as before, the layers are told, and what they are refused is an event.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite(.disabled(if: isSanitized, "a sanitizer has threads and calls of its own")) struct ConfinementTests {
    @Test func aSampleServesAsBeforeAndTheLayersAreTold() async throws {
        try await withTestDaemon(applications: [try samples()], arguments: ["--sandbox", "best"]) { daemon in
            let status = try await daemon.control.status()
            #expect(status.sandbox != "none", "this machine has none of the layers")
            let host = try await daemon.host("notes")
            for sample in ["share", "python", "share"] {
                let request = try await host.begin("org.exthost.samples.\(sample)", items: [.url("https://example.org")])
                guard case .completed = await request.outcome else {
                    Issue.record("\(sample): \(await request.outcome)")
                    continue
                }
            }
            #expect(try await daemon.events().allSatisfy { $0.event != "access.refused" })
        }
    }

    @Test func withoutBeingAskedNothingIsConfined() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let status = try await daemon.control.status()
            #expect(status.sandbox == "none")
        }
    }

    @Test func whatAnExtensionIsRefusedIsAnEventThatSaysWhatWouldAllowIt() async throws {
        let bundles = try TestBundles()
        // It says no hello; what it is refused is known all the same.
        let script = """
            #!/usr/bin/python3
            import os, socket
            try: socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            except PermissionError: open(os.path.expanduser("~/refused"), "w").close()
            """
        try bundles.add("curious", script: script)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--sandbox", "best"]) { daemon in
            guard try await daemon.control.status().sandbox.contains("seccomp") else { return }
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.curious", items: [.text("x")])
            #expect(await request.outcome.cause == .exitedEarly)
            let told = try await daemon.event { $0.event == "access.refused" }
            #expect(told.extensionIdentifier == "org.exthost.tests.curious")
            #expect(told.detail?.hasPrefix("seccomp refused socket (AF_INET SOCK_STREAM)") == true, "\(told)")
            #expect(told.detail?.contains("com.apple.security.network.client") == true)
        }
    }
}
