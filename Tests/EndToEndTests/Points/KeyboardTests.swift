// KeyboardTests: custom keyboards and the text field that they type into (spec KB-1 to KB-28).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

@Suite struct KeyboardTests {
    static let typist = "org.exthost.tests.typist"

    /// The daemon, the host and the keyboard's output in one test.
    struct Stage {
        let daemon: TestDaemon
        let host: FakeHost
        let output: Output
        let field: KeyboardHost

        /// The lines that the keyboard has printed so far, and no test has read.
        func lines() async throws -> [String] {
            try await host.application.fence()
            return output.text.split(separator: "\n").map(String.init)
        }

        func lines(_ start: String) async throws -> [String] { try await lines().filter { $0.hasPrefix(start) } }

        func context() async -> [String?] {
            let mirror = await field.mirrors.last
            return [mirror?.before, mirror?.selected, mirror?.after]
        }

        /// A field with other keyboards, or other settings.
        func field(
            _ keyboards: [KeyboardHost.Keyboard] = [.custom(KeyboardTests.typist), .system], text: String = "",
            _ change: (inout KeyboardHost.Settings) -> Void = { _ in }
        ) -> KeyboardHost {
            var settings = KeyboardHost.Settings()
            change(&settings)
            return KeyboardHost(host.application, keyboards: keyboards, text: text, settings: settings)
        }
    }

    static func bundles(
        _ wish: String = "", principal: String = "TypistViewController", names: [String] = ["typist"],
        attributes: [String: Any] = [:]
    ) throws -> TestBundles {
        let bundles = try TestBundles()
        for name in names {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Typist", rule: nil,
                information: [
                    "TestWish": wish,
                    "NSExtension": [
                        "NSExtensionPointIdentifier": KeyboardHost.point,
                        "NSExtensionPrincipalClass": "Typist.\(principal)",
                        "NSExtensionAttributes": attributes,
                    ],
                ])
        }
        return bundles
    }

    static func withKeyboard(
        _ wish: String = "", principal: String = "TypistViewController", names: [String] = ["typist"],
        attributes: [String: Any] = [:], text: String = "", clock: TestDaemon.ClockKind = .virtual,
        arguments: [String] = [], _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try bundles(wish, principal: principal, names: names, attributes: attributes)
        try await withTestDaemon(applications: [bundles.path], clock: clock, arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let field = KeyboardHost(host.application, keyboard: typist, text: text)
            try await body(Stage(daemon: daemon, host: host, output: output, field: field))
        }
    }

    // MARK: Edits and the mirror

    // spec: KB-1
    @Test("KB-1: edits reach the text in the order of the calls, and return at once")
    func editsKeepTheirOrder() async throws {
        try await Self.withKeyboard(text: "Hello ") { stage in
            await stage.field.focus()
            try await stage.field.tap("many")
            #expect(await stage.field.text == "Hello one two !thre")
            #expect(await stage.field.selection == 15..<15)
            let kinds = await stage.field.edits.map(\.kind)
            #expect(kinds == Array(repeating: .insert, count: 5) + [.delete, .move, .insert])
            await stage.field.close()
            #expect(await stage.field.shown == nil)
        }
    }

    // spec: KB-1
    @Test("KB-1: a thousand edits in one turn come in order, none lost")
    func aFloodOfEdits() async throws {
        try await Self.withKeyboard { stage in
            await stage.field.focus()
            try await stage.field.tap("flood")
            #expect(await stage.field.text == (0..<1000).map { "\($0) " }.joined())
            #expect(await stage.field.editCount == 1000)
        }
    }

    // spec: KB-2
    @Test("KB-2: the mirror shows an own edit 33 ms after the host has it")
    func theMirrorLags() async throws {
        try await Self.withKeyboard(text: "Hello") { stage in
            await stage.field.focus()
            try await stage.field.tap("insert and look")
            try await stage.field.tap("look")
            #expect(await stage.field.text == "Hellox")
            try await stage.daemon.clock.advance(by: .milliseconds(32))
            try await stage.field.tap("look")
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            try await stage.field.tap("look")
            #expect(
                try await stage.lines().suffix(4) == [
                    "at once Hello|nil|nil", "look Hello|nil|nil", "look Hello|nil|nil", "look Hellox|nil|nil",
                ])
        }
    }

    // spec: KB-2
    @Test("KB-2: the delay is the host's")
    func theDelayIsTheHosts() async throws {
        try await Self.withKeyboard { stage in
            let field = stage.field(text: "a") { $0.lag = .seconds(1) }
            await field.focus()
            try await field.tap("b")
            try await stage.daemon.clock.advance(by: .milliseconds(999))
            try await field.tap("look")
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            try await field.tap("look")
            #expect(try await stage.lines("look") == ["look a|nil|nil", "look ab|nil|nil"])
        }
    }

    // spec: KB-3
    @Test("KB-3: two moves in one turn are both applied, though the mirror shows neither")
    func twoMovesInOneTurn() async throws {
        try await Self.withKeyboard(text: "abcd") { stage in
            await stage.field.focus()
            try await stage.field.tap("two moves")
            #expect(await stage.field.selection == 2..<2)
            #expect(try await stage.lines("after") == ["after two moves abcd|nil|nil"])
        }
    }

    // spec: KB-4
    @Test("KB-4: the mirror is cut at the paragraph and after 1,024 UTF-16 units")
    func theMirrorIsCut() async throws {
        try await Self.withKeyboard(text: "first\nsecond\nthird") { stage in
            await stage.field.focus()
            await stage.field.select(9..<9)
            #expect(await stage.context() == ["sec", nil, "ond"])
            await stage.field.select(6..<6)
            #expect(await stage.context() == [nil, nil, "second"])
            await stage.field.select(4..<8)
            #expect(await stage.context() == ["firs", "t\nse", "cond"])
            let long = String(repeating: "ab", count: 2000)
            await stage.field.setText(long)
            #expect(await stage.context() == [String(long.prefix(1024)), nil, nil])
            await stage.field.select(0..<0)
            #expect(await stage.context() == [nil, nil, String(long.prefix(1024))])
            // Whole characters count.
            await stage.field.setText(String(repeating: "👩‍👧", count: 300))
            #expect(await stage.context()[0]?.count == 204)
            await stage.field.setText("")
            #expect(await stage.context() == [nil, nil, nil])
            try await stage.field.tap("look")
            #expect(try await stage.lines("look") == ["look nil|nil|nil"])
        }
    }

    // spec: KB-5
    @Test("KB-5: a keyboard hears of others' changes and moves, and not of its own inserts")
    func othersChangesAreTold() async throws {
        try await Self.withKeyboard { stage in
            await stage.field.focus()
            let first = try await stage.lines().count
            try await stage.field.tap("a")
            try await stage.daemon.clock.advance(by: .milliseconds(33))
            await stage.field.setText("new")
            await stage.field.select(1..<2)
            #expect(
                try await stage.lines().dropFirst(first) == [
                    "textWillChange true a|nil|nil", "textDidChange true new|nil|nil", "selectionWillChange",
                    "textWillChange true new|nil|nil", "textDidChange true n|e|w", "selectionDidChange",
                ])
        }
    }

    // spec: KB-6
    @Test("KB-6: another text has another identifier and its own traits, and the keyboard hears of it")
    func anotherText() async throws {
        try await Self.withKeyboard(text: "one") { stage in
            await stage.field.focus()
            let first = await stage.field.documentIdentifier
            try await stage.field.tap("facts")
            var traits = KeysTraits()
            (traits.keyboard, traits.returnKey, traits.capitalization) = (.webSearch, .go, .allCharacters)
            traits.content = "url"
            await stage.field.focus("two", traits: traits)
            let second = await stage.field.documentIdentifier
            try await stage.field.tap("facts")
            #expect(
                try await stage.lines() == [
                    "viewDidLoad en-US", "textWillChange true one|nil|nil", "textDidChange true one|nil|nil",
                    "viewWillAppear", "facts false true 0 0 2 false none true", "document \(first)",
                    "textWillChange true one|nil|nil", "textDidChange true two|nil|nil",
                    "facts false true 10 1 3 false url true", "document \(second)",
                ])
            #expect(first != second)
        }
    }

    // spec: KB-7
    @Test("KB-7: marked text is replaced, its selected part by an insert, and unmarking keeps it")
    func markedText() async throws {
        try await Self.withKeyboard(text: "go ") { stage in
            await stage.field.focus()
            try await stage.field.tap("mark")
            #expect(await stage.field.text == "go nihon")
            #expect(await stage.field.selection == 6..<8)
            #expect(await stage.field.markedText == "nihon")
            try await stage.field.tap("mark again")
            #expect(await stage.field.text == "go 日本")
            #expect(await stage.field.markedText == "日本")
            try await stage.field.tap("unmark")
            #expect(await stage.field.text == "go 日本")
            #expect(await stage.field.markedText == nil)
            try await stage.field.tap("mark")
            try await stage.field.tap("a")
            #expect(await stage.field.text == "go 日本niha")
        }
    }

    // spec: KB-8
    @Test("KB-8: deleting takes one grapheme cluster, or the selection")
    func deleting() async throws {
        try await Self.withKeyboard(text: "ae\u{301}👩‍👧‍👦🇩🇪") { stage in
            await stage.field.focus()
            for text in ["ae\u{301}👩‍👧‍👦", "ae\u{301}", "a", "", ""] {
                try await stage.field.tap("delete")
                #expect(await stage.field.text == text)
            }
            await stage.field.setText("selected")
            await stage.field.select(1..<7)
            try await stage.field.tap("delete")
            #expect(await stage.field.text == "sd")
            #expect(await stage.field.selection == 1..<1)
        }
    }

    // spec: KB-9
    @Test("KB-9: a move counts UTF-16 units and stops at the ends")
    func moving() async throws {
        try await Self.withKeyboard(text: "a👩b") { stage in
            await stage.field.focus()
            for (key, place) in [
                ("move -1", 3), ("move -2", 1), ("move 100", 4), ("move -100", 0), ("move -1", 0), ("move 1", 1),
                // No half of a surrogate pair.
                ("move 1", 3), ("move -1", 1),
            ] {
                try await stage.field.tap(key)
                #expect(await stage.field.selection == place..<place, "\(key)")
            }
        }
    }
}
