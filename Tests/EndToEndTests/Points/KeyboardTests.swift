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

    // MARK: Which keyboard is shown

    // spec: KB-10
    @Test("KB-10: secure fields and phone pads have the system's keyboard, and the next field has the custom one again")
    func secureFields() async throws {
        try await Self.withKeyboard { stage in
            await stage.field.focus()
            try await stage.field.tap("a")
            for keyboard in [KeysTraits.Keyboard.default, .phonePad, .namePhonePad] {
                var traits = KeysTraits()
                (traits.keyboard, traits.isSecure) = (keyboard, keyboard == .default)
                let pid = try #require(await stage.field.request?.processIdentifier)
                await stage.field.focus("", traits: traits)
                #expect(await stage.field.shown == .system)
                await #expect(throws: ExtensionHostError.self) { try await stage.field.tap("a") }
                try await stage.field.type("secret")
                #expect(await stage.field.text == "secret")
                #expect(try await stage.lines().last == "viewDidDisappear")
                await stage.field.focus("plain")
                #expect(await stage.field.shown == .custom(Self.typist))
                #expect(try await stage.lines().last == "viewWillAppear")
                #expect(await stage.field.request?.processIdentifier == pid)
                try await stage.field.tap("b")
                #expect(await stage.field.text == "plainb")
                // The keyboard never saw the secret, and its view is shown as before.
                #expect(await stage.field.request?.view?["label"]?.text == "typist")
            }
            #expect(!stage.output.text.contains("secret"))
        }
    }

    // spec: KB-11
    @Test("KB-11: an app that refuses keyboards gets the system's, and no extension is begun")
    func appsThatRefuse() async throws {
        try await Self.withKeyboard { stage in
            let field = KeyboardHost(stage.host.application, keyboards: [.custom(Self.typist)]) {
                $0 != KeyboardHost.point
            }
            await field.focus()
            #expect(await field.shown == .system)
            #expect(await field.remarks == ["the app allows no custom keyboards"])
            try await field.type("hi")
            #expect(await field.text == "hi")
            #expect(try await stage.daemon.control.processes().isEmpty)
        }
    }

    // spec: KB-12
    @Test("KB-12: no switch key is needed by the only keyboard, or beside the device's own")
    func switchKeys() async throws {
        try await Self.withKeyboard { stage in
            let only = stage.field([.custom(Self.typist)])
            let beside = stage.field { $0.hasGlobe = true }
            for field in [only, beside, stage.field()] {
                await field.focus()
                try await field.tap("facts")
                await field.close()
            }
            #expect(
                try await stage.lines("facts") == [
                    "facts false false 0 0 2 false none false", "facts false false 0 0 2 false none false",
                    "facts false true 0 0 2 false none false",
                ])
        }
    }

    // spec: KB-13
    @Test("KB-13: a keyboard asks for the next, which gets the same text", arguments: ["next", "list"])
    func switching(key: String) async throws {
        try await Self.withKeyboard(names: ["typist", "other"]) { stage in
            let other = "org.exthost.tests.other"
            let field = stage.field([.custom(Self.typist), .custom(other), .system], text: "text")
            await field.focus()
            let document = await field.documentIdentifier
            let first = try #require(await field.request)
            try await field.tap(key)
            #expect(await field.shown == .custom(other))
            #expect(await first.outcome.kind == .completed)
            #expect(await field.documentIdentifier == document)
            try await field.tap("type and next")
            #expect(await field.shown == .system)
            #expect(await field.text == "textbye")
            try await field.type("!")
            await field.switchAway()
            #expect(await field.shown == .custom(Self.typist))
            try await field.tap("look")
            #expect(try await stage.lines("look") == ["look textbye!|nil|nil"])
            #expect(await field.remarks == [])
        }
    }

    // spec: KB-14
    @Test("KB-14: a session that could not be left is reported, where the keyboard has to offer a way")
    func missingSwitchKeys() async throws {
        try await Self.withKeyboard("noSwitch") { stage in
            for (field, isReported) in [(stage.field(), true), (stage.field { $0.hasGlobe = true }, false)] {
                await field.focus()
                try await field.tap("a")
                await field.close()
                #expect(await field.remarks.contains { $0.hasPrefix("noSwitchKey") } == isReported)
            }
            // One that asks whether it has to is believed.
            let asking = stage.field()
            await asking.focus()
            try await asking.tap("facts")
            await asking.close()
            #expect(await asking.remarks == [])
        }
        try await Self.withKeyboard { stage in
            await stage.field.focus()
            await stage.field.close()
            #expect(await stage.field.remarks == [])
        }
    }

    // MARK: Full access

    // spec: KB-15
    @Test("KB-15: full access is the attribute and the user's consent", arguments: [true, false])
    func fullAccess(asks: Bool) async throws {
        try await Self.withKeyboard(attributes: ["RequestsOpenAccess": asks]) { stage in
            for consent in [false, true] {
                try await stage.daemon.control.setConsent(KeyboardHost.fullAccess, consent, of: Self.typist)
                let field = stage.field()
                await field.focus()
                try await field.tap("facts")
                await field.close()
                let facts = try #require(try await stage.lines("facts").last)
                #expect(facts.hasPrefix("facts \(asks && consent)"), "\(facts)")
            }
        }
    }

    // spec: KB-16, KB-17
    @Test("KB-16, KB-17: the pasteboard belongs to keyboards with full access")
    func pasteboards() async throws {
        try await Self.withKeyboard(attributes: ["RequestsOpenAccess": true]) { stage in
            for (consent, text) in [(false, "nothing"), (true, "pasted")] {
                try await stage.daemon.control.setConsent(KeyboardHost.fullAccess, consent, of: Self.typist)
                let field = stage.field()
                await field.focus()
                try await field.tap("paste")
                #expect(await field.text == text)
                await field.close()
            }
        }
    }

    // spec: KB-18
    @Test("KB-18: taking the consent back ends the keyboard that runs with it, and the next has none")
    func takingBackTheConsent() async throws {
        try await Self.withKeyboard(attributes: ["RequestsOpenAccess": true]) { stage in
            try await stage.daemon.control.setConsent(KeyboardHost.fullAccess, true, of: Self.typist)
            await stage.field.focus()
            let request = try #require(await stage.field.request)
            try await stage.daemon.control.setConsent(KeyboardHost.fullAccess, false, of: Self.typist)
            #expect(await request.outcome.cause == .terminatedByOperator)
            #expect(await request.explanation?.message.contains("taken back") == true)
            try await eventually { await stage.field.shown == .system }
            await stage.field.focus()
            try await stage.field.tap("facts")
            #expect(await stage.field.request?.processIdentifier != request.processIdentifier)
            #expect(try await stage.lines("facts").last?.hasPrefix("facts false") == true)
        }
    }

    // MARK: The rest

    // spec: KB-19
    @Test("KB-19: the lexicon is the host's, and its handler is called once")
    func lexicon() async throws {
        try await Self.withKeyboard { stage in
            let empty = stage.field()
            await empty.focus()
            try await empty.tap("words")
            try await eventually { try await stage.lines("words") == ["words "] }
            await empty.close()
            let field = stage.field {
                $0.lexicon = [
                    .init(userInput: "omw", documentText: "On my way!"), .init(userInput: "Ann", documentText: "Ann"),
                ]
            }
            await field.focus()
            try await field.tap("words")
            try await eventually { try await stage.lines("words").count == 2 }
            #expect(try await stage.lines("words").last == "words omw=On my way! Ann=Ann")
        }
    }

    // spec: KB-20
    @Test("KB-20: dismissKeyboard hides the keyboard, and its session waits for the next focus")
    func dismissing() async throws {
        try await Self.withKeyboard { stage in
            await stage.field.focus()
            let request = try #require(await stage.field.request)
            try await stage.field.tap("dismiss")
            #expect(await stage.field.shown == nil)
            #expect(try await stage.lines().last == "viewDidDisappear")
            await stage.field.focus()
            #expect(await stage.field.shown == .custom(Self.typist))
            #expect(await stage.field.request === request)
            // A hidden keyboard's process stops with its host.
            await stage.field.dismiss()
            try await stage.host.setState(.background)
            try await stage.daemon.clock.advance(by: .seconds(5))
            try await stage.daemon.event { $0.event == "process.suspended" }
        }
    }

    // spec: KB-21
    @Test(
        "KB-21: the width is the host's, the height that of a constraint or the preferred one",
        arguments: [("", 216), ("height 280", 280), ("constraint", 301)])
    func sizes(wish: String, height: Int) async throws {
        try await Self.withKeyboard(wish) { stage in
            let field = stage.field { $0.width = 1024 }
            await field.focus()
            try await field.tap("frame")
            #expect(try await stage.lines("frame") == ["frame 1024x\(height)"])
            #expect(await field.height == Double(height))
        }
    }

    // spec: KB-22
    @Test("KB-22: the language is the declaration's at first, and the host hears of a change")
    func languages() async throws {
        try await Self.withKeyboard(attributes: ["PrimaryLanguage": "fr-FR"]) { stage in
            await stage.field.focus()
            #expect(try await stage.lines().first == "viewDidLoad fr-FR")
            #expect(await stage.field.language == nil)
            try await stage.field.tap("language")
            #expect(await stage.field.language == "de-DE")
        }
    }

    // spec: KB-23
    @Test("KB-23: random edits give the text of a model", arguments: [1, 2, 3])
    func randomEdits(seed: Int) async throws {
        try await Self.withKeyboard(principal: "RandomViewController") { stage in
            await stage.field.focus()
            var random = SeededGenerator(seed: UInt64(seed))
            var model = PlainText()
            for step in 0..<150 {
                switch Int.random(in: 0..<20, using: &random) {
                case 16: await stage.field.select(model.select(Int.random(in: 0...9, using: &random)))
                case 17 where model.text.utf16.count > 60:
                    model = PlainText()
                    await stage.field.setText("")
                case let key where key < 16:
                    try await stage.field.tap("random \(key)")
                    model.edit(key)
                default: break
                }
                let (text, selection) = (await stage.field.text, await stage.field.selection)
                try #require(text == model.text && selection == model.selection, "step \(step)")
            }
        }
    }

    // spec: KB-24
    @Test("KB-24: a keyboard over its memory limit is gone, the system's serves, and the next field tries again")
    func memory() async throws {
        let limit = ["--limits-by", "poll", "--limit", "memory=96MiB"]
        try await Self.withKeyboard(clock: .real, arguments: limit) { stage in
            await stage.field.focus()
            try await stage.field.tap("a")
            let request = try #require(await stage.field.request)
            await #expect(throws: ExtensionHostError.self) { try await stage.field.tap("fill") }
            #expect(await request.outcome.cause == .memoryLimit)
            #expect(await stage.field.shown == .system)
            #expect(await stage.field.text == "a")
            try await stage.field.type("b")
            await stage.field.focus("next")
            #expect(await stage.field.shown == .custom(Self.typist))
            #expect(await stage.field.text == "next")
        }
    }

    // spec: KB-25, KB-27
    @Test("KB-25, KB-27: a host types words by the keys' titles, and says which key is missing")
    func typing() async throws {
        try await Self.withKeyboard { stage in
            await stage.field.focus()
            try await stage.field.type("abc é")
            #expect(await stage.field.text == "abc é")
            let error = await #expect(throws: ExtensionHostError.self) { try await stage.field.type("ax") }
            #expect(error?.message.contains("“x”") == true)
            #expect(await stage.field.text == "abc éa")
            let none = await #expect(throws: ExtensionHostError.self) { try await stage.field.tap("enter") }
            #expect(none?.code == .invalidArgument)
            #expect(await stage.field.edits.map(\.text) == ["a", "b", "c", " ", "é", "a"])
        }
    }

    // spec: KB-24
    @Test("KB-24: a keyboard that dies leaves the text, and the system's keyboard")
    func death() async throws {
        try await Self.withKeyboard(text: "kept") { stage in
            await stage.field.focus()
            await #expect(throws: ExtensionHostError.self) { try await stage.field.tap("die") }
            #expect(await stage.field.shown == .system)
            #expect(await stage.field.text == "kept")
        }
    }

    // spec: PC-10
    @Test("PC-10: a controller that is no keyboard is refused by name")
    func noKeyboard() async throws {
        try await Self.withKeyboard(principal: "PlainViewController") { stage in
            await stage.field.focus()
            #expect(await stage.field.shown == .system)
            #expect(await stage.field.remarks.contains { $0.contains("is not a UIInputViewController") })
        }
    }
}

/// A text as an array of UTF-16 units, with the edits of `RandomViewController`.
private struct PlainText {
    private var units: [UInt16] = []
    private var start = 0
    private var end = 0
    private var marked: Range<Int>?

    var text: String { String(decoding: units, as: UTF16.self) }
    var selection: Range<Int> { start..<end }

    /// Returns a range of at most three units from a place on, and selects it.
    mutating func select(_ place: Int) -> Range<Int> {
        let first = min(place, units.count)
        let range = first..<min(first + 3, units.count)
        marked = nil
        (start, end) = (boundary(range.lowerBound), boundary(range.upperBound))
        return range
    }

    /// The place, or the one before it inside a surrogate pair.
    private func boundary(_ place: Int) -> Int {
        place > 0 && place < units.count && UTF16.isTrailSurrogate(units[place]) ? place - 1 : place
    }

    mutating func edit(_ key: Int) {
        switch key {
        case 0...5: replace(start..<end, ["a", "é", "👩‍👧", "\n", "two words", "日"][key])
        case 6...8:
            if start == end, start > 0 {
                // The last cluster of the text before.
                let before = String(decoding: units[..<start], as: UTF16.self)
                start -= before.last!.utf16.count
            }
            replace(start..<end, "")
        case 9: move(-3)
        case 10: move(2)
        case 11: move(-1000)
        case 12: mark("mark", 1..<3)
        case 13: mark("", 0..<0)
        case 14: marked = nil
        default: move(1000)
        }
    }

    private mutating func replace(_ range: Range<Int>, _ text: String) {
        units.replaceSubrange(range, with: text.utf16)
        start = range.lowerBound + text.utf16.count
        end = start
        marked = nil
    }

    private mutating func move(_ offset: Int) {
        var place = min(max((offset > 0 ? end : start) + offset, 0), units.count)
        if offset > 0, place < units.count, UTF16.isTrailSurrogate(units[place]) { place += 1 }
        start = boundary(place)
        end = start
        marked = nil
    }

    private mutating func mark(_ text: String, _ selected: Range<Int>) {
        let range = marked ?? start..<end
        replace(range, text)
        (start, end) = (range.lowerBound + selected.lowerBound, range.lowerBound + selected.upperBound)
        marked = text.isEmpty ? nil : range.lowerBound..<(range.lowerBound + text.utf16.count)
    }
}
