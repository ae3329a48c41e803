// IBusFailureTests: keyboards that die or hang, daemons that restart, and a bus that lies, below exthost-ibus.

import EventLoop
import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite(.timeLimit(.minutes(3))) struct IBusFailureTests {
    // MARK: The keyboard

    // spec: KB-26
    @Test("KB-26: a killed keyboard leaves the keys to the program, and the next field begins another")
    func aKilledKeyboard() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus()
            #expect(try await stage.engine.type("abc") == "")
            let pid = try await stage.keyboard()
            kill(pid, SIGKILL)
            try await eventually { isGone(pid) }
            // None of these has an effect twice, whoever takes it.
            try await stage.engine.type("defg")
            #expect(try await stage.engine.type("h") == "h")
            #expect(await stage.engine.text == "abcdefgh")
            try await stage.engine.focus()
            #expect(try await stage.engine.type("abc") == "")
            #expect(await stage.engine.text == "abc")
            #expect(try await stage.keyboard() != pid)
        }
    }

    // spec: KB-26
    @Test("KB-26: the key in which a keyboard dies is the program's, and none of its edits remains")
    func aKeyThatKills() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus()
            try await stage.engine.type("a")
            #expect(try await !stage.engine.press(0x78))
            #expect(await stage.engine.text == "ax")
            #expect(try await stage.engine.type("b") == "b")
            try await stage.engine.focus("again ")
            #expect(try await stage.engine.type("b") == "")
            #expect(await stage.engine.text == "again b")
        }
    }

    // spec: KB-26
    @Test("KB-26: a keyboard that does not answer in time leaves the key to the program, and its late edit is nobody's")
    func aHangingKeyboard() async throws {
        try await IBusStage.with("DesktopViewController", ["--key-limit", "3s"]) { stage in
            try await stage.engine.focus()
            // The first keys may find a keyboard that still starts.
            var text = ""
            try await eventually {
                text += "a"
                return try await stage.engine.press(0x61)
            }
            let pid = try await stage.keyboard()
            kill(pid, SIGSTOP)
            try await eventually { isStopped(pid) }
            for letter in "bcde" { #expect(try await !stage.engine.press(UInt32(letter.asciiValue ?? 0))) }
            text += "bcde"
            #expect(await stage.engine.text == text)
            kill(pid, SIGCONT)
            // Its answers are too late, and then it serves again.
            try await eventually {
                text += "f"
                return try await stage.engine.press(0x66)
            }
            #expect(await stage.engine.text == text)
            // The keyboard knows what the program did with the other keys.
            try await stage.engine.move(to: text.count - 1)
            #expect(try await stage.engine.press(0x72))
            let known = text.dropLast()
            #expect(await stage.engine.text == "\(known)[\(known)|nil|f]f")
        }
    }

    // spec: KB-26
    @Test(
        "KB-26: a keyboard that does not answer for ten seconds is given up, and the next field begins another",
        .enabled(if: getenv("EXTHOST_LONG_TESTS") != nil, "Scripts/test --long runs it"))
    func aKeyboardThatNeverAnswers() async throws {
        try await IBusStage.with("DesktopViewController", ["--key-limit", "1s"]) { stage in
            try await stage.engine.focus()
            try await eventually { try await stage.engine.press(0x61) }
            let text = await stage.engine.text
            let pid = try await stage.keyboard()
            kill(pid, SIGSTOP)
            try await eventually { isStopped(pid) }
            #expect(try await stage.engine.type("bc") == "bc")
            try await stage.program.shows("has not answered for 10.0 seconds")
            // The daemon ends the process, which serves nothing any more.
            try await eventually { isGone(pid) }
            #expect(try await stage.engine.type("d") == "d")
            #expect(await stage.engine.text == text + "bcd")
            try await stage.engine.focus()
            try await eventually { try await stage.engine.press(0x61) }
            #expect(try await stage.keyboard() != pid)
        }
    }

    // spec: KB-26
    @Test("KB-26: no key is lost or doubled while the daemon is killed and followed by another")
    func aDaemonThatRestarts() async throws {
        let bundles = try IBusStage.bundles("DesktopViewController")
        let ibus = try await ScriptedIBus.start()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let (program, engine) = try await IBusStage.start(ibus, manager.address.path)
            try await engine.focus()
            let words = String(repeating: "abc dé", count: 30)
            let pieces = (0..<3).map { String(words.dropFirst($0 * 60).prefix(60)) }
            for (number, piece) in pieces.enumerated() {
                async let left = engine.type(piece)
                try await eventually { await engine.text.count >= number * 60 + 20 }
                manager.kill()
                #expect(try await left == "")
                try await eventually { manager.starts == number + 2 }
            }
            #expect(await engine.text == words)
            try program.end()
            #expect(try await program.ending().status == 0)
        }
        try await ibus.end()
    }

    // MARK: The bus

    // spec: KB-26
    @Test("KB-26: malformed and foreign calls are refused, and the engine serves on")
    func garbage() async throws {
        try await IBusStage.with { stage in
            let engine = stage.engine
            try await engine.focus("text")
            try await engine.type("a")
            func refuses(
                _ member: String, of interface: String = "org.freedesktop.IBus.Engine",
                _ write: @HostActor (BusMessage) throws(BusError) -> Void
            ) async {
                await #expect(throws: BusError.self, "\(member)") {
                    try await engine.call(member, of: interface, write)
                }
            }
            await refuses("ProcessKeyEvent") { call throws(BusError) in try call.append("a") }
            await refuses("ProcessKeyEvent") { _ in }
            await refuses("SetCapabilities") { call throws(BusError) in try call.append(Int32(-1)) }
            await refuses("FocusInId") { call throws(BusError) in try call.append("one") }
            await refuses("NoSuchMember") { _ in }
            await refuses("SetSurroundingText") { call throws(BusError) in
                // A variant with a plain text.
                try call.appendVariant("s") { value throws(BusError) in try value.append("text") }
                for value in [UInt32(0), 0] { try call.append(value) }
            }
            await refuses("SetSurroundingText") { call throws(BusError) in
                // Another type of IBus.
                try call.appendVariant("(sa{sv}sv)") { value throws(BusError) in
                    try value.appendStruct("sa{sv}sv") { members throws(BusError) in
                        try members.append("IBusSomething")
                        try members.appendArray("{sv}") { _ in }
                        try members.append("text")
                        try members.appendVariant("u") { value throws(BusError) in try value.append(UInt32(0)) }
                    }
                }
                for value in [UInt32(0), 0] { try call.append(value) }
            }
            for (cursor, anchor) in [(5, 0), (0, 5), (.max, .max)] as [(UInt32, UInt32)] {
                await #expect(throws: BusError.self) { try await engine.report("text", cursor, anchor) }
            }
            for name in ["Nonsense", "FocusId"] {
                await refuses("Set", of: "org.freedesktop.DBus.Properties") { call throws(BusError) in
                    try call.append("org.freedesktop.IBus.Engine")
                    try call.append(name)
                    try call.appendVariant("(uu)") { value throws(BusError) in
                        try value.appendStruct("uu") { pair throws(BusError) in
                            for value in [UInt32(8), 0] { try pair.append(value) }
                        }
                    }
                }
            }
            // A text without a bound: nothing is known of it, and it harms nobody.
            try await engine.report(String(repeating: "x", count: 3 << 20), 7, 7)
            #expect(try await engine.type("b") == "")
            // Another program of the bus owns no engine.
            let other = try await Program.ending(
                of: "/usr/bin/busctl",
                [
                    "--address=\(stage.ibus.address)", "call", stage.ibus.components[0].sender, engine.path,
                    "org.freedesktop.IBus.Engine", "ProcessKeyEvent", "uuu", "97", "30", "0",
                ])
            #expect(other.status != 0 && other.errors.contains("Access denied"), "\(other)")
            #expect(try await engine.type("c") == "")
            #expect(await engine.text == "textabc")
            // Names that are no engines.
            let sender = await stage.ibus.components[0].sender
            for name in [
                "", "libpinyin", "exthost-", "exthost-org.exthost.tests.none", String(repeating: "e", count: 4000),
            ] {
                await #expect(throws: BusError.self) { try await stage.ibus.engine(name, of: sender) }
            }
        }
    }

    // spec: KB-26
    @Test("KB-26: the signals have the types of IBus, as another program reads them")
    func types() async throws {
        try await IBusStage.with { stage in
            let monitor = try Program(
                "/usr/bin/busctl",
                [
                    "--address=\(stage.ibus.address)", "--json=short", "monitor",
                    "--match=type='signal',interface='org.freedesktop.IBus.Engine'",
                ])
            try await monitor.shows("Monitoring")
            try await stage.engine.focus()
            try await stage.engine.type("am")
            try await stage.engine.type("l")
            var payloads: [String] = []
            for await line in monitor.lines {
                guard let start = line.range(of: "\"payload\":"), !line.contains("RequireSurroundingText") else {
                    continue
                }
                payloads.append(String(line[start.upperBound...].dropLast()))
                if payloads.count == 5 { break }
            }
            let list = #"{"type":"(sa{sv}av)","data":["IBusAttrList",{},[]]}"#
            let text = #"{"type":"(sa{sv}sv)","data":["IBusText",{},"#
            #expect(payloads[0] == #"{"type":"v","data":["# + text + #""a","# + list + "]}]}")
            #expect(payloads[1].hasPrefix(#"{"type":"vubu","data":["# + text + #""nihon","#), "\(payloads[1])")
            #expect(
                payloads[1].contains(#"{"type":"(sa{sv}uuuu)","data":["IBusAttribute",{},1,1,0,5]}"#)
                    && payloads[1].contains(#"{"type":"(sa{sv}uuuu)","data":["IBusAttribute",{},1,2,3,5]}"#),
                "\(payloads[1])")
            #expect(payloads[1].hasSuffix(",5,true,1]}"), "\(payloads[1])")
            #expect(payloads[4] == #"{"type":"uuu","data":[65361,105,0]}"#)
        }
    }

    // spec: KB-26
    @Test("KB-26: IBus can start the program by its component, and asks for keyboards by name")
    func startedByIBus() async throws {
        let bundles = try IBusStage.bundles("DesktopViewController")
        let ibus = try await ScriptedIBus.start()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let program = try Program(
                IBusStage.path, ["--ibus", "--socket", daemon.address.path] + IBusStage.patient,
                environment: IBusStage.environment(["IBUS_ADDRESS": ibus.address]))
            try await program.shows("serves")
            let engine = try await ibus.engine("exthost-\(IBusStage.typist)", of: "org.exthost.IBus")
            try await engine.focus()
            #expect(try await engine.type("a") == "")
            #expect(await ibus.components.isEmpty)
            let xml = try await Program.ending(of: IBusStage.path, ["--xml", "--socket", daemon.address.path])
            #expect(xml.status == 0 && xml.output.contains("<name>exthost-\(IBusStage.typist)</name>"), "\(xml)")
            // The bus ends, and the program with it.
            try await ibus.end()
            let ending = try await program.ending()
            #expect(ending.status == 69 && ending.errors.contains("the connection to IBus has ended"), "\(ending)")
        }
    }

    // spec: KB-26
    @Test("KB-26: what is missing at the start is named with a remedy")
    func errors() async throws {
        let bundles = try IBusStage.bundles("DesktopViewController")
        try bundles.add("share", script: "#!/bin/sh\n")
        let ibus = try await ScriptedIBus.start()
        await ibus.refuse()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            func fails(
                _ arguments: [String], _ status: Int32, _ parts: String..., environment: [String: String] = [:]
            ) async throws {
                let ending = try await Program.ending(
                    of: IBusStage.path, ["--socket", daemon.address.path] + arguments,
                    environment: IBusStage.environment(environment))
                #expect(ending.status == status, "\(arguments): \(ending)")
                for part in parts { #expect(ending.errors.contains(part), "\(arguments): \(ending)") }
            }
            try await fails(
                [], 69, "there is no IBus address: /nonexistent/ibus/bus/", "Start ibus-daemon", "--address")
            try await fails(
                ["--address", "unix:path=/nonexistent"], 69, "there is no bus at unix:path=/nonexistent",
                "Start ibus-daemon")
            try await fails(["--address", "nonsense"], 69, "there is no bus at nonsense", "Start ibus-daemon")
            try await fails(
                [], 69, "IBus does not take the engines", "no components today",
                environment: ["IBUS_ADDRESS": ibus.address])
            try await fails(["org.none"], 66, "there is no extension org.none", "exthostctl list")
            try await fails(["org.exthost.tests.share"], 64, "is no keyboard", "com.apple.share-services")
            try await fails(["--key-limit", "1h"], 64, "10ms to 10s")
            try await fails(["--user"], 64, "omit --user")
        }
        let none = try await Program.ending(
            of: IBusStage.path, ["--socket", "/nonexistent"], environment: IBusStage.environment())
        #expect(none.status == 69 && none.errors.contains("no daemon answers at /nonexistent"), "\(none)")
        let empty = try TestBundles()
        try await withTestDaemon(applications: [empty.path]) { daemon in
            let ending = try await Program.ending(
                of: IBusStage.path, ["--socket", daemon.address.path, "--address", ibus.address],
                environment: IBusStage.environment())
            #expect(ending.status == 66 && ending.errors.contains("there is no keyboard"), "\(ending)")
        }
        try await ibus.end()
    }
}
