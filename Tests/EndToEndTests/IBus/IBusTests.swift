// IBusTests: keyboards in their own processes, which type into desktop programs over a bus of IBus (spec KB-26).

import ExtensionHostTesting
import Foundation
import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(3))) struct IBusTests {
    // MARK: Typing

    // spec: KB-26
    @Test("KB-26: words come in order, no letter lost or doubled, and keys without one are the program's")
    func words() async throws {
        try await IBusStage.with("LatinKeys") { stage in
            try await stage.engine.focus("Dear ")
            let words = "Dora, Who reads the Quick brown fox. no digits: "
            let left = try await stage.engine.type(words + "7")
            #expect(await stage.engine.text == "Dear " + words + "7")
            // The keyboard has no keys for these.
            #expect(left == ":7")
            // Two spaces are a full stop, which deletes the first one.
            #expect(try await stage.engine.type(" a  b\n") == "\n")
            #expect(await stage.engine.text == "Dear " + words + "7 a. b\n")
            #expect(await stage.engine.log.contains("delete -1 1"))
            let component = try #require(await stage.ibus.components.first)
            #expect(component.name == "org.exthost.IBus")
            let engine = try #require(component.engines.first)
            #expect(component.engines.count == 1 && engine.name == "exthost-org.exthost.tests.typist")
            #expect(engine.language == "en")
        }
    }

    // spec: KB-26
    @Test("KB-26: the key Return is the program's, after the edits that the keyboard makes before the line's end")
    func returnKey() async throws {
        try await IBusStage.with { stage in
            let engine = stage.engine
            // A field of one line does nothing to its text.
            try await engine.focus("line")
            try await engine.type("a")
            for symbol: UInt32 in [0xff0d, 0xff8d] { #expect(try await !engine.ask(symbol)) }
            try await engine.type("r")
            #expect(await engine.text == "linea[linea|nil|nil]")
            // A field of several lines has another one.
            try await engine.focus("line")
            #expect(try await engine.type("a\nb") == "\n")
            // The keyboard sees an edit some time after it.
            try await eventually {
                try await engine.type("r")
                return await engine.text.contains("[b")
            }
            #expect(await engine.text.hasPrefix("linea\nb["))
            try await engine.focus("go ")
            #expect(try await engine.type("m\n") == "\n")
            #expect(await engine.log.suffix(2) == ["mark  0 false 1", "commit nih"])
            #expect(await engine.text == "go nih\n")
            #expect(await !engine.log.contains { $0.hasPrefix("commit") && $0.hasSuffix("\n") })
        }
    }

    // spec: KB-26
    @Test("KB-26: keys that come at once keep their order, also beside keys of the program")
    func keysAtOnce() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus()
            let text = String(repeating: "abc;d ", count: 8)
            let answers = try await stage.engine.typeAhead(text)
            #expect(answers == text.map { $0 != ";" })
            #expect(await stage.engine.text == text)
        }
    }

    // spec: KB-26
    @Test("KB-26: a thousand edits of one key come in order, before its answer")
    func manyEdits() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus()
            #expect(try await stage.engine.ask(0x77))
            #expect(await stage.engine.text == (0..<1000).map { "\($0) " }.joined())
        }
    }

    // spec: KB-26
    @Test("KB-26: keys with Control, Alt or Super, arrows and releases are the program's")
    func keysOfThePrograms() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus()
            for state: UInt32 in [1 << 2, 1 << 3, 1 << 6] { #expect(try await !stage.engine.ask(0x61, state: state)) }
            for symbol: UInt32 in [0xff51, 0xff1b, 0xffe1] { #expect(try await !stage.engine.ask(symbol)) }
            #expect(try await !stage.engine.ask(0x61, state: 1 << 30))
            #expect(try await stage.engine.press(0x61, state: 1 << 4))
            #expect(await stage.engine.text == "a")
        }
    }

    // MARK: Deleting and moving

    // spec: KB-26
    @Test("KB-26: a deletion takes one character of the program's text, whatever it consists of")
    func deleting() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus("ae\u{301}👩‍👧")
            for text in ["ae\u{301}", "a", ""] {
                #expect(try await stage.engine.press(0xff08))
                #expect(await stage.engine.text == text)
            }
            #expect(
                await stage.engine.log.filter { $0.hasPrefix("delete") } == [
                    "delete -3 3", "delete -2 2", "delete -1 1",
                ])
            try await stage.engine.setText("abc")
            try await stage.engine.move(to: 1)
            try await stage.engine.type("de")
            #expect(try await stage.engine.press(0xff08))
            #expect(await stage.engine.text == "adbc")
            // Before the known text there may be more: the program knows, and takes the key itself.
            try await stage.engine.setText("")
            #expect(try await !stage.engine.press(0xff08))
            #expect(await !stage.engine.log.contains { $0.hasPrefix("key") })
        }
    }

    // spec: KB-26
    @Test("KB-26: a program that reports no text takes the key Backspace itself, and has no text of another one")
    func withoutReports() async throws {
        try await IBusStage.with { stage in
            // Of a program before that, there was a report.
            try await stage.engine.focus("another")
            try await stage.engine.type("a")
            await stage.engine.stopReporting()
            try await stage.engine.focus("old")
            try await stage.engine.type("r")
            #expect(await stage.engine.text == "old[nil|nil|nil]")
            try await stage.engine.focus("old")
            try await stage.engine.type("ab;c")
            #expect(try await !stage.engine.press(0xff08))
            #expect(await stage.engine.text == "oldab;")
            try await stage.engine.type("de")
            #expect(try await !stage.engine.press(0xff08))
            #expect(await stage.engine.text == "oldab;d")
            #expect(await !stage.engine.log.contains { $0.hasPrefix("key") })
            // The text of the first program is not that of a later one.
            _ = try await stage.engine.call("SetCapabilities") { call throws(BusError) in
                try call.append(UInt32(0b10_1001))
            }
            _ = try await stage.engine.call("FocusIn")
            try await stage.engine.type("r")
            #expect(await stage.engine.text.hasSuffix("[nil|nil|nil]"))
        }
    }

    // spec: KB-26
    @Test("KB-26: a keyboard moves the insertion point by keys, and its context follows the program")
    func moving() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus("one")
            try await stage.engine.type("l")
            #expect(await stage.engine.log.suffix(2) == ["key ff51 press", "key ff51 release"])
            try await stage.engine.type("d")
            #expect(await stage.engine.text == "onde")
            // The program changes its text itself.
            try await stage.engine.setText("corrected")
            try await stage.engine.type("r")
            #expect(await stage.engine.text == "corrected[corrected|nil|nil]")
            try await stage.engine.move(to: 2)
            try await stage.engine.type("r")
            #expect(await stage.engine.text.hasPrefix("co[co|nil|rrected[corrected|nil|nil]]rr"))
        }
    }

    // MARK: Marked text

    // spec: KB-26
    @Test("KB-26: marked text is shown beside the text, replaced, and committed")
    func markedText() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus("go ")
            try await stage.engine.type("m")
            #expect(await stage.engine.log.last == "mark nihon 5 true 1")
            #expect(await stage.engine.text == "go nihon")
            try await stage.engine.type("j")
            #expect(await stage.engine.text == "go 日本")
            try await stage.engine.type("u")
            #expect(await stage.engine.log.suffix(2) == ["mark  0 false 1", "commit 日本"])
            try await stage.engine.type("ma")
            #expect(await stage.engine.text == "go 日本niha")
            try await stage.engine.type("j")
            #expect(try await stage.engine.press(0xff08))
            #expect(await stage.engine.text == "go 日本niha日")
            #expect(await stage.engine.marked == "")
            // IBus commits marked text when it resets the field, and the keyboard goes on after it.
            try await stage.engine.type("j")
            await stage.engine.commitMarked()
            _ = try await stage.engine.call("Reset")
            try await stage.engine.type("d")
            #expect(await stage.engine.text == "go 日本niha日日本d")
        }
    }

    // spec: KB-26
    @Test("KB-26: marked text is committed before a key of the program, and a modifier leaves it")
    func markedTextBeforeAKey() async throws {
        try await IBusStage.with { stage in
            let engine = stage.engine
            try await engine.focus("go ")
            #expect(try await engine.type("m;") == ";")
            #expect(await engine.text == "go nihon;")
            try await engine.type("r")
            #expect(await engine.text == "go nihon;[go nihon;|nil|nil]")
            try await engine.focus("go ")
            try await engine.type("m")
            #expect(try await !engine.ask(0xffe1))
            #expect(await engine.marked == "nihon")
            #expect(try await !engine.ask(0x61, state: 1 << 2))
            #expect(await engine.log.suffix(2) == ["mark  0 false 1", "commit nihon"])
            #expect(await engine.marked == "")
        }
    }

    // spec: KB-26
    @Test("KB-26: a key that marks text while IBus resets the field leaves no marked text behind")
    func resetDuringAKey() async throws {
        try await IBusStage.with { stage in
            let engine = stage.engine
            try await engine.focus("go ")
            try await engine.type("a")
            let pid = try await stage.keyboard()
            kill(pid, SIGSTOP)
            try await eventually { isStopped(pid) }
            await engine.send(0x6d)
            // The key is the keyboard's after these.
            for _ in 0..<3 { _ = try await engine.call("PageUp") }
            _ = try await engine.call("Reset")
            kill(pid, SIGCONT)
            try await eventually {
                let (log, marked) = await (engine.log, engine.marked)
                return log.contains("mark nihon 5 true 1") && log.contains("commit nihon") && marked.isEmpty
            }
            #expect(await engine.text == "go anihon")
            try await engine.report()
            try await engine.type("r")
            #expect(await engine.text == "go anihon[go anihon|nil|nil]")
        }
    }

    // MARK: Focus, and secrets

    // spec: KB-26
    @Test("KB-26: a focus that follows another at once has its own text")
    func twoFocuses() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus()
            try await stage.engine.focus("b")
            try await stage.engine.type("r")
            #expect(await stage.engine.text == "b[b|nil|nil]")
            for number in 0..<20 {
                try await stage.engine.focus("a\(number)")
                try await stage.engine.focus("b\(number)")
                try await stage.engine.type("r")
                #expect(await stage.engine.text == "b\(number)[b\(number)|nil|nil]")
            }
        }
    }

    // spec: KB-26
    @Test("KB-26: the keyboard gets no key and no text of a password, and serves the next field again")
    func secrets() async throws {
        try await IBusStage.with { stage in
            try await stage.engine.focus("plain")
            try await stage.engine.type("a")
            let pid = try await stage.keyboard()
            for purpose: UInt32 in [8, 9, 4] {
                try await stage.engine.focus("", purpose: purpose)
                #expect(try await stage.engine.type("secret") == "secret")
                #expect(await stage.engine.text == "secret")
                // The same field changes its kind.
                try await stage.engine.setContent(0)
                try await eventually { try await stage.engine.press(0x72) }
                #expect(await stage.engine.text.hasSuffix("[nil|nil|nil]"))
                try await stage.engine.setContent(purpose)
                #expect(try await stage.engine.type("more") == "more")
                try await stage.engine.focus("next")
                #expect(try await stage.engine.type("r") == "")
                #expect(await stage.engine.text == "next[next|nil|nil]")
            }
            // A hidden text is a secret without the purpose of one.
            try await stage.engine.focus("", hints: 1 << 12)
            #expect(try await stage.engine.type("secret") == "secret")
            try await stage.engine.setContent(0)
            try await eventually { try await stage.engine.press(0x72) }
            #expect(await stage.engine.text.hasSuffix("[nil|nil|nil]"))
            #expect(try await stage.keyboard() == pid)
            // The kind of a text is that of the program.
            try await stage.engine.focus("", purpose: 6)
            try await stage.engine.type("k")
            #expect(await stage.engine.text == "[7]")
        }
    }

    // spec: KB-26
    @Test("KB-26: without the focus keys are the program's, and the session waits for the next field")
    func focus() async throws {
        try await IBusStage.with { stage in
            #expect(try await !stage.engine.ask(0x61))
            #expect(try await stage.daemon.control.processes().isEmpty)
            // IBus's own field, for a desktop without a focused one.
            _ = try await stage.engine.focusFake()
            #expect(try await !stage.engine.ask(0x61))
            #expect(try await stage.daemon.control.processes().isEmpty)
            try await stage.engine.focus()
            #expect(try await stage.engine.type("a") == "")
            let requests = try await stage.daemon.control.requests().map(\.request)
            _ = try await stage.engine.call("FocusOut")
            #expect(try await !stage.engine.ask(0x61))
            try await stage.engine.focus("b")
            #expect(try await stage.engine.type("c") == "")
            #expect(try await stage.daemon.control.requests().map(\.request) == requests)
            _ = try await stage.engine.call("Disable")
            #expect(try await !stage.engine.ask(0x61))
            try await eventually { try await stage.daemon.control.requests().isEmpty }
            _ = try await stage.engine.call("Enable")
            #expect(try await stage.engine.type("a") == "")
            // A keyboard that asks for the next one leaves the keys to the program until the next field.
            try await stage.engine.type("n")
            try await eventually { try await stage.daemon.control.requests().isEmpty }
            #expect(try await stage.engine.type("a") == "a")
            try await stage.engine.focus()
            #expect(try await stage.engine.type("a") == "")
            _ = try await stage.engine.call("Destroy", of: "org.freedesktop.IBus.Service")
            try await eventually { try await stage.daemon.control.requests().isEmpty }
            await #expect(throws: (any Error).self) { try await stage.engine.ask(0x61) }
        }
    }
}
