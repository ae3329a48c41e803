// AppProtocolTests: apps that speak to the daemon by the protocol's page, keep to it or not.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Testing

@Suite struct AppProtocolTests {
    /// As docs/protocol.md, section 3.1, says; its arguments are its role, what it answers and, if not 1.1, its
    /// version.
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


        version = sys.argv[3] if len(sys.argv) > 3 else "1.1"
        send(0x0001, {"minimum": version, "maximum": version, "role": sys.argv[1], "sdk": "python",
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

            for (number, (role, act)) in [("extension", "success"), ("host", "success"), ("app", "complete")]
                .enumerated()
            {
                let broken = await #expect(throws: ExtensionHostError.self) {
                    try await daemon.control.openApp(at: bundles.app, for: url, arguments: [role, act])
                }
                #expect(broken?.code == .interrupted, "\(role) \(act)")
                try await eventually {
                    try await daemon.control.exits().count { $0.exit.cause == .protocolViolation } == number + 1
                }
                #expect(try await daemon.control.processes().isEmpty)
            }
        }
    }

    @Test func anAppOfAVersionThatKnowsNoAppsIsToldSo() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: Self.speaker)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let error = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.openApp(
                    at: bundles.app, for: .url("notebook://a"), arguments: ["app", "success", "1.0"])
            }
            #expect(error?.code == .interrupted)
            try await eventually { try await daemon.control.exits().last?.exit.cause == .protocolViolation }
            #expect(try await daemon.control.status().detail?.code == .versionMismatch)
        }
    }

    /// It is its own affair, but it hears nothing more.
    @Test func anAppThatClosesItsConnectionLivesOn() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: Self.speaker)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let opened = try await daemon.control.openApp(at: bundles.app, arguments: ["app", "close"])
            // No time passes: it is not waited for.
            for reason in [AppReason.url("notebook://a"), .url("notebook://b"), .opened] {
                let error = await #expect(throws: ExtensionHostError.self) {
                    try await daemon.control.openApp(at: bundles.app, for: reason)
                }
                #expect(
                    error?.code == .interrupted && error?.message.contains("connection is lost") == true, "\(reason)")
            }
            #expect(try await daemon.control.processes().map(\.pid) == [opened.pid])
        }
    }
}
