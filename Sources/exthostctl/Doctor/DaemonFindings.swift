// DaemonFindings: checks that the daemon answers, is the installed one, and is reachable by its user alone.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc

struct DaemonFindings {
    let subject: DoctorSubject

    func findings() -> [DoctorFinding] { [daemon] + [version, socket].compactMap { $0 } + programs }

    private var daemon: DoctorFinding {
        if let status = subject.daemon?.status {
            return .ok(
                .daemon,
                "exthostd \(status.version), pid \(status.pid), user \(status.user), answers at \(subject.address), up for \(written(seconds: Double(max(0, status.time - status.started)) / 1e6))"
            )
        }
        let failure = subject.failure
        let why = [failure?.message ?? "no answer", failure?.cause].compactMap { $0 }.joined(separator: ": ")
        let file = FileLook(subject.address.path)
        // A socket in another user's folder hides even its owner.
        if failure?.code == .notPermitted {
            let owner = file.map { "user \($0.owner)" } ?? "the user of the daemon"
            return .problem(.daemon, why, remedy: "Ask as \(owner), or start a daemon of your own with exthostd")
        }
        guard file?.isSocket == true else {
            let start = subject.isSystem ? "systemctl start exthostd" : "exthostd"
            let remedy = "Start one with \(start), or use --ephemeral for a temporary one"
            // A daemon is optional: each test starts a private one.
            return subject.isNamed ? .problem(.daemon, why, remedy: remedy) : .warning(.daemon, why, remedy: remedy)
        }
        if failure?.code == .versionMismatch {
            return .problem(.daemon, why, remedy: failure?.remedy ?? ExtensionHostError.Code.versionMismatch.remedy)
        }
        return .problem(
            .daemon, "\(why); the socket exists",
            remedy:
                "Check whether exthostd runs (pgrep -a exthostd). Stop one that hangs. A killed one leaves its socket, and the next one replaces it"
        )
    }

    /// A comparison of the daemon's version with that of this tool.
    private var version: DoctorFinding? {
        guard let status = subject.daemon?.status else { return nil }
        let own = ControlCommand.configuration.version
        let range = status.minimum.flatMap { low in status.maximum.map { "\(low) to \($0)" } } ?? "1.0"
        let found =
            "the daemon is \(status.version) with protocol \(range), this tool \(own) with \(ProtocolVersion.lowest) to \(ProtocolVersion.current)"
        let highest = status.maximum ?? .lowest
        if status.version == own, highest == .current { return .ok(.daemonVersion, found) }
        let isOlder =
            highest < .current
            || (highest == .current && status.version.compare(own, options: .numeric) == .orderedAscending)
        return .warning(
            .daemonVersion, found,
            remedy: isOlder
                ? "Restart the daemon after an update, or install the exthostd of this tool's version"
                : "Install the exthostctl of the daemon's version"
        )
    }

    private var socket: DoctorFinding? {
        let path = subject.address.path
        guard let file = FileLook(path) else { return nil }
        guard file.isSocket else {
            return .problem(
                .socket, "\(path) is \(file.kind), not a socket", remedy: "Move it away, and start exthostd")
        }
        let found = "\(path), owner \(file.owner), mode \(file.modeText)"
        if let daemon = subject.daemon, file.owner != 0, Int(file.owner) != daemon.status.user {
            return .problem(
                .socket, "\(found); the daemon's user is \(daemon.status.user)",
                remedy: "Remove the socket and restart the daemon: another user may have put it there")
        }
        if file.mode & 0o077 != 0, !subject.isSystem {
            return .warning(.socket, "\(found): open to other users", remedy: "chmod 600 \(path)")
        }
        return .ok(.socket, found)
    }

    // MARK: Programs

    private var programs: [DoctorFinding] {
        let path: String
        do {
            path = try DaemonProgram.locate()
        } catch {
            return [
                .warning(.daemonProgram, error.message, remedy: error.remedy ?? ExtensionHostError.Code.noDaemon.remedy)
            ]
        }
        return [daemonProgram(path), initProgram(beside: path)]
    }

    private func daemonProgram(_ path: String) -> DoctorFinding {
        let own = ControlCommand.configuration.version
        do throws(TriedProgram.Failure) {
            let answer = try TriedProgram.run(path, ["--version"])
            guard answer.status == 0 else {
                return .problem(
                    .daemonProgram, "\(path) --version exited with status \(answer.status)",
                    remedy: "Install it again; ldd \(path) shows missing libraries")
            }
            let version = answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
            if version == own { return .ok(.daemonProgram, "\(path) is \(version)") }
            return .warning(
                .daemonProgram, "\(path) is “\(version.prefix(64))”, this tool \(own)",
                remedy: "Install both in one version")
        } catch {
            return .problem(
                .daemonProgram, "\(path) does not run: \(error.what)",
                remedy: "Install it again, built for this machine; \(error.remedy)")
        }
    }

    private func initProgram(beside daemon: String) -> DoctorFinding {
        guard let path = InitProgram.locate(beside: daemon) else {
            return .problem(
                .initProgram, "there is no exthost-init at \(InitProgram.places(of: daemon).joined(separator: " or "))",
                remedy: "Install it beside exthostd")
        }
        guard access(path, X_OK) == 0 else {
            return .problem(.initProgram, "\(path) is not executable", remedy: "chmod +x \(path)")
        }
        return .ok(.initProgram, path)
    }
}

/// The location of the init program of namespaces.
enum InitProgram {
    /// Returns the places where `exthostd` itself looks: `$EXTHOST_INIT`, else beside it, else that of an installation.
    static func places(of daemon: String) -> [String] {
        if let named = variable("EXTHOST_INIT") { return [named] }
        let folder = URL(fileURLWithPath: daemon).deletingLastPathComponent().path
        return ["\(folder)/exthost-init", "\(folder)/../libexec/exthost/exthost-init"]
    }

    static func locate(beside daemon: String) -> String? { places(of: daemon).first { access($0, F_OK) == 0 } }
}
