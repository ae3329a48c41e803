// CommandLine: exthostctl against a test's daemon, for suites of its verbs.

import ExtensionHostTesting
import Foundation
import TestPrograms

/// Runs a verb to its end.
func control(_ arguments: [String], _ daemon: TestDaemon) async throws -> Program.Ending {
    try await Program.control(arguments, socket: daemon.address.path).ending()
}

/// The same with --json; what it printed.
func json(_ arguments: [String], _ daemon: TestDaemon) async throws -> [String: Any] {
    let ending = try await control(arguments + ["--json"], daemon)
    return try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any] ?? [:]
}

/// The same of a verb that prints JSON lines.
func jsonLines(_ arguments: [String], _ daemon: TestDaemon) async throws -> [[String: Any]] {
    try await control(arguments + ["--json"], daemon).output.split(separator: "\n").compactMap {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
}
