// KeyboardRestartTests: keystrokes while the daemon is killed and another takes its place.

import ExtensionHost
import Foundation
import PointHosts
import Testing

@Suite struct KeyboardRestartTests {
    /// `EXTHOST_LONG_TESTS=1` types ten thousand characters over twenty daemons.
    private static let isLong = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil

    // spec: KB-1
    @Test("KB-1: no keystroke is lost or doubled while the daemon is killed and followed by another")
    func keystrokesOverRestarts() async throws {
        let (count, kills) = Self.isLong ? (10_000, 20) : (600, 3)
        let bundles = try KeyboardTests.bundles()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let field = KeyboardHost(host, keyboard: KeyboardTests.typist)
            await field.focus()
            let request = try #require(await field.request)
            let words = String(repeating: "abc éa", count: count / 6 + 1).prefix(count)
            let killing = Task {
                for number in 1...kills {
                    try await eventually { await field.editCount >= number * count / (kills + 1) }
                    manager.kill()
                    try await eventually { manager.starts == number + 1 }
                }
            }
            try await field.type(String(words))
            try await killing.value
            #expect(await field.text == String(words))
            #expect(await field.editCount == count)
            #expect(await field.request === request)
            #expect(manager.starts == kills + 1)
            await field.close()
            withExtendedLifetime(host) {}
        }
    }

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
