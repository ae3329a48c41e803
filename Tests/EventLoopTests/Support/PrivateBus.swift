// PrivateBus: a dbus-daemon of one test's own, with nothing shared, gone with the test.

import EventLoop
import Glibc
import LinuxSystem

@HostActor
final class PrivateBus {
    let address: String
    private let daemon: ChildProcess
    private let folder: String

    init() async throws {
        var template = Array("/tmp/exthost-bus.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(folder)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                <deny own="org.exthost.Forbidden"/>
              </policy>
            </busconfig>
            """
        let file = OwnedDescriptor(owning: open("\(folder)/bus.conf", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        let text = Array(configuration.utf8)
        guard write(file.raw, text, text.count) == text.count else { throw SystemError("write") }
        daemon = try ChildProcess([
            "/usr/bin/dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile", "--nosyslog",
            "--print-address=1",
        ])
        address = String(try await daemon.output.read { $0.contains("\n") }.prefix { $0 != "\n" })
    }

    isolated deinit { end() }

    /// Kills the bus, as if it had crashed.
    func end() {
        daemon.end()
        for name in ["bus", "bus.conf"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    /// Stops the bus from reading.
    func pause() { kill(daemon.pid, SIGSTOP) }

    /// A connection of our side, with the name taken.
    func connect(disconnected: @escaping @HostActor () -> Void = {}) async throws -> Bus {
        let bus = try Bus(.address(address), disconnected: disconnected)
        let result: Result<Void, LoopError> = try await callback { bus.requestName(ManagerObject.busName, result: $0) }
        try result.get()
        return bus
    }

    /// Runs busctl on this bus; throws what it says on stderr if it fails.
    func busctl(_ arguments: String...) async throws -> String {
        let result = try await ChildProcess.run(["/usr/bin/busctl", "--address=\(address)", "--no-pager"] + arguments)
        guard result.status == 0 else { throw BusctlError(text: result.errors) }
        return result.output
    }

    /// A process of its own that prints each signal of an interface as a line of JSON; listening when this returns.
    func listener(interface: String) async throws -> ChildProcess {
        let listener = try ChildProcess([
            "/usr/bin/busctl", "--address=\(address)", "--json=short", "--match=type='signal',interface='\(interface)'",
            "monitor",
        ])
        _ = try await listener.errors.read { $0.contains("Monitoring bus message stream") }
        return listener
    }
}

struct BusctlError: Error, Equatable {
    let text: String
}
