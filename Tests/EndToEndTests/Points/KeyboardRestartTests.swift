// KeyboardRestartTests: edits while the daemon is killed and another takes its place.

import ExtensionHost
import Foundation
import PointHosts
import Testing

@Suite struct KeyboardRestartTests {
    // spec: KB-1
    @Test("KB-1: edits that are on their way when the daemon is killed come once")
    func editsOnTheirWay() async throws {
        let bundles = try KeyboardTests.bundles()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let field = KeyboardHost(host, keyboard: KeyboardTests.typist)
            await field.focus()
            let wanted = (0..<1000).map { "\($0) " }.joined()
            for number in 1...3 {
                await field.setText("")
                let flood = Task { try await field.tap("flood") }
                try await eventually { await field.editCount > (number - 1) * 1000 }
                manager.kill()
                try await flood.value
                #expect(await field.text == wanted)
                #expect(await field.editCount == number * 1000)
                try await eventually { manager.starts == number + 1 }
            }
            withExtendedLifetime(host) {}
        }
    }
}
