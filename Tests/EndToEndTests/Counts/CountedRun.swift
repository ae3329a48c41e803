// CountedRun: programs under valgrind, and what it counted.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms

/// The tool, where it is installed, and a place for what it writes.
final class CountedRun: Sendable {
    static let valgrind = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"].first(
        where: FileManager.default.isExecutableFile)

    /// Milliseconds. Under the tool a program is fifty times as slow, on a machine that may have other things to run.
    private static let patience: Int32 = 600_000
    /// Where something lies in a dictionary is else another place in each process.
    private static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
    /// No limit on time is to act.
    private static let timers = ["launch", "firstRequest", "request", "load", "postComplete", "expire", "term"].flatMap
    {
        ["--timer", "\($0)=5min"]
    }

    /// The tool has descriptors of its own above those of the program, and no child starts below them.
    private static let descriptors = ["--limit", "descriptors=off"]

    let folder: TemporaryDirectory
    private let tool: String

    init() throws {
        guard let tool = Self.valgrind else { throw UnexpectedOutcome(outcome: "there is no valgrind") }
        self.tool = tool
        folder = try TemporaryDirectory(prefix: "exthost-counts")
    }

    deinit { try? folder.remove() }

    /// A built program without the information for debuggers, whose newer forms valgrind cannot read.
    func stripped(_ name: String) async throws -> String {
        let place = "\(folder.path)/\(name)"
        let ending = try await Program.run(
            "/usr/bin/env", ["strip", "-g", "-o", place, "\(SampleApplications.buildFolder)/\(name)"], socket: ""
        ).ending()
        guard ending.status == 0 else { throw UnexpectedOutcome(outcome: "strip failed: \(ending.errors)") }
        return place
    }

    /// Options of the tool, which writes into a subfolder of its own.
    private func options(_ name: String) throws -> [String] {
        let place = "\(folder.path)/\(name).counts"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        return ["--tool=callgrind", "--callgrind-out-file=\(place)/out.%p", "--log-file=\(place)/log.%p"]
    }

    /// What was counted from one function whose name begins so to the next, by the first's name.
    func counts(
        _ name: String, _ program: String, _ arguments: [String], between prefix: String
    ) async throws -> [String: Int] {
        let ending = try await Program.run(
            tool, try options(name) + ["--dump-before=\(prefix)*", program] + arguments, socket: "",
            environment: Self.environment
        ).ending(within: Self.patience)
        guard ending.status == 0 else { throw UnexpectedOutcome(outcome: "\(program) failed: \(ending.errors)") }
        var counts: [String: Int] = [:]
        var before: String?
        // Numbered in the order in which they were written; the last has no number.
        for file in try files(name) {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let trigger = Self.line("desc: Trigger: --dump-before=", of: text)
            if let before, let total = Self.line("totals: ", of: text).flatMap({ Int($0) }) { counts[before] = total }
            before = trigger
        }
        return counts
    }

    /// What a program takes from its start to its end, all threads together.
    func total(_ name: String, _ program: String, _ arguments: [String]) async throws -> Int {
        let program = try Program.run(
            tool, try options(name) + [program] + arguments, socket: "", environment: Self.environment)
        return try await total(name, program)
    }

    /// What a program has counted when it has ended.
    private func total(_ name: String, _ program: Program) async throws -> Int {
        let ending = try await program.ending(within: Self.patience)
        guard ending.status == 0 else { throw UnexpectedOutcome(outcome: "\(name) ended with \(ending)") }
        let text = try String(contentsOfFile: "\(folder.path)/\(name).counts/out.\(program.pid)", encoding: .utf8)
        guard let count = Self.line("totals: ", of: text).flatMap({ Int($0) }) else {
            throw UnexpectedOutcome(outcome: "nothing was counted of \(name)")
        }
        return count
    }

    /// A private daemon under the tool; what it has counted when it has ended.
    func daemon(
        _ name: String, _ program: String, _ arguments: [String], _ body: (HostApplication) async throws -> Void
    ) async throws -> Int {
        let input = try Program.pipe()
        let daemon = try Program.run(
            tool,
            try options(name) + [program, "--ephemeral", "--timer", "idle=1h"] + Self.timers + Self.descriptors
                + arguments,
            socket: "", input: input.reading, environment: Self.environment)
        var socket: String?
        for await line in daemon.lines {
            let greeting = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            socket = greeting?["socket"] as? String
            break
        }
        guard let socket else {
            throw UnexpectedOutcome(outcome: "the daemon did not come up: \(try await daemon.ending().errors)")
        }
        try await body(Self.connect(DaemonAddress(path: socket)))
        try daemon.end()
        return try await total(name, daemon)
    }

    /// As often as its hello is not answered in time, which is meant for daemons that run by themselves.
    private static func connect(_ address: DaemonAddress) async throws -> HostApplication {
        for _ in 0..<30 {
            do {
                return try await HostApplication.connect(name: "counts", to: address)
            } catch let error as ExtensionHostError where error.code == .noDaemon {
                continue
            }
        }
        throw UnexpectedOutcome(outcome: "no daemon answered at \(address)")
    }

    private func files(_ name: String) throws -> [String] {
        let place = "\(folder.path)/\(name).counts"
        return try FileManager.default.contentsOfDirectory(atPath: place).filter { $0.hasPrefix("out.") }
            .sorted { (Self.number($0), $0) < (Self.number($1), $1) }.map { "\(place)/\($0)" }
    }

    /// `out.PID.NUMBER`; the one without a number is the last.
    private static func number(_ file: String) -> Int {
        let words = file.split(separator: ".")
        return words.count > 2 ? Int(words[2]) ?? .max : .max
    }

    private static func line(_ start: String, of text: String) -> String? {
        text.split(separator: "\n").last { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}
