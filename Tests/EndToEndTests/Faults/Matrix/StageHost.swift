// StageHost: a host in a process of its own that does what it is told line by line, and can be killed.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks
import TestPrograms

/// Tests/Fixtures/Python/stagehost.py.
final class StageHost: Sendable {
    /// Not by the environment: a version manager's stand-in takes longer to find Python than Python takes to start.
    static let python = ["/usr/bin/python3"].first { FileManager.default.isExecutableFile(atPath: $0) }

    let name: String
    /// What it says.
    let board = Board<String>()
    private let program: Program
    private let input: SharedDescriptor
    private let reading: Task<Void, Never>
    private let questions = Mutex(0)

    /// A silent one does not acknowledge by itself.
    static func start(_ name: String, isSilent: Bool = false, of daemon: TestDaemon) async throws -> StageHost {
        let host = try StageHost(name, isSilent, daemon)
        try await host.board.first("the host") { $0 == "up" }
        return host
    }

    private init(_ name: String, _ isSilent: Bool, _ daemon: TestDaemon) throws {
        self.name = name
        let ends = try Program.pipe()
        input = ends.writing
        let script = SampleApplications.root + "/Tests/Fixtures/Python/stagehost.py"
        let arguments = ["-I", "-S", script, name] + (isSilent ? ["silent"] : [])
        program = try Program.run(
            Self.python ?? "/usr/bin/env", (Self.python == nil ? ["python3"] : []) + arguments,
            socket: daemon.address.path,
            input: ends.reading)
        reading = Task { [program, board] in for await line in program.lines { board.add(line) } }
    }

    deinit { reading.cancel() }

    func tell(_ words: String...) throws {
        let line = Array((words.joined(separator: " ") + "\n").utf8)
        guard write(input.raw, line, line.count) == line.count else { throw SystemError("write") }
    }

    /// Tells it something that the daemon answers; returns the error's code, 0 for none.
    @discardableResult
    func ask(_ words: String...) async throws -> Int {
        let number = questions.withLock { number in
            number += 1
            return number
        }
        let answer = "said \(number) "
        try tell(words.joined(separator: " "))
        let line = try await board.first("the answer to \(words)") { $0.hasPrefix(answer) }
        return Int(line.dropFirst(answer.count)) ?? -1
    }

    func kill() throws { try program.kill() }
}
