// BusCallsTests: objects whose calls one function handles, on a bus whose own calls name no receiver.

import CSystemd
import Glibc
import LinuxSystem
import Testing

@testable import EventLoop

/// A program that is a bus itself, for one client, as ibus-daemon is: it answers the client's Hello, and calls it.
@HostActor
private final class LoneBus {
    let address: String
    private let listening: SharedDescriptor
    private var accepting: IOSource?
    private var bus: OpaquePointer?
    private var filter: OpaquePointer?
    /// Whether the client's Hello is answered. Before that, no bus calls it.
    private var hasGreeted = false

    init() throws {
        let name = "exthost-lone-bus-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        address = "unix:abstract=\(name)"
        // A stream that is closed on exec: libsystemd's headers hide Glibc's names of both.
        listening = SharedDescriptor(owning: socket(AF_UNIX, 1 | 0o2_000_000, 0))
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { path in
            UnsafeMutableRawBufferPointer(rebasing: path.dropFirst()).copyBytes(from: name.utf8)
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening.raw, $0, length) }
        }
        guard bound == 0, listen(listening.raw, 1) == 0 else { throw SystemError("bind") }
        accepting = try EventLoop.shared.watch(descriptor: listening.raw, for: .readable) { [weak self] _ in
            self?.accept()
        }
    }

    isolated deinit {
        sd_bus_slot_unref(filter)
        sd_bus_close_unref(bus)
    }

    private func accept() {
        accepting = nil
        let client = Glibc.accept(listening.raw, nil, nil)
        let identifier = sd_id128_t(bytes: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        #expect(client >= 0 && sd_bus_new(&bus) >= 0 && sd_bus_set_fd(bus, client, client) >= 0)
        #expect(sd_bus_set_server(bus, 1, identifier) >= 0 && sd_bus_start(bus) >= 0)
        #expect(sd_bus_attach_event(bus, EventLoop.shared.event, 0) >= 0)
        let hello: sd_bus_message_handler_t = { message, context, _ in
            guard sd_bus_message_is_method_call(message, "org.freedesktop.DBus", "Hello") > 0 else { return 0 }
            return HostActor.enter(context, message) { context, message in
                do throws(BusError) {
                    try BusMessage(sharing: message).reply { answer throws(BusError) in try answer.append(":1.1") }
                } catch {
                    Issue.record(error)
                }
                Unmanaged<LoneBus>.fromOpaque(context).takeUnretainedValue().hasGreeted = true
                return 1
            } ?? 0
        }
        #expect(sd_bus_add_filter(bus, &filter, hello, Unmanaged.passUnretained(self).toOpaque()) >= 0)
    }

    private final class Answer {
        var value: Result<String, BusError>?
    }

    /// Calls a member of the client without a receiver, and returns the text of its answer.
    func call(_ member: String, at path: String) async throws -> String {
        // The time limit of the suite bounds the waits.
        while !hasGreeted { await Task.yield() }
        let connection = try #require(bus)
        let call = try #require(
            BusMessage.call(member, of: "org.exthost.Tests", at: path, destination: nil, on: connection))
        let answer = Answer()
        let take: sd_bus_message_handler_t = { message, context, _ in
            HostActor.enter(context, message) { context, message in
                let answer = BusMessage(sharing: message)
                let kept = Unmanaged<Answer>.fromOpaque(context).takeRetainedValue()
                kept.value = answer.error.map { .failure($0) } ?? .success((try? answer.readString()) ?? "")
            }
            return 0
        }
        let result = sd_bus_call_async(bus, nil, call.pointer, take, Unmanaged.passRetained(answer).toOpaque(), 0)
        #expect(result >= 0)
        while answer.value == nil { await Task.yield() }
        return try #require(answer.value).get()
    }
}

@Suite(.timeLimit(.minutes(1))) struct BusCallsTests {
    init() { TestLoop.start() }

    @Test @HostActor func callsWithoutAReceiverAreAnsweredAndErrorsAreTheAnswer() async throws {
        let server = try LoneBus()
        let bus = try Bus(.address(server.address))
        var calls: [BusCalls] = []
        for path in ["/one", "/two"] {
            calls.append(
                try BusCalls(on: bus, path: path) { call throws(BusError) in
                    switch call.member {
                    case "Name": try call.reply { answer throws(BusError) in try answer.append(path) }
                    case "Fail": throw .accessDenied("not here")
                    default: return false
                    }
                    return true
                })
        }
        #expect(try await server.call("Name", at: "/one") == "/one")
        #expect(try await server.call("Name", at: "/two") == "/two")
        await #expect(throws: BusError.accessDenied("not here")) { try await server.call("Fail", at: "/one") }
        await #expect(throws: BusError.self) { try await server.call("Nothing", at: "/one") }
        await #expect(throws: BusError.self) { try await server.call("Name", at: "/three") }
        // Without the object nobody answers.
        calls.removeFirst()
        await #expect(throws: BusError.self) { try await server.call("Name", at: "/one") }
        #expect(try await server.call("Name", at: "/two") == "/two")
        withExtendedLifetime((calls, bus, server)) {}
    }
}
