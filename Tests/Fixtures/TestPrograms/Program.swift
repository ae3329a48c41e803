// Program: a program run by a test, its streams read as it writes them, ended with the test.

package import ExtensionHostTesting
import Foundation
package import Glibc
package import LinuxSystem

/// A running program. When the last reference goes it is killed, by its own process descriptor, with its process group.
///
/// Foundation's `Process` is nothing for tests that run beside each other. It hears of an end by the end of a socket,
/// which each `Process` that is started at the same moment inherits, so it may wait for a stranger's end. Its dead child
/// is reaped no sooner, and Swift Testing, which looks at the first dead child only, then hears of no end of an exit test.
package final class Program: Sendable {
    package struct Ending: Sendable {
        package let exit: ExitStatus
        package let output: String
        package let errors: String

        /// The exit status; nil when a signal ended it.
        package var status: Int32? { if case .exited(let code) = exit { code } else { nil } }
    }

    /// The bound of a wait for something that is due, in milliseconds.
    package static let patience: Int32 = 120_000

    private let process: ReapedProcess
    private let output: Reader?
    private let errors: Reader?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: where it is; `PATH` is not searched.
    ///   - environment: all its variables; nil are this process's.
    ///   - folder: its working directory; nil is this process's.
    ///   - input: its standard input, which is empty otherwise.
    ///   - outputTarget: what gets its standard output, which `lines` and `Ending.output` have otherwise.
    ///   - errorTarget: what gets its standard error, which `Ending.errors` has otherwise.
    ///   - terminal: a terminal that gets its standard error.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, in folder: String? = nil,
        input: SharedDescriptor? = nil, output outputTarget: SharedDescriptor? = nil,
        errors errorTarget: SharedDescriptor? = nil, terminal: Terminal? = nil
    ) throws {
        let variables = environment ?? ProcessInfo.processInfo.environment
        var attributes = SpawnAttributes(
            executable: path, arguments: arguments, environment: variables.map { "\($0.key)=\($0.value)" },
            workingDirectory: folder)
        if let input { attributes.standardInput = .descriptor(input.raw) }
        let errorTarget = errorTarget ?? terminal?.program
        let outputEnds = outputTarget == nil ? try Self.pipe() : nil
        let errorEnds = errorTarget == nil ? try Self.pipe() : nil
        attributes.standardOutput = .descriptor(outputTarget?.raw ?? outputEnds?.writing.raw ?? 1)
        attributes.standardError = .descriptor(errorTarget?.raw ?? errorEnds?.writing.raw ?? 2)
        attributes.onDaemonExit = .keep  // the parent-death signal would follow this thread
        process = try ReapedProcess(try spawn(attributes))
        terminal?.handOver()
        output = try outputEnds.map { try Reader($0.reading) }
        errors = try errorEnds.map { try Reader($0.reading) }
    }

    /// Runs a program to its end. Its parameters are those of the initializer.
    package static func ending(
        of path: String, _ arguments: [String] = [], environment: [String: String]? = nil, in folder: String? = nil,
        input: SharedDescriptor? = nil
    ) async throws -> Ending {
        try await Program(path, arguments, environment: environment, in: folder, input: input).ending()
    }

    /// Runs a program to its end, and blocks this thread, for values that cannot wait otherwise.
    package static func status(of path: String, _ arguments: [String], in folder: String? = nil) throws -> Int32? {
        let program = try Program(path, arguments, in: folder)
        guard program.process.hasEnded(within: 5 * patience), let ending = program.process.ending else { return nil }
        return Ending(exit: ending.status, output: "", errors: "").status
    }

    deinit {
        _ = try? process.signalTree(SIGKILL)
        _ = process.hasEnded(within: Self.patience)
    }

    package var pid: pid_t { process.pid }

    /// Sends any signal; one that has ended gets none.
    package func signal(_ number: Int32) throws { try process.signal(number) }

    package func interrupt() throws { try process.signal(SIGINT) }

    package func kill() throws { try process.signal(SIGKILL) }

    /// As a service is ended.
    package func end() throws { try process.signal(SIGTERM) }

    /// The lines of standard output, as they come.
    package var lines: AsyncStream<String> { output?.lines ?? AsyncStream { $0.finish() } }

    /// Waits until standard output or standard error has a line with `text`, and throws if none had when it ended.
    package func shows(_ text: String) async throws {
        let found = await withTaskGroup(of: Bool.self) { group in
            for reader in [output, errors].compactMap({ $0 }) {
                group.addTask { await reader.lines.contains { $0.contains(text) } }
            }
            for await found in group where found {
                group.cancelAll()
                return true
            }
            return false
        }
        guard found else { throw Silence(missing: text) }
    }

    /// Waits for its end, and throws if it does not come.
    ///
    /// - Parameter patience: milliseconds.
    package func ending(within patience: Int32 = Program.patience) async throws -> Ending {
        guard try await process.ends(within: patience) else { throw Endless(pid: process.pid) }
        return Ending(
            exit: process.ending?.status ?? .unknown, output: await output?.all ?? "", errors: await errors?.all ?? "")
    }

    /// The program did not end.
    package struct Endless: Error {
        package let pid: pid_t
    }

    /// The program ended and had not shown this.
    package struct Silence: Error {
        package let missing: String
    }

    package static func pipe() throws -> (reading: SharedDescriptor, writing: SharedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
    }
}
