// KernelFindings: checks of the kernel's features for starting, grouping and confining processes.

import ExtensionHostTesting
import Glibc
import LinuxSystem

struct KernelFindings {
    let subject: DoctorSubject

    func findings() -> [DoctorFinding] {
        [processStart, processNamespace, sealedMemory, controlGroup, landlock, seccomp, confinement, treeKill]
            .compactMap { $0 }
    }

    /// The text for a missing feature that nothing in force needs.
    private static let unused = "this version does not need it"

    private func uses(_ word: String) -> Bool {
        guard let status = subject.daemon?.status else { return false }
        return status.treeKill.contains(word) || status.sandbox.contains(word) || status.limits.contains(word)
    }

    private func unavailable(_ check: DoctorCheck, _ what: String, word: String, remedy: String) -> DoctorFinding {
        uses(word) ? .problem(check, what, remedy: remedy) : .ok(check, "\(what); \(Self.unused)")
    }

    /// Checks a start with vfork semantics, by a process descriptor, with every other descriptor closed, as for an
    /// extension.
    private var processStart: DoctorFinding {
        guard let own = ownProgram else {
            return .warning(.processStart, "/proc/self/exe cannot be read", remedy: "Mount /proc")
        }
        do throws(TriedProgram.Failure) {
            let start = ContinuousClock.now
            let answer = try TriedProgram.run(own, ["--version"])
            guard answer.status == 0 else {
                throw TriedProgram.Failure(what: "it exited with status \(answer.status)", remedy: "")
            }
            let time = (ContinuousClock.now - start) / .milliseconds(1)
            return .ok(
                .processStart,
                "a process starts with vfork semantics and a pidfd; a trial took \(written(seconds: time / 1000))"
            )
        } catch {
            return .problem(
                .processStart, "a process cannot be started in the way of an extension: \(error.what)",
                remedy:
                    "Use Linux 5.9 or newer (pidfds, close_range), and a filter of system calls that allows these; \(error.remedy)"
            )
        }
    }

    private var ownProgram: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    private var processNamespace: DoctorFinding {
        let remedy =
            "Allow user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces, AppArmor's userns restriction)"
        let daemon = try? DaemonProgram.locate()
        guard let own = ownProgram, let initProgram = daemon.flatMap({ InitProgram.locate(beside: $0) }) else {
            return .ok(.processNamespace, "not tested: exthost-init, which makes a namespace, was not found")
        }
        do throws(TriedProgram.Failure) {
            let answer = try TriedProgram.run(
                own, ["--version"], enclosure: .processNamespace(initProgram: initProgram))
            guard answer.status == 0 else {
                throw TriedProgram.Failure(what: "it exited with status \(answer.status)", remedy: "")
            }
            return .ok(
                .processNamespace,
                "a process tree can have its own namespace\(geteuid() == 0 ? "" : ", with a user namespace")")
        } catch {
            return unavailable(
                .processNamespace, "no process namespace: \(error.what)", word: "namespace", remedy: remedy)
        }
    }

    private var sealedMemory: DoctorFinding {
        do throws(SealedMemoryError) {
            let memory = try SealedMemory.make([1, 2, 3])
            _ = try SealedMemory.check(memory.raw, maximumSize: 3)
            return .ok(.sealedMemory, "memory can be sealed and sent")
        } catch {
            return .problem(
                .sealedMemory, "\(error)",
                remedy:
                    "Use a filter of system calls that allows memfd_create and F_ADD_SEALS; without them, large values cannot be sent"
            )
        }
    }

    private var controlGroup: DoctorFinding {
        let remedy = "Run the daemon as a service with Delegate=yes"
        guard let group = KernelCapabilities.controlGroup else {
            return unavailable(.controlGroup, "no control group of version 2", word: "cgroup", remedy: remedy)
        }
        let controllers = group.controllers.isEmpty ? "no controllers" : group.controllers.joined(separator: " ")
        guard group.isDelegated, group.canKill else {
            return unavailable(
                .controlGroup, "\(group.path) is not delegated to this user (\(controllers))", word: "cgroup",
                remedy: remedy)
        }
        return .ok(.controlGroup, "\(group.path) is delegated: \(controllers), cgroup.kill")
    }

    private var landlock: DoctorFinding {
        do throws(SystemError) {
            return .ok(.landlock, "version \(try KernelCapabilities.landlockVersion())")
        } catch {
            return unavailable(
                .landlock, "none: \(error)", word: "landlock",
                remedy: "Boot with landlock in the kernel's lsm= list, on Linux 5.13 or newer")
        }
    }

    private var seccomp: DoctorFinding {
        KernelCapabilities.hasSeccompFilters
            ? .ok(.seccomp, "the kernel accepts filters of system calls")
            : unavailable(.seccomp, "none", word: "seccomp", remedy: "Use a kernel with CONFIG_SECCOMP_FILTER")
    }

    /// The confinement of extensions: as the daemon reports it, else as a daemon that is started here would find it.
    private var confinement: DoctorFinding? {
        let (layers, missing): (String, [String])
        if let status = subject.daemon?.status {
            (layers, missing) = (status.sandbox, status.missing)
            if layers == "none", missing.isEmpty { return .ok(.confinement, "none, as the daemon's options demand") }
        } else {
            guard let daemon = try? DaemonProgram.locate() else { return nil }
            if variable("EXTHOST_SANDBOX") == "none" { return .ok(.confinement, "none, as EXTHOST_SANDBOX demands") }
            if let initProgram = InitProgram.locate(beside: daemon) {
                let probe = ConfinementProbe(initProgram: initProgram)
                (layers, missing) = (probe.found.description, probe.problems)
            } else {
                (layers, missing) = ("none", ["the daemon launches nothing, because exthost-init is missing"])
            }
        }
        if missing.isEmpty { return .ok(.confinement, layers) }
        let found = "\(layers); missing: \(missing.joined(separator: "; "))"
        let remedy = "Install exthost-init beside exthostd, and read the checks processNamespace, landlock and seccomp"
        return layers == "none"
            ? .problem(.confinement, found, remedy: remedy) : .warning(.confinement, found, remedy: remedy)
    }

    private var treeKill: DoctorFinding? {
        guard let status = subject.daemon?.status else { return nil }
        let found = "a kill uses “\(status.treeKill)”; confinement “\(status.sandbox)”, limits “\(status.limits)”"
        guard status.treeKill == "session" else { return .ok(.treeKill, found) }
        return .warning(
            .treeKill, "\(found): the kill does not reach a descendant with its own session",
            remedy:
                "Install exthost-init beside exthostd, allow user namespaces, and start the daemon without --tree-kill")
    }
}
