// TreeKill: by which means nothing that an extension started outlives it, and how the best one to be had is found.

import EventLoop
import Glibc
import LinuxSystem

/// What holds an extension's descendants together. The words are those of `TreeKill` on the bus.
public enum TreeKill: String, Sendable, Hashable, CaseIterable {
    /// A pid namespace with `exthost-init` as its first process: the kernel kills all of it with that one, also when the daemon dies.
    case namespace
    /// `exthost-init` as a parent from below which no descendant gets out. An extension that kills it saves those of its descendants
    /// that have left its process group; before Linux 6.9 it may be all but the program itself.
    case guardian
    /// The session: a descendant that makes one of its own survives.
    case session

    /// For a spawn, by the program `exthost-init`.
    func enclosure(_ initProgram: String) -> SpawnAttributes.Enclosure {
        switch self {
        case .namespace: .processNamespace(initProgram: initProgram)
        case .guardian: .guardian(program: initProgram)
        case .session: .session
        }
    }
}

/// Which means an operator or a test asks for, and what was found.
struct TreeKillProbe: Sendable {
    /// How long a child of the probe may take.
    private static let patience: Int32 = 2_000

    let found: TreeKill
    /// Why a better one is not to be had, in the order tried.
    let problems: [String]

    /// Tries each means with a real child; the first that works is taken. Waits for children: not for the loop's thread.
    ///
    /// - Parameter wanted: this one and those after it in `TreeKill`'s order; nil: all.
    init(_ initProgram: String?, wanted: TreeKill?) {
        let first = wanted.flatMap(TreeKill.allCases.firstIndex) ?? 0
        var problems: [String] = []
        var found = TreeKill.session
        for means in TreeKill.allCases[first...] where means != .session {
            guard let initProgram else {
                problems.append("exthost-init was not found beside the daemon or in ../libexec/exthost")
                break
            }
            if let problem = Self.problem(of: means, initProgram) {
                problems.append("\(means.rawValue): \(problem)")
            } else {
                found = means
                break
            }
        }
        self.found = found
        self.problems = problems
    }

    /// A child that is to exit with a status of its own, which has to come through; nil when it does.
    private static func problem(of means: TreeKill, _ initProgram: String) -> String? {
        // Without arguments the init explains its usage, on a standard error that nobody reads, and exits with EX_USAGE.
        var attributes = SpawnAttributes(executable: initProgram)
        attributes.enclosure = means.enclosure(initProgram)
        attributes.onDaemonExit = .keep
        do {
            let child = try spawn(attributes)
            var entry = pollfd(fd: child.pidfd.raw, events: Int16(POLLIN), revents: 0)
            while true {
                let count = poll(&entry, 1, patience)
                if count > 0 { break }
                if count < 0, errno == EINTR { continue }
                _ = try? child.signal(SIGKILL)
                return "a child did not end within \(patience) ms"
            }
            guard let ending = try child.reap() else { return "a child's end could not be read" }
            return ending.status == .exited(64) ? nil : "a child ended otherwise than it should: \(ending.status)"
        } catch {
            return "\(error)"
        }
    }
}
