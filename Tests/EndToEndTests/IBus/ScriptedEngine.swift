// ScriptedEngine: an engine as ibus-daemon uses it, with the text field of a program that obeys it.

import Foundation
import Testing

@testable import EventLoop

/// An engine, and a text field as those of GTK: it performs the engine's signals, takes the keys that the engine leaves,
/// and reports its text after each change.
@HostActor
final class ScriptedEngine {
    private let ibus: ScriptedIBus
    private let program: String
    let path: String
    private var signals: BusSignals?

    /// The text without the marked part, in scalars.
    private(set) var before: [Unicode.Scalar] = []
    private(set) var after: [Unicode.Scalar] = []
    private(set) var marked = ""
    /// The signals so far.
    private(set) var log: [String] = []
    /// Whether the field reports its text.
    var reports = true

    var text: String { String(String.UnicodeScalarView(before)) + marked + String(String.UnicodeScalarView(after)) }

    init(_ ibus: ScriptedIBus, _ program: String, _ path: String, on bus: Bus) throws {
        (self.ibus, self.program, self.path) = (ibus, program, path)
        signals = try BusSignals(on: bus, path: path, interface: "org.freedesktop.IBus.Engine") { [weak self] signal in
            do throws(BusError) { try self?.perform(signal) } catch {
                Issue.record("malformed \(signal.member): \(error.message)")
            }
        }
    }

    // MARK: Signals

    private func perform(_ signal: BusMessage) throws(BusError) {
        switch signal.member {
        case "CommitText":
            let text = try Self.text(signal)
            log.append("commit \(text)")
            before += Array(text.unicodeScalars)
        case "DeleteSurroundingText":
            let (offset, count) = (Int(try signal.readInt32()), Int(try signal.readUInt32()))
            log.append("delete \(offset) \(count)")
            let start = before.count + offset
            guard start >= 0, start + count <= before.count + after.count else {
                Issue.record("a deletion outside of the text: \(offset) \(count)")
                return
            }
            let rest = (before + after)[..<start] + (before + after)[(start + count)...]
            let place = min(start, before.count)
            (before, after) = (Array(rest[..<place]), Array(rest[place...]))
        case "UpdatePreeditText":
            let text = try Self.text(signal)
            let (cursor, isVisible, mode) = (try signal.readUInt32(), try signal.readBool(), try signal.readUInt32())
            log.append("mark \(text) \(cursor) \(isVisible) \(mode)")
            marked = isVisible ? text : ""
        case "ForwardKeyEvent":
            let (symbol, _, state) = (try signal.readUInt32(), try signal.readUInt32(), try signal.readUInt32())
            log.append("key \(String(symbol, radix: 16)) \(state == 0 ? "press" : "release")")
            if state == 0 { take(symbol) }
        default: log.append(signal.member)
        }
    }

    private static func text(_ signal: BusMessage) throws(BusError) -> String {
        try signal.readVariant("(sa{sv}sv)") { value throws(BusError) in
            try value.readStruct("sa{sv}sv") { members throws(BusError) in
                guard try members.readString() == "IBusText" else { throw .invalidArguments("no text") }
                try members.skip("a{sv}")
                let text = try members.readString()
                try members.skip("v")
                return text
            }
        }
    }

    /// Performs a key as a program does.
    private func take(_ symbol: UInt32) {
        switch symbol {
        case 0xff08: if !before.isEmpty { before.removeLast() }
        case 0xff51: if let last = before.popLast() { after.insert(last, at: 0) }
        case 0xff53: if !after.isEmpty { before.append(after.removeFirst()) }
        case 0xff0d: before.append("\n")
        case 0x20...0x7e: before.append(Unicode.Scalar(UInt8(symbol)))
        case 0x100_0100...: if let scalar = Unicode.Scalar(symbol - 0x100_0000) { before.append(scalar) }
        default: break
        }
    }

    // MARK: Calls

    func call(
        _ member: String, of interface: String = "org.freedesktop.IBus.Engine",
        _ write: @HostActor (BusMessage) throws(BusError) -> Void = { _ in }
    ) async throws -> BusMessage {
        try await ibus.call(member, of: interface, at: path, program, write)
    }

    /// Gives the focus to a field with this text, in the order of ibus-daemon's calls.
    func focus(_ text: String = "", purpose: UInt32 = 0, hints: UInt32 = 0) async throws {
        (before, after, marked) = (Array(text.unicodeScalars), [], "")
        _ = try await call("FocusInId") { call throws(BusError) in
            try call.append("/org/freedesktop/IBus/InputContext_7")
            try call.append("tests")
        }
        _ = try await call("Enable")
        _ = try await call("SetCapabilities") { call throws(BusError) in
            try call.append(UInt32(reports ? 0b10_1001 : 0b1001))
        }
        try await setContent(purpose, hints)
        try await report()
    }

    /// Gives the focus to IBus's field for a desktop without a focused one.
    func focusFake() async throws -> BusMessage {
        try await call("FocusInId") { call throws(BusError) in
            try call.append("/org/freedesktop/IBus/InputContext_1")
            try call.append("fake")
        }
    }

    func stopReporting() { reports = false }

    /// Commits the marked text, as IBus does when a field is reset or loses the focus.
    func commitMarked() {
        before += Array(marked.unicodeScalars)
        marked = ""
    }

    func setContent(_ purpose: UInt32, _ hints: UInt32 = 0) async throws {
        _ = try await call("Set", of: "org.freedesktop.DBus.Properties") { call throws(BusError) in
            try call.append("org.freedesktop.IBus.Engine")
            try call.append("ContentType")
            try call.appendVariant("(uu)") { value throws(BusError) in
                try value.appendStruct("uu") { pair throws(BusError) in
                    try pair.append(purpose)
                    try pair.append(hints)
                }
            }
        }
    }

    /// Moves the insertion point, as a person does with a mouse.
    func move(to place: Int) async throws {
        let all = before + after
        (before, after) = (Array(all[..<place]), Array(all[place...]))
        try await report()
    }

    func setText(_ text: String) async throws {
        (before, after) = (Array(text.unicodeScalars), [])
        try await report()
    }

    func report() async throws {
        guard reports else { return }
        let text = String(String.UnicodeScalarView(before + after))
        try await report(text, UInt32(before.count), UInt32(before.count))
    }

    func report(_ text: String, _ cursor: UInt32, _ anchor: UInt32) async throws {
        _ = try await call("SetSurroundingText") { call throws(BusError) in
            try call.appendVariant("(sa{sv}sv)") { value throws(BusError) in
                try value.appendStruct("sa{sv}sv") { members throws(BusError) in
                    try members.append("IBusText")
                    try members.appendArray("{sv}") { _ in }
                    try members.append(text)
                    try members.appendVariant("(sa{sv}av)") { list throws(BusError) in
                        try list.appendStruct("sa{sv}av") { members throws(BusError) in
                            try members.append("IBusAttrList")
                            try members.appendArray("{sv}") { _ in }
                            try members.appendArray("v") { _ in }
                        }
                    }
                }
            }
            try call.append(cursor)
            try call.append(anchor)
        }
    }

    /// Asks the engine about a key, and does nothing with it.
    func ask(_ symbol: UInt32, code: UInt32 = 30, state: UInt32 = 0) async throws -> Bool {
        let answer = try await call("ProcessKeyEvent") { call throws(BusError) in
            for value in [symbol, code, state] { try call.append(value) }
        }
        return try answer.readBool()
    }

    /// Asks the engine about a key, and waits for no answer.
    func send(_ symbol: UInt32) {
        ibus.send("ProcessKeyEvent", of: "org.freedesktop.IBus.Engine", at: path, program) { call throws(BusError) in
            for value in [symbol, 30, 0] { try call.append(value) }
        } answer: { _ in
        }
    }

    /// Presses and releases a key. The program takes it if the engine does not.
    @discardableResult
    func press(_ symbol: UInt32, state: UInt32 = 0) async throws -> Bool {
        let isHandled = try await ask(symbol, code: symbol & 0xff, state: state)
        if !isHandled { take(symbol) }
        try await report()
        let isReleaseHandled = try await ask(symbol, code: symbol & 0xff, state: state | 1 << 30)
        #expect(isReleaseHandled == isHandled, "the release of \(String(symbol, radix: 16)) has another answer")
        return isHandled
    }

    /// Types a text, key by key, and returns the characters whose keys were not handled.
    @discardableResult
    func type(_ text: String) async throws -> String {
        var left = ""
        for scalar in text.unicodeScalars {
            let symbol = scalar == "\n" ? 0xff0d : scalar.value < 0x100 ? scalar.value : scalar.value + 0x100_0000
            if try await !press(symbol) { left.unicodeScalars.append(scalar) }
        }
        return left
    }

    /// Presses keys at once, as a fast person does, and returns the answers in their order.
    func typeAhead(_ text: String) async throws -> [Bool] {
        var answers: [Bool?] = Array(repeating: nil, count: text.unicodeScalars.count)
        var order: [Int] = []
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            var isOver = false
            for (place, scalar) in text.unicodeScalars.enumerated() {
                ibus.send("ProcessKeyEvent", of: "org.freedesktop.IBus.Engine", at: path, program) {
                    call throws(BusError) in
                    for value in [scalar.value, 30, 0] { try call.append(value) }
                } answer: { answer in
                    order.append(place)
                    answers[place] = (try? answer.get()).flatMap { try? $0.readBool() } ?? false
                    // The program takes a key as soon as it is left to it.
                    if answers[place] == false { self.take(scalar.value) }
                    guard !isOver, order.count == answers.count else { return }
                    isOver = true
                    done.resume()
                }
            }
        }
        #expect(order == Array(answers.indices), "the answers have another order")
        return answers.compactMap(\.self)
    }
}
