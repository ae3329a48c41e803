// ProxyToolTests: `exthostctl run` of proxies, and programs whose connections and queries they take.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct ProxyToolTests {
    private func run(_ sample: String, _ arguments: String...) async throws -> Program.Ending {
        let proxy = try samples() + "/Samples.app/PlugIns/\(sample).appex"
        return try await Program.control(["run", proxy, "--ephemeral"] + arguments).ending()
    }

    /// Fetches a URL by the proxy of `http_proxy`, by CONNECT or by SOCKS5, or without a proxy.
    private static let client = """
        import os, socket, struct, sys, urllib.request
        way, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
        if way == "http":
            try: print(urllib.request.urlopen("http://%s:%d/a" % (host, port)).read())
            except Exception as error: print(type(error).__name__, getattr(error, "code", ""))
            sys.exit(0)
        place = os.environ["ALL_PROXY"].split("//")[1].split(":")
        s = socket.create_connection((place[0], int(place[1])))
        if way == "socks":
            s.sendall(b"\\5\\1\\0\\5\\1\\0\\3" + bytes([len(host)]) + host.encode() + struct.pack(">H", port))
            print(s.recv(2), s.recv(10)[:2])
        else:
            s.sendall(("CONNECT %s:%d HTTP/1.1\\r\\n\\r\\n" % (host, port)).encode())
            head = b""
            while not head.endswith(b"\\r\\n\\r\\n"):
                byte = s.recv(1)
                if not byte: break
                head += byte
            print(head.split(b"\\r\\n")[0])
        s.sendall(b"GET /a HTTP/1.0\\r\\n\\r\\n")
        try: print(s.makefile("rb").read().split(b"\\r\\n\\r\\n")[-1])
        except OSError as error: print(type(error).__name__)
        """

    // spec: NX-20, NX-31, NX-34
    @Test(
        "NX-20, NX-31, NX-34: a command's connections are flows of an app proxy, taken or refused",
        arguments: [
            ("http", "Hello", "HTTPError 403"), ("socks", "b'\\x05\\x00' b'\\x05\\x00'", "b'\\x05\\x00' b'\\x05\\x02'"),
            ("connect", "b'HTTP/1.1 200 Connection established'", "b'HTTP/1.1 403 Forbidden'"),
        ])
    func connections(way: String, taken: String, refused: String) async throws {
        let good = try await run("Greeter", "--", "python3", "-c", Self.client, way, "any.example", "80")
        #expect(good.status == 0 && good.output.contains("Hello from any.example: GET /a HTTP/1."), "\(good)")
        #expect(good.output.contains(taken) && good.output.contains("1 flow, 1 taken, 0 refused"), "\(good)")
        #expect(good.errors.contains("taken tcp:any.example:80"), "\(good)")
        #expect(good.errors.contains("closed tcp:any.example:80, "), "\(good)")
        let bad = try await run("Greeter", "--", "python3", "-c", Self.client, way, "any.example", "81")
        #expect(bad.output.contains(refused) && bad.output.contains("1 flow, 0 taken, 1 refused"), "\(bad)")
        #expect(bad.errors.contains("refused tcp:any.example:81"), "\(bad)")
    }

    // spec: NX-23, NX-31, NX-34
    @Test("NX-23, NX-31, NX-34: a command's queries are flows of a DNS proxy, which answers them") func queries()
        async throws
    {
        let known = try await run("LocalNames", "--", "getent", "hosts", "files.home")
        #expect(known.status == 0 && known.output.contains("192.0.2.8"), "\(known)")
        #expect(known.errors.contains("taken udp:"), "\(known)")
        let both = try await run("LocalNames", "--", "getent", "ahosts", "printer.home")
        #expect(both.output.contains("192.0.2.7") && both.output.contains("2001:db8::7"), "\(both)")
        let unknown = try await run("LocalNames", "--json", "--", "getent", "hosts", "nowhere.home")
        #expect(unknown.status == 2 && !unknown.output.contains("192.0.2"), "\(unknown)")
        let failed = try await run("LocalNames", "--", "sh", "-c", "exit 7")
        #expect(failed.status == 7, "\(failed)")
        // The provider waits for the command, so nothing is said about a request without an answer.
        let long = try await run("LocalNames", "--", "sleep", "4")
        #expect(long.status == 0 && !long.errors.contains("has not answered"), "\(long)")
    }

    // spec: PC-27, NX-20, NX-23, NX-34
    @Test("PC-27: a scenario offers flows and queries to proxies, and expects their answers") func scenarios()
        async throws
    {
        let bundles = try ProxyStage.bundles()
        let file = bundles.path + "/proxy.scenario"
        func outcome(_ text: String) async throws -> Program.Ending {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return try await Program.control(
                ["test", file, "--applications", bundles.path, "--applications", try samples()]
            ).ending()
        }
        try Data("GET /file HTTP/1.0\r\n\r\n".utf8).write(to: URL(fileURLWithPath: bundles.path + "/request"))
        let greeter = try await outcome(
            """
            extension org.exthost.samples.greeter
            test "it answers requests"
              proxy tcp:any.example:80 send "GET /a HTTP/1.0\\r\\n" send "\\r\\n"
              expect result answered
              expect shown answer contains "Hello from any.example: GET /a"
              expect shown outbound = 19
              proxy tcp:any.example:80 send @request
              expect shown answer contains "GET /file"
              proxy tcp:any.example:80
              expect result nothing
              proxy tcp:any.example:81 send x
              expect result refused
              expect processes 1
              proxy stop
              expect result stopped
            """)
        #expect(greeter.status == 0, "\(greeter)")
        let names = try await outcome(
            """
            extension org.exthost.samples.local-names
            test "it knows names"
              resolve printer.home
              expect result answered
              expect shown addresses.0 = "192.0.2.7"
              resolve printer.home AAAA
              expect shown addresses.0 = "2001:db8::7"
              resolve files.home AAAA
              expect result nothing
              expect shown code = 0
              resolve nowhere.home
              expect result nothing
              expect shown code = 3
              proxy tcp:192.0.2.53:53 send x
              expect result refused
            """)
        #expect(names.status == 0, "\(names)")
        let proxier = try await outcome(
            """
            extension org.exthost.tests.proxy
            test "datagrams, messages and failures"
              proxy start mode=fast
              expect result connected
              proxy udp:192.0.2.1:53 send one send two
              expect result answered
              expect shown answers.1 = "two"
              proxy message x
              expect result answered
              expect shown reply = "0"
              proxy tcp:fail.test:80
              expect result failed
              expect shown reason contains "hostUnreachable"
              resolve a.test
              expect result failed
              expect shown reason contains "do not answer"
            test "it does not start"
              proxy start mode=refuse
              expect result failed
            test "it dies"
              proxy tcp:crash.test:80
              expect result failed
              expect exit crashed
            """)
        #expect(proxier.status == 0, "\(proxier)")
        let wrong = try await outcome(
            """
            extension org.exthost.tests.proxy
            test "it is refused"
              proxy tcp:echo.test:80 send hello
              expect result refused
            """)
        #expect(wrong.status == 1 && wrong.output.contains("answered"), "\(wrong)")
    }

    @Test func faultyOptionsAreTold() async throws {
        for (sample, arguments) in [
            ("Greeter", []), ("LocalNames", ["--server", "192.0.2.1", "--", "true"]),
            ("Greeter", ["--option", "x", "--", "true"]), ("Greeter", ["--flow", "tcp:a:1", "--", "true"]),
        ] as [(String, [String])] {
            let proxy = try samples() + "/Samples.app/PlugIns/\(sample).appex"
            let ending = try await Program.control(["run", proxy, "--ephemeral"] + arguments).ending()
            #expect(ending.status == 64, "\(ending)")
        }
    }

    /// The output of a script in the network of a proxy.
    private func output(of script: String, _ arguments: [String], _ network: ProgramNetwork) async throws -> String {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let path = folder.path + "/output"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        _ = try await network.run(
            ["python3", "-c", script] + arguments, environment: ["PATH=/usr/bin:/bin"], in: "/", streams: [0, file, 2])
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    /// Sends datagrams to the name server of the network, and prints the answers.
    private static let datagrams = """
        import socket, sys
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(30)
        for text in sys.argv[1:]:
            s.sendto(text.encode(), ("127.0.0.1", 53))
        for text in sys.argv[1:]:
            print(s.recv(65536))
        """

    // spec: NX-21, NX-23, NX-31
    @Test("NX-21, NX-23, NX-31: a socket's datagrams are a flow, and those after its end are another") func sockets()
        async throws
    {
        var settings = ProxyHost.Settings()
        settings.names = .init(["192.0.2.53"])
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let text = try await output(of: Self.datagrams, ["one", "last", "more", "last", "end"], network)
            #expect(text == "b'one'\nb'last'\nb'more'\nb'last'\nb'end'\n")
            #expect(stage.notes.said.contains { $0.hasPrefix("datagrams 192.0.2.53:53 127.0.0.1:") })
            #expect(await stage.proxy.counters.taken >= 2)
            await network.close()
            try await eventually { await stage.proxy.openFlows == 0 }
        }
    }

    /// Asks the SOCKS5 proxy for a way for datagrams, and prints what comes back, and what does after the connection.
    private static let association = """
        import os, socket, struct
        place = os.environ["ALL_PROXY"].split("//")[1].split(":")
        c = socket.create_connection((place[0], int(place[1])))
        c.sendall(b"\\5\\1\\0\\5\\3\\0\\1\\0\\0\\0\\0\\0\\0")
        print(c.recv(2), c.recv(4))
        way = (socket.inet_ntoa(c.recv(4)), struct.unpack(">H", c.recv(2))[0])
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(30)
        s.sendto(b"no header", way)
        for receiver in [b"\\1\\300\\0\\2\\1", b"\\3\\6a.test", b"\\4" + bytes(15) + b"\\1"]:
            s.sendto(b"\\0\\0\\0" + receiver + b"\\0\\7" + b"data", way)
            print(s.recv(65536))
        """

    // spec: NX-21, NX-31
    @Test("NX-21, NX-31: datagrams by SOCKS5 have receivers and senders, and end with their connection")
    func associations() async throws {
        try await ProxyStage.with(clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let text = try await output(of: Self.association, [], network)
            #expect(
                text == """
                    b'\\x05\\x00' b'\\x05\\x00\\x00\\x01'
                    b'\\x00\\x00\\x00\\x01\\xc0\\x00\\x02\\x01\\x00\\x07data'
                    b'\\x00\\x00\\x00\\x03\\x06a.test\\x00\\x07data'
                    b'\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x00\\x07data'

                    """)
            #expect(stage.notes.said.contains { $0.hasPrefix("datagrams 192.0.2.1:7 127.0.0.1:") })
            #expect(await stage.proxy.counters.taken == 1)
            try await eventually { await stage.proxy.openFlows == 0 }
            await network.close()
        }
    }

    // spec: NX-23, NX-31
    @Test("NX-23, NX-31: a query that the proxy refuses is answered so, and an idle flow ends") func refusals()
        async throws
    {
        var settings = ProxyHost.Settings()
        settings.names = .init(["192.0.2.99"])
        settings.idleLimit = .seconds(2)
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let query = "\\x12\\x34\\x01\\x00\\x00\\x01" + String(repeating: "\\x00", count: 6)
            let script = Self.datagrams.replacingOccurrences(of: "text.encode()", with: "b'\(query)'")
            let text = try await output(of: script, ["x"], network)
            #expect(text == "b'\\x124\\x81\\x05\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00'\n")
            await network.close()
        }
        settings.names = .init(["192.0.2.1"])
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let script = Self.datagrams + "\ns.close()\nsys.stdout.flush()"
            #expect(try await output(of: script, ["x"], network) == "b'x'\n")
            try await eventually { await stage.proxy.openFlows == 0 }
            await network.close()
        }
    }

    // spec: NX-23, NX-31
    @Test("NX-23, NX-31: a long answer comes over a connection to the name server") func longAnswers() async throws {
        var settings = ProxyHost.Settings()
        settings.names = .init(["192.0.2.53"])
        try await ProxyStage.with(ProxyStage.names, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(names: stage.proxy)
            let script = """
                import os, socket
                s = socket.create_connection(("127.0.0.1", 53))
                s.sendall(b"query")
                print(s.makefile("rb").read(), "ALL_PROXY" in os.environ)
                """
            #expect(try await output(of: script, [], network) == "b'192.0.2.53:53 query' False\n")
            await network.close()
        }
    }

    /// Connects by SOCKS5, sends a line, and prints what comes, or the error.
    private static let talker = """
        import os, socket, struct, sys
        host = sys.argv[1]
        place = os.environ["ALL_PROXY"].split("//")[1].split(":")
        s = socket.create_connection((place[0], int(place[1])))
        s.sendall(b"\\5\\1\\0\\5\\1\\0\\3" + bytes([len(host)]) + host.encode() + struct.pack(">H", 80))
        print(s.recv(2), s.recv(10)[:2])
        try:
            s.sendall(b"line")
            if len(sys.argv) > 2: s.shutdown(socket.SHUT_WR)
            print(s.makefile("rb").read())
        except OSError as error: print(type(error).__name__)
        """

    // spec: NX-20, NX-22
    @Test(
        "NX-20, NX-22: the program sees the end of its flow, or a reset",
        arguments: [
            ("echo.test", "half", "b'\\x05\\x00'\nb'line'"), ("half.test", "", "b'\\x05\\x00'\nb'half'"),
            ("die.test", "", "b'\\x05\\x00'\nConnectionResetError"), ("crash.test", "", "b'\\x05\\x04'\n"),
            ("fail.test", "", "b'\\x05\\x00'\nConnectionResetError"),
            ("deny.test", "", "b'\\x05\\x00'\nConnectionResetError"), ("never.test", "", "b'\\x05\\x04'\n"),
            ("released.test", "", "b'\\x05\\x04'\n"),
        ])
    func ends(host: String, mode: String, expected: String) async throws {
        var settings = ProxyHost.Settings()
        // Only the flows that nobody opens may come to their limit.
        if ["never.test", "released.test"].contains(host) { settings.openLimit = .milliseconds(100) }
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let text = try await output(of: Self.talker, [host] + (mode.isEmpty ? [] : [mode]), network)
            #expect(text.hasPrefix("b'\\x05\\x00' " + expected), "\(text)")
            try await eventually { await stage.proxy.openFlows == 0 }
            await network.close()
        }
    }

    // spec: NX-21, NX-22
    @Test("NX-21, NX-22: a program that ends in the middle, or a network that closes, leaves no flow") func cuts()
        async throws
    {
        try await ProxyStage.with(clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let script = Self.talker.replacingOccurrences(of: "print(s.makefile(\"rb\").read())", with: "s.recv(9)")
            #expect(try await output(of: script, ["source.test"], network).hasPrefix("b'\\x05\\x00' b'\\x05\\x00'"))
            try await eventually { await stage.proxy.openFlows == 0 }
            let waiting = Task { try await output(of: Self.talker, ["echo.test"], network) }
            try await eventually { await stage.proxy.counters.taken == 2 }
            await network.close()
            _ = try await waiting.value
            try await eventually { await stage.proxy.openFlows == 0 }
        }
    }

    /// Sends datagrams that wait for the provider, until another socket lets it go on, and prints how many came back.
    private static let flood = """
        import socket, sys
        size, count = int(sys.argv[1]), int(sys.argv[2])
        server = ("127.0.0.1", 53)
        def make():
            made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            made.settimeout(30)
            return made
        def ask(s, text):
            s.sendto(text, server)
            return s.recv(65536)
        s, other = make(), make()
        print(ask(s, b"wait"))
        for _ in range(count): s.sendto(bytes(size), server)
        # The host takes datagrams in their order, so these ones come after those.
        print(ask(other, b"go"))
        echoes = 0
        s.settimeout(0.1)
        while True:
            try: answer = s.recv(65536)
            except TimeoutError: s.sendto(b"end", server); continue
            if answer == b"end": break
            echoes += 1
        print(echoes)
        """

    // spec: NX-23, NX-31
    @Test(
        "NX-23, NX-31: a bounded number of a socket's datagrams, and of their bytes, waits for a provider",
        arguments: [(1, 100, 63...64), (8_000, 20, 7...8)])
    func waitingDatagrams(size: Int, count: Int, most: ClosedRange<Int>) async throws {
        var settings = ProxyHost.Settings()
        settings.names = .init(["192.0.2.97"])
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            let text = try await output(of: Self.flood, ["\(size)", "\(count)"], network)
            let lines = text.split(separator: "\n")
            #expect(lines.prefix(2) == ["b'wait'", "b'go'"])
            #expect(lines.last.flatMap { Int($0) }.map { most.contains($0) } == true, "\(text)")
            await network.close()
        }
    }

    /// Opens so many sockets, and prints how many of them get an answer.
    private static let sockets = """
        import os, socket, struct, sys
        kind, count = sys.argv[1], int(sys.argv[2])
        place = os.environ["ALL_PROXY"].split("//")[1].split(":")
        place = (place[0], int(place[1]))
        def association():
            c = socket.create_connection(place)
            c.sendall(b"\\5\\1\\0\\5\\3\\0\\1\\0\\0\\0\\0\\0\\0")
            c.recv(2), c.recv(4)
            return c, (socket.inet_ntoa(c.recv(4)), struct.unpack(">H", c.recv(2))[0])
        def datagrams(server, head):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.sendto(head + b"x", server)
            return s
        def connection():
            s = socket.create_connection(place)
            s.sendall(b"\\5\\1\\0\\5\\1\\0\\3\\11echo.test" + struct.pack(">H", 80))
            return s, s.recv(2), s.recv(10)[1]
        if kind == "connections":
            made = [connection() for _ in range(count)]
            print(sum(code == 0 for _, _, code in made), sum(code == 1 for _, _, code in made))
            sys.exit(0)
        server, head = ("127.0.0.1", 53), b""
        if kind == "association":
            control, server = association()
            head = b"\\0\\0\\0\\1\\300\\0\\2\\1\\0\\7"
        made = [datagrams(server, head) for _ in range(count)]
        answered = 0
        for s in made[:int(sys.argv[3])]:
            s.settimeout(30)
            answered += len(s.recv(99)) > 0
        # An answer to the first socket comes after everything that the host did with those before.
        made[0].sendto(head + b"x", server)
        made[0].recv(99)
        for s in made[int(sys.argv[3]):]:
            s.setblocking(False)
            try: answered += len(s.recv(99)) > 0
            except BlockingIOError: pass
        print(answered)
        """

    // spec: NX-31
    @Test(
        "NX-31: a bounded number of programs' connections and sockets is served at a time",
        arguments: [
            (["connections", "260"], "256 4"), (["names", "132", "128"], "128"), (["association", "6", "4"], "4"),
        ])
    func bounds(arguments: [String], expected: String) async throws {
        var settings = ProxyHost.Settings()
        settings.names = .init(["192.0.2.53"])
        try await ProxyStage.with(ProxyStage.app, settings, clock: .real) { stage in
            let network = try await ProgramNetwork(stage.proxy)
            #expect(try await output(of: Self.sockets, arguments, network) == expected + "\n")
            await network.close()
            try await eventually { await stage.proxy.openFlows == 0 }
        }
    }
}
