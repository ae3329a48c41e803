// Bus: one connection to a message bus, served by the loop.

internal import CSystemd
internal import LinuxSystem

/// A connection to a message bus. Nothing here blocks on the bus: the connection is set up, names are requested and
/// callers are looked up while the loop runs.
///
/// The end of the bus is reported once and affects nothing else: signals that are emitted afterwards are dropped.
@HostActor
public final class Bus {
    /// Messages that may wait for a bus that does not read; signals beyond them are dropped and counted.
    private static let outgoingLimit: UInt64 = 4096
    /// Callers whose identity may be asked for at a time.
    private static let identificationLimit = 256
    /// The time limit for an answer of the bus, in microseconds.
    private static let answerTimeout: UInt64 = 25_000_000

    /// The connection; nil if there is none (any more).
    private(set) var pointer: OpaquePointer?
    private var disconnectionSlot: OpaquePointer?
    private var disconnected: (@HostActor () -> Void)?
    private var identifications = 0

    /// Signals dropped because the bus did not read.
    public private(set) var droppedSignals = 0

    /// Starts to connect.
    ///
    /// - Parameter disconnected: called once if the connection ends by itself, even if it could not be set up after
    ///   all.
    /// - Throws: `LoopError.busUnavailable` if there is no such bus, `LoopError.call` for lack of memory and the like.
    ///   With `BusAddress.none` never.
    public init(_ address: BusAddress, disconnected: @escaping @HostActor () -> Void = {}) throws(LoopError) {
        guard let bus = try Self.connect(to: address) else { return }
        pointer = bus
        self.disconnected = disconnected
        do throws(LoopError) {
            try LoopError.check("sd_bus_attach_event", sd_bus_attach_event(bus, EventLoop.shared.event, 0))
            let callback: sd_bus_message_handler_t = { _, userdata, _ in
                HostActor.enter(userdata) {
                    Unmanaged<Bus>.fromOpaque($0).takeUnretainedValue().connectionEnded()
                    return 0
                } ?? 0
            }
            // sd-bus itself makes this message when the connection ends: no message to the bus is needed to match it.
            // The slot is released before this object is, so the pointer is valid for as long as it is used.
            let local = "org.freedesktop.DBus.Local"
            let result = sd_bus_match_signal_async(
                bus, &disconnectionSlot, nil, "/org/freedesktop/DBus/Local", local, "Disconnected", callback, nil,
                Unmanaged.passUnretained(self).toOpaque())
            try LoopError.check("sd_bus_match_signal_async", result)
        } catch {
            close()
            throw error
        }
    }

    isolated deinit { close() }

    private static func connect(to address: BusAddress) throws(LoopError) -> OpaquePointer? {
        var bus: OpaquePointer?
        let result =
            switch address {
            case .none: Int32(0)
            case .session: sd_bus_open_user(&bus)
            case .system: sd_bus_open_system(&bus)
            case .address(let text): open(text, isBus: true, &bus)
            case .peer(let text): open(text, isBus: false, &bus)
            }
        guard result >= 0 else {
            sd_bus_unref(bus)
            throw .busUnavailable(address, SystemError("sd_bus_open", code: -result))
        }
        return bus
    }

    private static func open(_ address: String, isBus: Bool, _ bus: inout OpaquePointer?) -> Int32 {
        var result = sd_bus_new(&bus)
        if result >= 0 { result = sd_bus_set_address(bus, address) }
        if result >= 0 { result = sd_bus_set_bus_client(bus, isBus ? 1 : 0) }
        if result >= 0 { result = sd_bus_start(bus) }
        return result
    }

    /// Whether there is a connection, or one is being set up.
    public var isConnected: Bool { pointer != nil }

    /// Ends the connection silently: queued messages are dropped, and `disconnected` is not called. Idempotent.
    public func close() {
        disconnected = nil
        sd_bus_slot_unref(disconnectionSlot)
        disconnectionSlot = nil
        sd_bus_close_unref(pointer)
        pointer = nil
    }

    private func connectionEnded() {
        guard let bus = pointer else { return }
        pointer = nil
        let report = disconnected
        disconnected = nil
        // The slot must not be released inside its own callback.
        let slot = disconnectionSlot
        disconnectionSlot = nil
        EventLoop.shared.atEndOfIteration {
            sd_bus_slot_unref(slot)
            sd_bus_close_unref(bus)
        }
        report?()
    }

    // MARK: Names

    /// Asks for a well-known name, without waiting in its queue.
    ///
    /// `result` is called when the bus has answered. It gets `LoopError.busNameTaken`, or `LoopError.busRefused` if the
    /// policy of the bus does not allow the name or the connection has ended. Without a bus it is not called.
    public func requestName(_ name: String, result: @escaping @HostActor (Result<Void, LoopError>) -> Void) {
        let doNotQueue: UInt32 = 4
        callBus("RequestName") { message throws(BusError) in
            try message.append(name)
            try message.append(doNotQueue)
        } answer: { answer in
            do throws(BusError) {
                // 1: the name is ours now, 4: it was already.
                let code = try answer.get().readUInt32()
                result(code == 1 || code == 4 ? .success(()) : .failure(.busNameTaken(name)))
            } catch {
                result(.failure(.busRefused(call: "RequestName(\(name))", error)))
            }
        }
    }

    // MARK: Callers

    /// Asks the bus for the sender of a message. `sd_bus_query_sender_creds` would block the loop for the answer.
    func identifyCaller(of call: BusMessage, _ result: @escaping @HostActor (Result<BusCaller, BusError>) -> Void) {
        guard let sender = call.sender, identifications < Self.identificationLimit else {
            result(
                .failure(
                    BusError(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "too many calls at a time")))
            return
        }
        identifications += 1
        callBus("GetConnectionUnixUser") { message throws(BusError) in
            try message.append(sender)
        } answer: { [weak self] answer in
            self?.identifications -= 1
            do throws(BusError) {
                result(.success(BusCaller(name: sender, uid: try answer.get().readUInt32())))
            } catch {
                result(.failure(.accessDenied("the bus does not identify the caller: \(error.message)")))
            }
        }
    }

    // MARK: Messages

    /// Emits a signal. It is dropped if there is no bus, or if the bus does not read.
    package func emit(
        _ member: String, path: String, interface: String, _ write: (BusMessage) throws(BusError) -> Void
    ) {
        guard let pointer, hasRoom,
            let message = BusMessage.signal(member, path: path, interface: interface, on: pointer)
        else { return }
        do throws(BusError) {
            try write(message)
        } catch {
            // Memory is short; a signal is no more than news.
            droppedSignals += 1
            return
        }
        sd_bus_send(pointer, message.pointer, nil)
    }

    /// Whether a signal may be queued; counts it as dropped if not.
    var hasRoom: Bool {
        var queued: UInt64 = 0
        sd_bus_get_n_queued_write(pointer, &queued)
        if queued < Self.outgoingLimit { return true }
        droppedSignals += 1
        return false
    }

    private func callBus(
        _ member: String, _ write: (BusMessage) throws(BusError) -> Void,
        answer: @escaping @HostActor (Result<BusMessage, BusError>) -> Void
    ) {
        let name = "org.freedesktop.DBus"
        call(member, of: name, at: "/org/freedesktop/DBus", destination: name, write, answer: answer)
    }

    /// Calls a method. `answer` is called once, even if the connection ends before the answer; without a connection
    /// never.
    ///
    /// - Parameter destination: nil on a connection to a peer.
    package func call(
        _ member: String, of interface: String, at path: String, destination: String? = nil,
        _ write: (BusMessage) throws(BusError) -> Void,
        answer: @escaping @HostActor (Result<BusMessage, BusError>) -> Void
    ) {
        guard let pointer,
            let message = BusMessage.call(member, of: interface, at: path, destination: destination, on: pointer)
        else { return }
        do throws(BusError) {
            try write(message)
        } catch {
            answer(.failure(error))
            return
        }
        let pending = Unmanaged.passRetained(PendingAnswer(answer))
        let callback: sd_bus_message_handler_t = { message, userdata, _ in
            PendingAnswer.receive(message, userdata)
            return 0
        }
        var slot: OpaquePointer?
        let result = sd_bus_call_async(
            pointer, &slot, message.pointer, callback, pending.toOpaque(), Self.answerTimeout)
        guard result >= 0 else {
            pending.release()
            answer(.failure(.failed("\(member): \(SystemError("sd_bus_call_async", code: -result))")))
            return
        }
        // From here on the slot belongs to the connection. An answer, a timeout or the end of the connection calls back
        // once. The slot is destroyed then, or with the connection.
        sd_bus_slot_set_destroy_callback(slot) { userdata in
            guard let userdata else { return }
            Unmanaged<PendingAnswer>.fromOpaque(userdata).release()
        }
        sd_bus_slot_set_floating(slot, 1)
        sd_bus_slot_unref(slot)
    }
}

/// The sender of a message, as the bus daemon vouches for it.
public struct BusCaller: Sendable, Hashable {
    /// The unique name of its connection, e.g. `:1.42`.
    public let name: String
    public let uid: UInt32
}

/// The handler of an answer of the bus.
@HostActor
private final class PendingAnswer {
    private var handler: (@HostActor (Result<BusMessage, BusError>) -> Void)?

    init(_ handler: @escaping @HostActor (Result<BusMessage, BusError>) -> Void) { self.handler = handler }

    nonisolated static func receive(_ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) {
        HostActor.enter(userdata, message) { userdata, message in
            let pending = Unmanaged<PendingAnswer>.fromOpaque(userdata).takeUnretainedValue()
            let handler = pending.handler
            pending.handler = nil
            let answer = BusMessage(sharing: message)
            handler?(answer.error.map { .failure($0) } ?? .success(answer))
        }
    }
}
