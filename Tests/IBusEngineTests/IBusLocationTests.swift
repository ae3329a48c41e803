// IBusLocationTests: the address of IBus, from the environment and from its file.

import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

@testable import IBusEngine

/// The folder of each test is removed with the suite's instance.
@Suite final class IBusLocationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-ibus") }

    deinit { try? folder.remove() }

    private func location(_ environment: [String: String]) throws -> IBusLocation {
        let machine = folder.path + "/machine-id"
        try "0123\n".write(toFile: machine, atomically: true, encoding: .utf8)
        return IBusLocation(machineFiles: ["/nonexistent", machine]) { environment[$0] }
    }

    @Test func theFileIsThatOfTheDisplay() throws {
        for (variables, file) in [
            (["HOME": "/h"], "/h/.config/ibus/bus/0123-unix-0"),
            (["HOME": "/h", "DISPLAY": ":7.1"], "/h/.config/ibus/bus/0123-unix-7"),
            (["HOME": "/h", "DISPLAY": "far:2"], "/h/.config/ibus/bus/0123-far-2"),
            (
                ["HOME": "/h", "DISPLAY": ":7", "WAYLAND_DISPLAY": "wayland-1"],
                "/h/.config/ibus/bus/0123-unix-wayland-1"
            ),
            (["HOME": "/h", "XDG_CONFIG_HOME": "/c"], "/c/ibus/bus/0123-unix-0"),
            (["IBUS_ADDRESS_FILE": "/f"], "/f"),
        ] {
            #expect(try location(variables).file == file)
        }
        #expect(try location([:]).file == nil)
    }

    @Test func theAddressIsThatOfADaemonThatRuns() throws {
        let file = folder.path + "/file"
        func address(_ text: String) throws -> String {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            return try location(["IBUS_ADDRESS_FILE": file]).address()
        }
        #expect(try location(["IBUS_ADDRESS": "unix:path=/x"]).address() == "unix:path=/x")
        let good = "# comment\nIBUS_ADDRESS=unix:abstract=/tmp/dbus-1,guid=2\nIBUS_DAEMON_PID=\(getpid())\n"
        #expect(try address(good) == "unix:abstract=/tmp/dbus-1,guid=2")
        for (text, part) in [
            ("", "no line IBUS_ADDRESS"), ("IBUS_ADDRESS=\nIBUS_DAEMON_PID=1\n", "no line IBUS_ADDRESS"),
            ("IBUS_ADDRESS=unix:path=/x\n", "does not run"),
            ("IBUS_ADDRESS=unix:path=/x\nIBUS_DAEMON_PID=2147483647\n", "does not run"),
            ("IBUS_ADDRESS=unix:path=/x\nIBUS_DAEMON_PID=-1\n", "does not run"),
            (String(repeating: "x", count: 10_000), "cannot be read"),
        ] {
            let error = try #require(throws: ExtensionHostError.self) { try address(text) }
            #expect(error.code == .serviceUnavailable && error.message.contains(part), "\(error)")
            #expect(error.description.contains("--address"))
        }
        let missing = try #require(throws: ExtensionHostError.self) {
            try location(["IBUS_ADDRESS_FILE": "/nonexistent"]).address()
        }
        #expect(missing.message.contains("/nonexistent cannot be read"))
        #expect(throws: ExtensionHostError.self) { try location([:]).address() }
    }
}

@Suite struct IBusComponentTests {
    @Test func enginesAreWrittenAsXML() {
        let engine = IBusComponent.Engine(keyboard: "org.a", title: "<&\u{1}>", language: "de-DE")
        let xml = IBusComponent(engines: [engine]).xml
        #expect(xml.hasPrefix("<engines>\n  <engine>\n    <name>exthost-org.a</name>\n"))
        #expect(xml.contains("<longname>&lt;&amp;&gt;</longname>") && xml.contains("<language>de</language>"))
        #expect(IBusComponent.Engine(keyboard: "a", title: "", language: "\u{301}").language == "other")
        #expect(IBusComponent.Engine.keyboard(of: "exthost-org.a") == "org.a")
        #expect(IBusComponent.Engine.keyboard(of: "libpinyin") == nil)
        #expect(engine.values.count == 16)
    }
}
