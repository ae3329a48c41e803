// DoctorCommand: the verb that lists the defects of the machine and the installation, each with its remedy.

import ArgumentParser
import ExtensionHost

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the machine and the installation, and print a remedy for each fault.",
        discussion: """
            The command checks the daemon, its socket and its state, the folders of applications, watching, the bus, the
            kernel's features, limits, clocks and image libraries; docs/doctor.md lists all checks. If no daemon runs, it checks the
            values that a new one would use. It changes nothing. -q omits the results that need no action. The exit
            status is 1 if there is a problem, and 0 if there are only warnings.

            EXAMPLES
              exthostctl doctor
              exthostctl doctor --json
              exthostctl doctor --system -q
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let findings = try await global.withDaemon { address in
            let subject = await DoctorSubject(
                address, isNamed: global.socket != nil || variable("EXTHOST_SOCKET") != nil || global.scope == .system,
                isSystem: global.scope == .system)
            return await Self.examine(subject)
        }
        let problems = findings.count { $0.status == .problem }
        if global.json {
            try StandardOutput.write(JSON.array(findings.map(\.json)).document)
        } else {
            let width = DoctorCheck.allCases.map(\.rawValue.count).max() ?? 0
            for finding in findings where !global.quiet || finding.status != .ok {
                try StandardOutput.write(finding.text(checkWidth: width))
            }
            if !global.quiet {
                StandardError.line("exthostctl: \(summary(problems, findings.count { $0.status == .warning }))")
            }
        }
        guard problems == 0 else { throw ExitCode(ExitStatus.notExpected) }
    }

    private static func examine(_ subject: DoctorSubject) async -> [DoctorFinding] {
        let pages = await PageFindings().finding()
        return DaemonFindings(subject: subject).findings() + FolderFindings(subject: subject).findings()
            + StateFindings(subject: subject).findings() + ApplicationFindings(subject: subject).findings()
            + [BusFinding(subject: subject).finding()] + KernelFindings(subject: subject).findings()
            + LimitFindings(subject: subject).findings() + [ImageFindings().finding(), pages]
    }

    private func summary(_ problems: Int, _ warnings: Int) -> String {
        "\(problems) problem\(problems == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")"
    }
}
