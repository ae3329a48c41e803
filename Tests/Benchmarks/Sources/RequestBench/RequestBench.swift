// RequestBench: requests, notifications and large values through host kit, daemon and extension; prints a line of
// samples for each figure.

import ExtensionHostTesting
import Foundation
import PageMessages

/// Usage: `RequestBench WHAT EXTENSION ROUNDS [MORE…]`, as `Scripts/bench` calls it.
@main
struct RequestBench {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("RequestBench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let arguments = CommandLine.arguments
        let what = arguments.dropFirst().first
        guard arguments.count > 3, let rounds = Int(arguments[3]) else { usage() }
        let (program, more) = (arguments[2], Array(arguments.dropFirst(4)))
        let number = more.first.flatMap(Int.init)
        switch (what, number) {
        case ("cold", _): try await LaunchBench(program: program, rounds: rounds).run(arguments: more)
        case ("parked", _): try await LaunchBench(program: program, rounds: rounds).runWaiting(arguments: more)
        case ("warm", _): try await LoadBench(program: program, hosts: 1, requests: rounds).run()
        case ("load", let hosts?): try await LoadBench(program: program, hosts: hosts, requests: rounds).run()
        case ("notify", let count?):
            try await NotificationBench(program: program, extensions: count, rounds: rounds).run()
        case ("idle", let count?):
            try await IdleBench(program: program, extensions: count, seconds: rounds).run()
        case ("calls", _): try await CallBench(program: program, rounds: rounds).run()
        case ("page", _):
            guard let engine = PageEngineKind(rawValue: program) else { usage() }
            try await PageBench(engine: engine, rounds: rounds).run()
        case ("tunnel", _):
            // ROUNDS are the milliseconds.
            guard more.count > 2 else { usage() }
            try await TunnelBench(program: program, client: [more[0], "client", "\(rounds)", more[1], more[2]]).run()
        case ("deadline", _): try await DeadlineBench(program: program, rounds: rounds).run()
        case ("tree", let count?): try await DeadlineBench(program: program, rounds: rounds).tree(of: count)
        case ("bulk", let bytes?):
            guard more.count > 1, let way = BulkBench.Way(rawValue: more[1]) else { usage() }
            try await BulkBench(program: program, way: way, count: bytes, rounds: rounds).run()
        default: usage()
        }
    }

    private static func usage() -> Never {
        print(
            """
            usage: RequestBench WHAT EXTENSION ROUNDS [MORE…]
              cold [OPTION…]     options of the daemon's
              parked [OPTION…]   the same where a process waits for each request
              warm
              load HOSTS         ROUNDS requests in all
              notify EXTENSIONS
              idle EXTENSIONS    for ROUNDS seconds
              calls
              page               an article in an engine, whose name takes the place of EXTENSION
              tunnel CLIENT SIZE WINDOW   ROUNDS milliseconds of datagrams
              deadline
              tree CHILDREN
              bulk BYTES WAY     \(BulkBench.Way.allCases.map(\.rawValue).joined(separator: ", "))
            """)
        exit(64)
    }
}

struct BenchFailure: Error { let outcome: String }
