// ScriptedIBus: the part of ibus-daemon, played by a test on a dbus-daemon of its own.

import CSystemd
import ExtensionHostTesting
import Foundation
import LinuxSystem
import TestPrograms

@testable import EventLoop

/// A bus with the name of IBus on it. It takes components, makes engines, calls them, and gets their signals.
@HostActor
final class ScriptedIBus {
    /// A component that was registered.
    struct Component {
        let sender: String
        let name: String
        let engines: [(name: String, title: String, language: String)]
    }

    let address: String
    private let folder: TemporaryDirectory
    private let process: Program
    private let bus: Bus
    private var object: BusCalls?
    private(set) var components: [Component] = []
    /// Whether components are refused.
    private var refuses = false

    private init(_ folder: TemporaryDirectory, _ address: String, _ process: Program) throws {
        (self.folder, self.address, self.process) = (folder, address, process)
        bus = try Bus(.address(address))
        object = try BusCalls(on: bus, path: "/org/freedesktop/IBus") { [weak self] call throws(BusError) in
            guard let self, call.isCall(to: "RegisterComponent", of: "org.freedesktop.IBus") else { return false }
            guard !refuses else { throw .accessDenied("no components today") }
            components.append(try Self.component(call))
            try call.reply()
            return true
        }
    }

    func refuse() { refuses = true }

    /// Starts the bus. The loop of this process serves it.
    nonisolated static func start() async throws -> ScriptedIBus {
        // Without the loop nothing that belongs to it would begin.
        TestLoop.start()
        return try await connected()
    }

    private static func connected() async throws -> ScriptedIBus {
        let folder = try TemporaryDirectory(prefix: "exthost-ibus")
        // Without folders of services: this bus starts nobody, above all no IBus of the machine.
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(folder.path)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """
        try configuration.write(toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        let process = try Program(
            "/usr/bin/dbus-daemon",
            [
                "--config-file=\(folder.path)/bus.conf", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1",
            ])
        var address = ""
        for await line in process.lines {
            address = line
            break
        }
        let ibus = try ScriptedIBus(folder, address, process)
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            ibus.bus.requestName("org.freedesktop.IBus") { done.resume(with: $0) }
        }
        return ibus
    }

    /// Ends the bus, as a crash of ibus-daemon does.
    func end() async throws {
        bus.close()
        try process.kill()
        _ = try await process.ending()
        try? folder.remove()
    }

    private static func component(_ call: BusMessage) throws(BusError) -> Component {
        let sender = call.sender ?? ""
        return try call.readVariant("(sa{sv}ssssssssavav)") { value throws(BusError) in
            try value.readStruct("sa{sv}ssssssssavav") { members throws(BusError) in
                guard try members.readString() == "IBusComponent" else { throw .invalidArguments("no component") }
                try members.skip("a{sv}")
                let name = try members.readString()
                try members.skip("sssssssav")
                let engines = try members.readArray("v", atMost: 64) { engine throws(BusError) in
                    try engine.readVariant("(sa{sv}ssssssssussssssss)") { value throws(BusError) in
                        try value.readStruct("sa{sv}ssssssssussssssss") { members throws(BusError) in
                            guard try members.readString() == "IBusEngineDesc" else {
                                throw .invalidArguments("no engine")
                            }
                            try members.skip("a{sv}")
                            let (name, title) = (try members.readString(), try members.readString())
                            try members.skip("s")
                            let language = try members.readString()
                            try members.skip("ssssussssssss")
                            return (name, title, language)
                        }
                    }
                }
                try members.skip("")
                return Component(sender: sender, name: name, engines: engines)
            }
        }
    }

    // MARK: Calls

    /// Calls a member, and returns the answer.
    func call(
        _ member: String, of interface: String, at path: String, _ destination: String,
        _ write: @HostActor (BusMessage) throws(BusError) -> Void = { _ in }
    ) async throws -> BusMessage {
        try await withCheckedThrowingContinuation { done in
            bus.call(member, of: interface, at: path, destination: destination, write) { answer in
                done.resume(with: answer)
            }
        }
    }

    /// Calls a member without waiting.
    func send(
        _ member: String, of interface: String, at path: String, _ destination: String,
        _ write: @HostActor (BusMessage) throws(BusError) -> Void,
        answer: @escaping @HostActor (Result<BusMessage, BusError>) -> Void
    ) {
        bus.call(member, of: interface, at: path, destination: destination, write, answer: answer)
    }

    /// Creates an engine of a program that has registered, or has a name.
    func engine(_ name: String, of program: String) async throws -> ScriptedEngine {
        let answer = try await call(
            "CreateEngine", of: "org.freedesktop.IBus.Factory", at: "/org/freedesktop/IBus/Factory", program
        ) { call throws(BusError) in try call.append(name) }
        return try ScriptedEngine(self, program, try answer.readObjectPath(), on: bus)
    }
}

/// The thread of the test process on which the loop runs.
enum TestLoop {
    static func start() { _ = once }

    private static let once: Void = {
        // Tests of another module, in the same process, may have started the loop.
        Thread.detachNewThread { _ = try? EventLoop.shared.run() }
    }()
}

/// The signals of an interface, in order.
@HostActor
final class BusSignals {
    private let take: @HostActor (BusMessage) -> Void
    private var slot: OpaquePointer?

    init(on bus: Bus, path: String, interface: String, _ take: @escaping @HostActor (BusMessage) -> Void) throws {
        self.take = take
        let callback: sd_bus_message_handler_t = { message, context, _ in
            HostActor.enter(context, message) { context, message in
                Unmanaged<BusSignals>.fromOpaque(context).takeUnretainedValue().take(BusMessage(sharing: message))
            }
            return 0
        }
        let rule = "type='signal',path='\(path)',interface='\(interface)'"
        try LoopError.check(
            "sd_bus_add_match_async",
            sd_bus_add_match_async(
                bus.pointer, &slot, rule, callback, nil, Unmanaged.passUnretained(self).toOpaque()))
    }

    isolated deinit { sd_bus_slot_unref(slot) }
}
