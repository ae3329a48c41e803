// Program+Installed: the project's own programs, run by a test.

import Foundation
import LinuxSystem
import TestPrograms

extension Program {
    /// Starts `exthostctl`, beside the tests. `socket` names its daemon by the environment.
    static func control(
        _ arguments: [String], socket: String? = nil, environment: [String: String] = [:], terminal: Terminal? = nil
    ) throws -> Program {
        var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        variables["EXTHOST_SOCKET"] = socket
        return try Program(
            SampleApplications.buildFolder + "/exthostctl", arguments, environment: variables, terminal: terminal)
    }

    /// Starts any other program, with the same environment; `socket` names its daemon.
    /// `input` becomes its standard input, which is empty otherwise.
    static func run(
        _ path: String, _ arguments: [String], socket: String, input: SharedDescriptor? = nil,
        environment: [String: String] = [:]
    ) throws -> Program {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["EXTHOST_SOCKET": socket]) { $1 }
        return try Program(path, arguments, environment: variables, input: input)
    }

    /// Starts `exthostd` as a user's service, in the runtime folder `folder`, and waits until it serves. `state` is
    /// where it keeps what outlasts it, by default there, too.
    static func daemon(in folder: String, state: String? = nil, _ arguments: [String]) async throws -> Program {
        let variables = ProcessInfo.processInfo.environment.merging(
            [
                "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": state ?? folder,
                "XDG_DATA_HOME": (state ?? folder) + "/data",
            ]) { $1 }
        let daemon = try Program(
            SampleApplications.buildFolder + "/exthostd", ["--bus", "none"] + arguments,
            environment: variables)
        try await daemon.shows("daemon.started")
        return daemon
    }

    /// Starts `exthostd` as the system's service, with its folders as systemd names them, and waits until it serves.
    static func systemDaemon(runtime: String, state: String, _ arguments: [String]) async throws -> Program {
        let variables = ProcessInfo.processInfo.environment.merging([
            "RUNTIME_DIRECTORY": runtime, "STATE_DIRECTORY": state,
        ]) {
            $1
        }
        let daemon = try Program(
            SampleApplications.buildFolder + "/exthostd", ["--system", "--bus", "none"] + arguments,
            environment: variables)
        try await daemon.shows("daemon.started")
        return daemon
    }
}
