// spawn: the start of a process from its SpawnAttributes.

internal import CLinux
internal import Glibc

/// Starts a process and returns once its program is running (in an enclosure: once the init is).
///
/// It uses vfork semantics: the cost does not grow with this process's memory. The calling thread blocks until the
/// child executes (some 50 µs; longer if a namespace is made). Any thread may call it, several at once; note
/// `.terminate`.
///
/// The child is the leader of a new session and process group. It has default signal dispositions and an empty mask,
/// exactly the named descriptors, and an environment without the variables that systemd set for this process alone.
public func spawn(_ attributes: SpawnAttributes) throws(SpawnError) -> SpawnedProcess {
    switch attributes.enclosure {
    case .session:
        guard attributes.identity == nil else {
            throw .invalid("another user's program needs exthost-init as its parent, which a session does not have")
        }
        guard attributes.confinement == nil else {
            throw .invalid("a confined program needs exthost-init as its parent, which a session does not have")
        }
        let arguments = [attributes.executable] + attributes.arguments
        let started = try clone(attributes, program: attributes.executable, arguments: arguments, role: .program)
        return SpawnedProcess(
            pid: started.pid, pidfd: OwnedDescriptor(owning: started.pidfd), enclosure: .session, report: nil)
    case .processNamespace(let program):
        return try spawnEnclosed(
            attributes, program, attributes.onDaemonExit == .keep ? .kept : .namespace, .processNamespace)
    case .guardian(let program):
        return try spawnEnclosed(attributes, program, .guardian, .guardian)
    }
}

/// The role of the child of a `clone` for the program that is to run.
private enum Role: String {
    case program, namespace, guardian
    /// A namespace that ends when the other end of its report is closed everywhere.
    case kept
}

private func spawnEnclosed(
    _ attributes: SpawnAttributes, _ initProgram: String, _ role: Role, _ enclosure: SpawnedProcess.Enclosure
) throws(SpawnError) -> SpawnedProcess {
    let ends = try statusSockets()
    let near = ends.first
    let far = ends.second
    let status = attributes.freeChildNumber()
    let policyNumber = attributes.freeChildNumber(from: status + 1)
    var attributes = attributes
    var extra = [SpawnAttributes.Placement(parent: far.raw, child: status)]
    var named = "\(status)"
    var memory: SharedDescriptor?
    var policy: ConfinementPolicy?
    if let confinement = attributes.confinement {
        guard role != .guardian || !confinement.layers.namespaces else {
            throw .invalid("a view of the file system needs a pid namespace around the program")
        }
        let written = try ConfinementPolicy(confinement, attributes: attributes, after: policyNumber)
        (policy, memory) = (written, try sealed(written))
        attributes.environment = confinement.environment(attributes.environment)
        extra.append(.init(parent: memory?.raw ?? -1, child: policyNumber))
        extra += written.placements
        named += ",\(policyNumber)"
    }
    let identity = attributes.identity.map { ["as", "\($0.uid)", $0.groupList] } ?? []
    // The init treats the soft limit as a share of its user's limit (limits.h of exthost-init).
    let isShare = role == .guardian && attributes.limits.contains { $0.resource == Int32(__RLIMIT_NPROC.rawValue) }
    let mode = role.rawValue + (isShare ? ",tasks" : "")
    let arguments = [initProgram] + identity + [mode, named, "--", attributes.executable] + attributes.arguments
    let started = try clone(attributes, program: initProgram, arguments: arguments, extra: extra, role: role)
    withExtendedLifetime((memory, policy)) {}
    // The init waits for this message: its ids are mapped now. If it is gone already, its end is reported.
    if attributes.identity != nil { _ = try? near.send([0]) }
    return SpawnedProcess(
        pid: started.pid, pidfd: OwnedDescriptor(owning: started.pidfd), enclosure: enclosure,
        report: SharedDescriptor(near.release()))
}

/// Seals the policy in memory: the init's own copy cannot change while it reads, whoever else holds the memory.
private func sealed(_ policy: ConfinementPolicy) throws(SpawnError) -> SharedDescriptor {
    do throws(SealedMemoryError) {
        return SharedDescriptor(try SealedMemory.make(policy.bytes, name: "policy"))
    } catch {
        if case .system(let error) = error { throw .failed(step: .confinement, error) }
        throw .invalid("the policy could not be sealed: \(error)")
    }
}

private func statusSockets() throws(SpawnError) -> SocketPair {
    do throws(SystemError) {
        let pair = try SocketPair()
        try pair.first.receiveCredentials()
        return pair
    } catch {
        throw .failed(step: .statusSocket, error)
    }
}

/// Prepares one C struct, in which every pointer lives until the call returns, and starts the program.
private func clone(
    _ attributes: SpawnAttributes, program: String, arguments: [String], extra: [SpawnAttributes.Placement] = [],
    role: Role
) throws(SpawnError) -> (pid: pid_t, pidfd: Int32) {
    if let code = FailureInjection.memory.consume() { throw .failed(step: .clone, SystemError("clone", code: code)) }
    var strings = CStrings()
    let path = try strings.add(program)
    let directory = try attributes.workingDirectory.map { (text) throws(SpawnError) in try strings.add(text) }
    let argumentList = try strings.addList(arguments)
    let environmentList = try strings.addList(attributes.strippedEnvironment)

    var placements = try attributes.allPlacements(adding: extra).map {
        exthost_placement(source: $0.parent, target: $0.child, staged: -1)
    }
    let limits = attributes.limits.map { exthost_limit(resource: $0.resource, soft: $0.soft, hard: $0.hard) }

    var request = exthost_spawn()
    request.mask = attributes.fileModeMask.map { Int32(truncatingIfNeeded: $0 & 0o7777) } ?? -1
    if attributes.onDaemonExit == .terminate {
        // A guardian has to handle the signal, which is impossible for SIGKILL.
        request.death_signal = role == .guardian ? SIGQUIT : SIGKILL
    }
    let isNamespace = role == .namespace || role == .kept
    request.process_namespace = isNamespace
    request.user_namespace = isNamespace && (geteuid() != 0 || attributes.identity != nil)
    request.keeps_capabilities = attributes.confinement?.layers.namespaces ?? false
    var maps: (user: Int, group: Int)?
    if isNamespace, let identity = attributes.identity {
        maps = (try strings.add(identity.userMap), try strings.add(identity.groupMap))
    }
    request.signals_stay_blocked = role != .program

    strings.withPointers { pointers in
        request.path = UnsafePointer(pointers[path])
        request.uid_map = maps.map { UnsafePointer(pointers[$0.user]!) }
        request.gid_map = maps.map { UnsafePointer(pointers[$0.group]!) }
        request.directory = directory.map { UnsafePointer(pointers[$0]!) }
        request.arguments = UnsafePointer(pointers.baseAddress! + argumentList)
        request.environment = UnsafePointer(pointers.baseAddress! + environmentList)
        placements.withUnsafeMutableBufferPointer { placements in
            withBuffers(limits, attributes.controlGroups) { limits, groups in
                request.groups = groups.baseAddress
                request.group_count = Int32(groups.count)
                request.placements = placements.baseAddress
                request.placement_count = Int32(placements.count)
                request.limits = limits.baseAddress
                request.limit_count = Int32(limits.count)
                // Root without the right to make namespaces (in a container) may still make a user namespace.
                if !exthost_spawn(&request), isNamespace, !request.user_namespace,
                    request.failed == EXTHOST_SPAWN_CLONE,
                    request.code == EPERM
                {
                    request.user_namespace = true
                    _ = exthost_spawn(&request)
                }
            }
        }
    }
    guard request.failed == EXTHOST_SPAWN_NONE else { throw SpawnError(request) }
    return (request.pid, request.pidfd)
}

private func withBuffers<First, Second>(
    _ first: [First], _ second: [Second], _ body: (UnsafeBufferPointer<First>, UnsafeBufferPointer<Second>) -> Void
) {
    first.withUnsafeBufferPointer { first in second.withUnsafeBufferPointer { body(first, $0) } }
}

extension SpawnError {
    fileprivate init(_ request: exthost_spawn) {
        func failed(_ step: SpawnStep, _ call: String) -> SpawnError {
            .failed(step: step, SystemError(call, code: request.code))
        }
        self =
            switch request.failed {
            case EXTHOST_SPAWN_STACK: failed(.stack, "mmap")
            case EXTHOST_SPAWN_PARENT_DEATH_SIGNAL: failed(.parentDeathSignal, "prctl")
            case EXTHOST_SPAWN_PARENT_GONE: .parentGone
            case EXTHOST_SPAWN_GROUPS: failed(.controlGroups, "write")
            case EXTHOST_SPAWN_USER_NAMESPACE: failed(.userNamespace, "write")
            case EXTHOST_SPAWN_PROC: failed(.processFileSystem, "mount")
            case EXTHOST_SPAWN_SESSION: failed(.session, "setsid")
            case EXTHOST_SPAWN_DESCRIPTORS: failed(.descriptors, "dup2")
            case EXTHOST_SPAWN_CLOSE_RANGE: failed(.closingDescriptors, "close_range")
            case EXTHOST_SPAWN_DIRECTORY: failed(.workingDirectory, "chdir")
            case EXTHOST_SPAWN_LIMITS: failed(.limits, "prlimit")
            case EXTHOST_SPAWN_SIGNALS: failed(.signals, "sigprocmask")
            case EXTHOST_SPAWN_IDENTITY: failed(.identity, "write")
            case EXTHOST_SPAWN_EXECUTE: failed(.execute, "execve")
            default: failed(.clone, "clone")
            }
    }
}
