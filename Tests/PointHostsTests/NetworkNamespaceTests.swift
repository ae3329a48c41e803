// NetworkNamespaceTests: the network of a host's own, and that nothing leaves it or outlives its host.

import ExtensionProtocol
import Glibc
import LinuxDescriptors
import Testing

@testable import PointHosts

@Suite struct NetworkNamespaceTests {
    private static let environment = ["PATH=/usr/bin:/bin:/usr/sbin:/sbin"]

    /// A pipe for the output of programs.
    private struct Pipe {
        let reading: SharedDescriptor
        /// Closed by `run`.
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw SystemError("pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (reading, writing) = (SharedDescriptor(owning: ends[0]), ends[1])
        }
    }

    /// Reads to the end: until no process has the other end.
    private static func readAll(_ descriptor: Int32) async -> String {
        await withCheckedContinuation { continuation in
            do {
                try startThread(named: "test-reader") {
                    var all: [UInt8] = []
                    var bytes = [UInt8](repeating: 0, count: 4096)
                    while true {
                        let count = read(descriptor, &bytes, bytes.count)
                        if count < 0, errno == EINTR { continue }
                        if count <= 0 { break }
                        all += bytes[..<count]
                    }
                    continuation.resume(returning: String(decoding: all, as: UTF8.self))
                }
            } catch {
                continuation.resume(returning: "\(error)")
            }
        }
    }

    private func output(of script: String, in namespace: NetworkNamespace) async throws -> (String, Int32) {
        let pipe = try Pipe()
        let program = try await run(script, namespace, pipe)
        return (await Self.readAll(pipe.reading.raw), await program.status)
    }

    /// Starts a script. Afterwards only processes of the namespace have the pipe's end.
    private func run(
        _ script: String, _ namespace: NetworkNamespace, _ pipe: Pipe
    ) async throws -> NetworkNamespace.RunningProgram {
        defer { close(pipe.writing) }
        return try await namespace.run(
            ["sh", "-c", script], environment: Self.environment, in: "/", streams: [0, pipe.writing, 2])
    }

    // spec: NX-31
    @Test("NX-31: nothing that a program sends reaches the machine's network") func nothingLeaves() async throws {
        let outside = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(outside) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(outside, $0, length)
                _ = getsockname(outside, $0, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let namespace = try await NetworkNamespace()
        let script = """
            python3 - <<'END'
            import socket
            def send(host):
                try:
                    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s: s.sendto(b"inside", (host, \(port)))
                    return "sent"
                except OSError as error: return error.strerror
            print(send("127.0.0.1"), "|", send("192.0.2.1"), "|", send("255.255.255.255"))
            print(sorted(name for _, name in socket.if_nameindex()))
            END
            """
        let (text, status) = try await output(of: script, in: namespace)
        #expect(status == 0)
        let lines = text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("sent | Network is unreachable | ") == true, "\(text)")
        #expect(lines.last?.contains("'lo'") == true && lines.last?.contains("eth") == false, "\(text)")
        // What comes to the machine's loopback first is from outside.
        var one = address
        withUnsafePointer(to: &one) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = sendto(outside, "outside", 7, 0, $0, length) }
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(outside, &bytes, bytes.count, 0)
        #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "outside")
        await namespace.close()
    }

    // spec: NX-31
    @Test("NX-31: a program reaches the host's listening socket, and has no capabilities") func listening() async throws
    {
        let namespace = try await NetworkNamespace()
        let (socket, port) = try await namespace.listen(isStream: true, "127.0.0.1", port: 0)
        let listener = try FlowListener(socket)
        let pipe = try Pipe()
        let program = try await run(
            "python3 -c 'import socket; s = socket.create_connection((\"127.0.0.1\", \(port))); s.sendall(b\"hello\")'; grep CapEff /proc/self/status",
            namespace, pipe)
        let connection = try #require(await listener.accept())
        #expect(try await connection.read() == Array("hello".utf8))
        #expect(await Self.readAll(pipe.reading.raw).hasSuffix("0000000000000000\n"))
        #expect(await program.status == 0)
        listener.close()
        await namespace.close()
    }

    @Test func namesAreAskedOfTheNamespacesServer() async throws {
        let namespace = try await NetworkNamespace()
        #expect(try await output(of: "cat /etc/resolv.conf", in: namespace).0 == "")
        try await namespace.apply([("nameserver", "127.0.0.1"), ("search", "example.org")])
        #expect(
            try await output(of: "cat /etc/resolv.conf", in: namespace).0
                == "nameserver 127.0.0.1\nsearch example.org\n")
        try await namespace.apply([])
        #expect(try await output(of: "cat /etc/resolv.conf", in: namespace).0 == "")
        await namespace.close()
    }

    @Test(
        "settings that cannot be in force are refused with a reason",
        arguments: [
            ("nameserver", "nobody"), ("search", "a b"), ("address", "10.0.0.1/33"), ("address", "10.0.0.1"),
            ("mtu", "100"), ("route", "0.0.0.0/0"), ("colour", "red"),
        ])
    func refusals(key: String, value: String) async throws {
        let namespace = try await NetworkNamespace()
        let error = await #expect(throws: ExtensionHostError.self) { try await namespace.apply([(key, value)]) }
        #expect(error?.code == .invalidArgument, "\(String(describing: error))")
        await namespace.close()
    }

    @Test func aProgramThatCannotBeExecutedIsReported() async throws {
        let namespace = try await NetworkNamespace()
        let error = await #expect(throws: ExtensionHostError.self) {
            _ = try await namespace.run(["no-such-program"], environment: Self.environment, in: "/")
        }
        #expect(error?.code == .launchFailed, "\(String(describing: error))")
        #expect(try await output(of: "exit 3", in: namespace).1 == 3 << 8)
        let pipe = try Pipe()
        let program = try await run("sleep 1000", namespace, pipe)
        await program.signal(SIGTERM)
        #expect(await program.status == SIGTERM)
        await namespace.close()
    }

    @Test("all programs end with the namespace, also those that left their session", arguments: [true, false])
    func nothingOutlives(isKilled: Bool) async throws {
        let namespace = try await NetworkNamespace()
        let pipe = try Pipe()
        let program = try await run(
            "setsid sleep 1000 & setsid sh -c 'trap \"\" TERM HUP; printf x; sleep 1001' & wait", namespace, pipe)
        let helper = try #require(namespace.pid)
        var byte: UInt8 = 0
        #expect(read(pipe.reading.raw, &byte, 1) == 1)
        // A helper that is killed takes them along, too.
        if isKilled { kill(helper, SIGKILL) } else { await namespace.close() }
        #expect(await Self.readAll(pipe.reading.raw) == "")
        #expect(await program.status == SIGKILL)
        await namespace.close()
        #expect(namespace.pid == nil)
        await #expect(throws: ExtensionHostError.self) { try await namespace.apply([]) }
    }

    @Test("close returns when no program of the namespace is left") func closeWaitsForTheLast() async throws {
        for _ in 0..<10 {
            let namespace = try await NetworkNamespace()
            let pipe = try Pipe()
            let script = "for i in $(seq 40); do setsid sleep 1000 & done; echo ready >&2; wait"
            let ready = try Pipe()
            let program: NetworkNamespace.RunningProgram
            do {
                defer { for end in [pipe.writing, ready.writing] { close(end) } }
                program = try await namespace.run(
                    ["sh", "-c", script], environment: Self.environment, in: "/",
                    streams: [0, pipe.writing, ready.writing])
            }
            var byte: UInt8 = 0
            #expect(read(ready.reading.raw, &byte, 1) == 1)
            await namespace.close()
            // The end of the pipe has come already.
            var entry = pollfd(fd: pipe.reading.raw, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLHUP) != 0)
            #expect(await program.status == SIGKILL)
        }
    }
}
