// What the service manager and the daemon tell each other, with a socket of the test in the manager's place.

import EventLoop
import Glibc
import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServiceTests {
    init() { LoopThread.start() }

    // Each in a process of its own, for sd-daemon reads the environment.

    @Test func notificationsArriveInOneMessageAndAStatusStaysOneLine() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket()
            #expect(try ServiceNotification.send(.ready, .status("serving\nREADY=0"), .stopping))
            #expect(manager.receive() == "READY=1\nSTATUS=serving READY=0\nSTOPPING=1")
        }
    }

    @Test func withoutAServiceManagerNotificationsDoNothing() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let told = try ServiceNotification.send(.ready)
            #expect(!told)
        }
    }

    @Test func theLoopFeedsTheWatchdogThatTheServiceAsksFor() async {
        await #expect(processExitsWith: .exitCode(5)) {
            let manager = try NotifySocket()
            setenv("WATCHDOG_USEC", "100000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            let source = Box<IOSource?>(nil)
            let code = try EventLoop.shared.run {
                do {
                    #expect(try EventLoop.shared.feedWatchdog())
                    source.value = try EventLoop.shared.watch(descriptor: manager.descriptor.raw, for: .readable) { _ in
                        EventLoop.shared.stop(exitCode: manager.receive() == "WATCHDOG=1" ? 5 : 1)
                    }
                } catch {
                    EventLoop.shared.stop(exitCode: 2)
                }
            }
            exit(code)
        }
    }

    @Test func activationSocketsAreTakenOnceWithTheirNames() async {
        await #expect(processExitsWith: .exitCode(9)) {
            // sd_listen_fds(3) fixes the numbers: from 3 on. Nothing of the testing library is needed any more there.
            let (one, other) = try socketPair()
            dup2(one.raw, 100)
            dup2(other.raw, 3)
            dup2(100, 4)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "control:second", 1)
            let sockets = try ActivationSocket.takeAll()
            let fine =
                sockets.map(\.name) == ["control", "second"] && sockets.map(\.descriptor.raw) == [3, 4]
                && fcntl(3, F_GETFD) & FD_CLOEXEC != 0 && getenv("LISTEN_FDS") == nil
            let again = try ActivationSocket.takeAll()
            _exit(fine && again.isEmpty ? 9 : 1)
        }
    }

    @Test func socketsOfAnotherProcessAreLeftAlone() async {
        await #expect(processExitsWith: .exitCode(9)) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            exit(try ActivationSocket.takeAll().isEmpty ? 9 : 1)
        }
    }
}

/// A datagram socket in the abstract namespace, named in `$NOTIFY_SOCKET`.
private final class NotifySocket: Sendable {
    let descriptor: SharedDescriptor

    init() throws {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = SharedDescriptor(owning: socket(AF_UNIX, type, 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The shortest address makes the kernel choose a free abstract name (unix(7), autobind).
        var length = socklen_t(MemoryLayout<sa_family_t>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor.raw, $0, length) }
        }
        guard bound == 0 else { throw SystemError("bind") }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor.raw, $0, &length) }
        }
        let name = withUnsafeBytes(of: address.sun_path) { path in
            String(decoding: path[1..<(Int(length) - MemoryLayout<sa_family_t>.size)], as: UTF8.self)
        }
        setenv("NOTIFY_SOCKET", "@\(name)", 1)
    }

    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor.raw, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
