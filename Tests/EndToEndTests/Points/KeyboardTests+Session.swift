// KeyboardTests+Session: lexicon, size, language, memory and death of a keyboard, and random edits.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

extension KeyboardTests {
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
