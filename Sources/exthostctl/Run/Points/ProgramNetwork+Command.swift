// ProgramNetwork+Command: the command of `run` in a network of its own, for filters and proxies.

import Foundation
import PointHosts

extension ProgramNetwork {
    /// Runs a command of this tool to its end, with the tool's environment and folder, and closes the network.
    ///
    /// - Returns: the exit status of the command, as a shell has it.
    /// - Throws: `ExtensionHostError` `launchFailed` if it cannot be executed.
    func runCommand(_ command: [String]) async throws -> Int32 {
        let status: Int32
        do {
            status = try await run(
                command, environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" },
                in: FileManager.default.currentDirectoryPath)
        } catch {
            await close()
            throw error
        }
        await close()
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }
}
