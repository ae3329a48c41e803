// AppProtocolTests: apps that speak to the daemon by the protocol's page, keep to it or not.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Testing

@Suite struct AppProtocolTests {
    /// As docs/protocol.md, section 3.1, says; its arguments are its role and what it answers.
    private static let speaker = """
        #!/usr/bin/env python3
        import os, plistlib, signal, socket, struct, sys

        door = socket.socket(fileno=int(os.environ["EXTHOST_APP_FD"]))
        door.setblocking(True)
        serial = 0


        def send(kind, body, answers=0):
            global serial
            serial += 1
            data = plistlib.dumps(body, fmt=plistlib.FMT_BINARY)
            door.send(struct.pack("<HHIII", kind, 0, len(data), serial, answers) + data)


        def receive():
            packet = door.recv(65552)
            if not packet:
                sys.exit(9)
            kind, _, _, number, _ = struct.unpack("<HHIII", packet[:16])
            return kind, number, plistlib.loads(packet[16:])


        send(0x0001, {"minimum": "1.1", "maximum": "1.1", "role": sys.argv[1], "sdk": "python",
                      "limits": {"packets": 64, "bytes": 524288}})
        while True:
            kind, number, body = receive()
            if kind == 0x0081:
                print("welcome", body["execution"]["identifier"], flush=True)
            if kind != 0x0401:
                continue
            print(body["reason"], body.get("url", "-"), flush=True)
            if sys.argv[2] == "success":
                send(0x00FE, {}, number)
            elif sys.argv[2] == "error":
                send(0x00FF, {"code": 3, "message": "not today"}, number)
            elif sys.argv[2] == "close":
                door.close()
                signal.pause()
            else:
                send(0x0211, {"request": "6BA7B810-9DAD-41D1-80B4-00C04FD430C8", "work": False})

        """

    @Test func anAppInAnotherLanguageSpeaksTheProtocolAndOneThatBreaksItIsKilled() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: Self.speaker)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let url = AppReason.url("notebook://a")
            let first = try await launch(bundles, daemon, for: url, ["app", "success"])
            try await eventually { first.output.text == "welcome \(notebook)\nurl notebook://a\n" }
            try await daemon.control.closeApp(notebook)
            #expect(try await first.app.ending?.signal == Int(SIGTERM))

            let refused = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.openApp(at: bundles.app, for: url, arguments: ["app", "error"])
            }
            #expect(refused?.code == .notPermitted && refused?.message == "not today")
            // It lives on, as the user's word has not been taken back.
            _ = try await daemon.control.kill(.identifier(notebook))

            for (role, act) in [("extension", "success"), ("host", "success"), ("app", "complete")] {
                let broken = await #expect(throws: ExtensionHostError.self) {
                    try await daemon.control.openApp(at: bundles.app, for: url, arguments: [role, act])
                }
                #expect(broken?.code == .interrupted, "\(role) \(act)")
                try await eventually { try await daemon.control.exits().last?.exit.cause == .protocolViolation }
                #expect(try await daemon.control.processes().isEmpty)
            }
        }
    }

    /// It is its own affair, but it hears nothing more.
    @Test func anAppThatClosesItsConnectionLivesOn() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: Self.speaker)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let opened = try await daemon.control.openApp(at: bundles.app, arguments: ["app", "close"])
            try await daemon.event { $0.event == "process.output" && $0.detail?.hasPrefix("stdout") == true }
            let url = Task { try await daemon.control.openApp(at: bundles.app, for: .url("notebook://a")) }
            try await daemon.event { $0.event == "app.opened" && $0.detail == "url, scheme notebook" }
            try await daemon.clock.advance(by: .seconds(11))
            let error = await #expect(throws: ExtensionHostError.self) { try await url.value }
            #expect(error?.code == .timedOut)
            #expect(try await daemon.control.processes().map(\.pid) == [opened.pid])
        }
    }
}
