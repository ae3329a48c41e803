// EngineObject: an engine on the bus of IBus: its calls, checked, and its signals.

import EventLoop
import ExtensionHost

/// An object `org.freedesktop.IBus.Engine`, for one keyboard.
@HostActor
final class EngineObject {
    static let interface = "org.freedesktop.IBus.Engine"
    private static let service = "org.freedesktop.IBus.Service"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// The maximum size of a reported text in bytes. Nothing is known of a longer one.
    private static let textLimit = 1 << 20
    /// The maximum size of names on the bus.
    private static let nameLimit = 1024

    let path: String
    private let bus: Bus
    private let owner: String?
    private let ended: @HostActor (EngineObject) -> Void
    private let log: @HostActor (String) -> Void
    private var hasReportedLoss = false
    private var engine: KeyboardEngine?
    private var calls: BusCalls?

    /// - Parameters:
    ///   - owner: the sender whose engine it is; nil on a bus that names none.
    ///   - ended: called once, when the owner destroys the engine.
    init(
        on bus: Bus, path: String, owner: String?, _ keyboard: String, _ host: HostApplication, _ clock: any HostClock,
        _ limits: KeyboardEngine.Limits, log: @escaping @HostActor (String) -> Void,
        ended: @escaping @HostActor (EngineObject) -> Void
    ) throws(LoopError) {
        (self.bus, self.path, self.owner, self.log, self.ended) = (bus, path, owner, log, ended)
        engine = KeyboardEngine(
            keyboard: keyboard, host: host, clock: clock, limits: limits,
            output: { [weak self] in self?.emit($0) ?? false }, log: log)
        calls = try BusCalls(on: bus, path: path) { [weak self] call throws(BusError) in
            guard let self else { return false }
            return try answer(call)
        }
    }

    /// Ends the engine's session.
    func end() {
        engine?.setEnabled(false)
        engine = nil
    }

    // MARK: Calls

    private func answer(_ call: BusMessage) throws(BusError) -> Bool {
        let interface = call.interface
        guard [Self.interface, Self.service, Self.properties].contains(interface) else { return false }
        guard call.sender == owner else { throw .accessDenied("the engine belongs to another program") }
        guard let engine else { throw BusError(name: Self.interface + ".Error.Ended", message: "the engine has ended") }
        switch interface {
        case Self.interface: return try answer(call, by: engine)
        case Self.properties: return try answerProperty(call, of: engine)
        default:
            guard call.member == "Destroy" else { return false }
            try call.reply()
            // The object is released after its own call.
            EventLoop.shared.atEndOfIteration { [self] in ended(self) }
            return true
        }
    }

    private func expect(_ signature: String, in call: BusMessage) throws(BusError) {
        guard call.signature == signature else {
            throw .invalidArguments("\(call.member) takes “\(signature)”, not “\(call.signature.prefix(64))”")
        }
    }

    private func answer(_ call: BusMessage, by engine: KeyboardEngine) throws(BusError) -> Bool {
        switch call.member {
        case "ProcessKeyEvent":
            try expect("uuu", in: call)
            let (symbol, code, state) = (try call.readUInt32(), try call.readUInt32(), try call.readUInt32())
            engine.handle(symbol, code: code, state: state) { isHandled in
                try? call.reply { answer throws(BusError) in try answer.append(isHandled) }
            }
            return true
        case "FocusIn":
            try expect("", in: call)
            focusIn(engine)
        case "FocusInId":
            try expect("ss", in: call)
            _ = try call.readString(atMost: Self.nameLimit)
            // IBus has a field of its own for a desktop without a focused one.
            if try call.readString(atMost: Self.nameLimit) == "fake" { engine.focusOut() } else { focusIn(engine) }
        case "FocusOut":
            try expect("", in: call)
            engine.focusOut()
        case "FocusOutId":
            try expect("s", in: call)
            engine.focusOut()
        case "Enable":
            try expect("", in: call)
            engine.setEnabled(true)
            requireText()
        case "Disable":
            try expect("", in: call)
            engine.setEnabled(false)
        case "Reset":
            try expect("", in: call)
            engine.reset()
        case "SetCapabilities":
            try expect("u", in: call)
            engine.setCapabilities(try call.readUInt32())
        case "SetSurroundingText":
            try expect("vuu", in: call)
            let text = try call.readText(atMost: Self.textLimit)
            guard engine.report(text, cursor: try call.readUInt32(), anchor: try call.readUInt32()) else {
                throw .invalidArguments("a position is outside of the text")
            }
        case "SetCursorLocation":
            // The keyboard has no place on the screen.
            try expect("iiii", in: call)
        case "PageUp", "PageDown", "CursorUp", "CursorDown", "CandidateClicked", "PropertyActivate", "PropertyShow",
            "PropertyHide", "ProcessHandWritingEvent", "CancelHandWriting", "PanelExtensionReceived",
            "PanelExtensionRegisterKeys":
            // The engine has no candidates and no properties.
            break
        default: return false
        }
        try call.reply()
        return true
    }

    private func focusIn(_ engine: KeyboardEngine) {
        engine.focusIn()
        requireText()
    }

    /// Asks for reports of the text. IBus's clients report it only to engines that asked.
    private func requireText() { emit("RequireSurroundingText") }

    // MARK: Properties

    private func answerProperty(_ call: BusMessage, of engine: KeyboardEngine) throws(BusError) -> Bool {
        switch call.member {
        case "Set":
            try expect("ssv", in: call)
            guard try call.readString(atMost: Self.nameLimit) == Self.interface,
                try call.readString(atMost: Self.nameLimit) == "ContentType"
            else { throw .invalidArguments("the engine has only ContentType to set") }
            let (purpose, hints) = try call.readVariant("(uu)") { variant throws(BusError) in
                try variant.readStruct("uu") { pair throws(BusError) in (try pair.readUInt32(), try pair.readUInt32()) }
            }
            engine.setContent(purpose: purpose, hints: hints)
            try call.reply()
        case "Get":
            try expect("ss", in: call)
            _ = try call.readString(atMost: Self.nameLimit)
            guard ["FocusId", "ActiveSurroundingText"].contains(try call.readString(atMost: Self.nameLimit)) else {
                throw .invalidArguments("the engine has only FocusId and ActiveSurroundingText")
            }
            try call.reply { answer throws(BusError) in
                try answer.appendVariant("b") { value throws(BusError) in try value.append(true) }
            }
        case "GetAll":
            try call.reply { answer throws(BusError) in
                try answer.appendArray("{sv}") { array throws(BusError) in
                    for name in ["FocusId", "ActiveSurroundingText"] {
                        try array.appendEntry(name, "b") { value throws(BusError) in try value.append(true) }
                    }
                }
            }
        default: return false
        }
        return true
    }

    // MARK: Signals

    /// Emits a signal.
    ///
    /// - Returns: false if it is lost.
    @discardableResult
    private func emit(_ signal: String, _ write: (BusMessage) throws(BusError) -> Void = { _ in }) -> Bool {
        let dropped = bus.droppedSignals
        bus.emit(signal, path: path, interface: Self.interface, write)
        guard bus.droppedSignals > dropped else { return true }
        if !hasReportedLoss { log("IBus does not read what this program sends: keys are left to the programs") }
        hasReportedLoss = true
        return false
    }

    private func emit(_ operation: TextOperation) -> Bool {
        switch operation {
        case .commit(let text):
            return emit("CommitText") { signal throws(BusError) in try signal.append(text: text) }
        case .delete(let offset, let count):
            return emit("DeleteSurroundingText") { signal throws(BusError) in
                try signal.append(Int32(clamping: offset))
                try signal.append(UInt32(clamping: count))
            }
        case .showMarked(let text, let cursor, let selection): return emitMarked(text, cursor, selection)
        case .hideMarked: return emitMarked("", 0, 0..<0)
        case .press(let key, let times):
            let (symbol, code) = key.numbers
            let release: UInt32 = 1 << 30
            for _ in 0..<times {
                for state in [0, release] {
                    let isSent = emit("ForwardKeyEvent") { signal throws(BusError) in
                        for value in [symbol, code, state] { try signal.append(value) }
                    }
                    guard isSent else { return false }
                }
            }
            return true
        }
    }

    private func emitMarked(_ text: String, _ cursor: Int, _ selection: Range<Int>) -> Bool {
        let length = text.unicodeScalars.count
        var lines = [BusMessage.Underline(range: 0..<length, isDouble: false)]
        if !selection.isEmpty { lines.append(BusMessage.Underline(range: selection, isDouble: true)) }
        return emit("UpdatePreeditText") { signal throws(BusError) in
            try signal.append(text: text, underlines: text.isEmpty ? [] : lines)
            try signal.append(UInt32(clamping: cursor))
            try signal.append(!text.isEmpty)
            // IBus commits the text if its field loses the focus.
            try signal.append(UInt32(1))
        }
    }
}

extension TextOperation.ForwardedKey {
    /// The X11 symbol, and the number of the key on a PC keyboard (linux/input-event-codes.h).
    fileprivate var numbers: (symbol: UInt32, code: UInt32) {
        switch self {
        case .backspace: (0xff08, 14)
        case .left: (0xff51, 105)
        case .right: (0xff53, 106)
        }
    }
}
