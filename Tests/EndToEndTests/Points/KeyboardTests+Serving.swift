// KeyboardTests+Serving: which keyboard serves a field, and the full access of a keyboard.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

extension KeyboardTests {
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
                await stage.field.setText("secrets")
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
            // A keyboard that reads needsInputModeSwitchKey may offer the key in any way, and is not reported.
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
}
