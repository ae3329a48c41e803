// LimitGroup: the control groups that limit one process and all that it starts, and hold them together.

import Glibc
import LinuxSystem

/// The control groups of one process, at most one in each hierarchy. They are made for it and removed after its end.
///
/// A group takes a few system calls, so it may be made on the loop's thread.
final class LimitGroup: Sendable {
    private struct Part: Sendable {
        let folder: String
        let version: ControlGroupHierarchy.Version
        /// The file `cgroup.procs`, for writing; nil for a group that another daemon has made.
        let members: SharedDescriptor?
    }

    private let parts: [Part]
    /// The hierarchy of the group that only holds processes together; nil where there is no such group.
    private let trees: ControlGroupHierarchy?
    private let memory: Part?
    private let tasks: Part?
    /// The descriptor by which the kernel reports that memory ran out.
    ///
    /// For version 1 it is an eventfd, which becomes readable. For version 2 it is `memory.events`, whose change is an
    /// urgent event.
    let notice: SharedDescriptor?
    /// Whether `notice` reports by an urgent event.
    var isNoticeUrgent: Bool { memory?.version == .two }

    /// Makes the groups that these means need; nil where they need none.
    ///
    /// - Parameters:
    ///   - name: the name of the folders; no other group of this daemon has it.
    ///   - spareTasks: the number of the daemon's own processes, such as the init, which do not count.
    ///   - trees: the hierarchy for a group that only holds processes together. It is not used if a limit needs a group
    ///     of version 2, because no process is in two of these.
    static func make(
        _ means: LimitCapabilities, name: String, memory: Int?, tasks: Int?, spareTasks: Int,
        trees: ControlGroupHierarchy? = nil
    ) throws(SystemError) -> LimitGroup? {
        var memoryHierarchy: ControlGroupHierarchy?
        switch means.memory {
        case .cgroup1(let hierarchy), .cgroup2(let hierarchy): memoryHierarchy = memory == nil ? nil : hierarchy
        case .poll: break
        }
        var taskHierarchy: ControlGroupHierarchy?
        if case .pids(let hierarchy) = means.tasks, tasks != nil { taskHierarchy = hierarchy }
        var parts: [Part] = []
        func part(_ hierarchy: ControlGroupHierarchy) throws(SystemError) -> Part {
            let folder = "\(hierarchy.folder)/\(name)"
            if let known = parts.first(where: { $0.folder == folder }) { return known }
            guard mkdir(folder, 0o755) == 0 else { throw SystemError("mkdir") }
            let raw = open(folder + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
            guard raw >= 0 else {
                let error = SystemError("open")
                rmdir(folder)
                throw error
            }
            let made = Part(folder: folder, version: hierarchy.version, members: SharedDescriptor(owning: raw))
            parts.append(made)
            return made
        }
        do throws(SystemError) {
            var memoryPart: Part?
            var taskPart: Part?
            var notice: SharedDescriptor?
            if let memoryHierarchy, let memory {
                let made = try part(memoryHierarchy)
                notice = try limitMemory(made, memory)
                memoryPart = made
            }
            if let taskHierarchy, let tasks {
                let made = try part(taskHierarchy)
                try writeControl("\(tasks + spareTasks)", to: made.folder + "/pids.max")
                taskPart = made
            }
            var used: ControlGroupHierarchy?
            if let trees, !parts.contains(where: { $0.version == .two }) {
                _ = try part(trees)
                used = trees
            }
            return parts.isEmpty
                ? nil : LimitGroup(parts: parts, trees: used, memory: memoryPart, tasks: taskPart, notice: notice)
        } catch {
            for part in parts { rmdir(part.folder) }
            throw error
        }
    }

    /// Adopts the groups that another daemon has made for a process that outlives it.
    ///
    /// - Throws: `SystemError`: a group with a limit no longer exists, or cannot report when the limit is reached.
    static func adopt(_ groups: [HandedGroup]) throws(SystemError) -> LimitGroup? {
        var parts: [Part] = []
        var (memory, tasks): (Part?, Part?)
        var notice: SharedDescriptor?
        for group in groups {
            let part = Part(folder: group.path, version: group.version == 2 ? .two : .one, members: nil)
            if access(group.path, F_OK) != 0 {
                guard group.limitsMemory || group.limitsTasks else { continue }
                throw SystemError("access")
            }
            parts.append(part)
            if group.limitsTasks { tasks = part }
            if group.limitsMemory { (memory, notice) = (part, try watchMemory(part)) }
        }
        return parts.isEmpty ? nil : LimitGroup(parts: parts, trees: nil, memory: memory, tasks: tasks, notice: notice)
    }

    /// The records of the groups for the next daemon.
    var handed: [HandedGroup] {
        parts.map {
            HandedGroup(
                path: $0.folder, version: $0.version.rawValue, limitsMemory: $0.folder == memory?.folder,
                limitsTasks: $0.folder == tasks?.folder)
        }
    }

    private init(parts: [Part], trees: ControlGroupHierarchy?, memory: Part?, tasks: Part?, notice: SharedDescriptor?) {
        self.parts = parts
        self.trees = trees
        self.memory = memory
        self.tasks = tasks
        self.notice = notice
    }

    private static func limitMemory(_ part: Part, _ bytes: Int) throws(SystemError) -> SharedDescriptor {
        switch part.version {
        case .one:
            try writeControl("\(bytes)", to: part.folder + "/memory.limit_in_bytes")
            // The file does not exist where swap is not accounted for. It limits memory together with what is swapped
            // out.
            try? writeControl("\(bytes)", to: part.folder + "/memory.memsw.limit_in_bytes")
        case .two:
            try writeControl("\(bytes)", to: part.folder + "/memory.max")
            try? writeControl("0", to: part.folder + "/memory.swap.max")
            // The kernel kills all processes of the group at once, and reports that at the same time.
            try writeControl("1", to: part.folder + "/memory.oom.group")
        }
        return try watchMemory(part)
    }

    /// Opens the descriptor by which the kernel reports that memory ran out.
    private static func watchMemory(_ part: Part) throws(SystemError) -> SharedDescriptor {
        switch part.version {
        case .one:
            let event = try WakeDescriptor()
            let raw = open(part.folder + "/memory.oom_control", O_RDONLY | O_CLOEXEC)
            guard raw >= 0 else { throw SystemError("open") }
            let control = OwnedDescriptor(owning: raw)
            try writeControl("\(event.raw) \(control.raw)", to: part.folder + "/cgroup.event_control")
            return SharedDescriptor(owning: event.release())
        case .two:
            let raw = open(part.folder + "/memory.events", O_RDONLY | O_CLOEXEC)
            guard raw >= 0 else { throw SystemError("open") }
            let notice = SharedDescriptor(owning: raw)
            Self.acknowledge(notice, .two)
            return notice
        }
    }

    /// Acknowledges the report of `notice`, which then waits for the next one.
    func acknowledge() {
        if let notice, let memory { Self.acknowledge(notice, memory.version) }
    }

    /// Clears the report of `notice`.
    ///
    /// A file of version 2 has an event until it is read, also when it has just been opened. Reading an eventfd sets
    /// its counter to 0.
    private static func acknowledge(_ notice: SharedDescriptor, _ version: ControlGroupHierarchy.Version) {
        var buffer = [UInt8](repeating: 0, count: version == .one ? 8 : 4096)
        _ = buffer.withUnsafeMutableBytes {
            version == .one
                ? read(notice.raw, $0.baseAddress, $0.count) : pread(notice.raw, $0.baseAddress, $0.count, 0)
        }
    }

    /// The descriptors for `SpawnAttributes.controlGroups`, which stay open for as long as this object lives.
    var members: [Int32] { parts.compactMap(\.members?.raw) }

    var limitsMemory: Bool { memory != nil }
    var limitsTasks: Bool { tasks != nil }

    /// Makes the kernel block a process that wants more memory, and report that, so that the daemon can log the reason
    /// before it kills.
    ///
    /// Call this after the spawn has returned: a child that blocks before its exec would block its parent. Version 2
    /// has no such setting.
    func letThemWait() {
        guard let memory, memory.version == .one else { return }
        try? writeControl("1", to: memory.folder + "/memory.oom_control")
    }

    /// Whether memory ran out, also if all processes of the group have ended.
    var hasRunOut: Bool {
        guard let memory else { return false }
        switch memory.version {
        case .one:
            let file = memory.folder + "/memory.oom_control"
            return field("under_oom", of: file) ?? 0 > 0 || field("oom_kill", of: file) ?? 0 > 0
        case .two: return field("oom", of: memory.folder + "/memory.events") ?? 0 > 0
        }
    }

    /// The most memory that was in use, in bytes; nil where the kernel has no such figure.
    var peakMemory: Int? {
        guard let memory else { return nil }
        return number(memory.folder + (memory.version == .one ? "/memory.max_usage_in_bytes" : "/memory.peak"))
    }

    /// The path of the file that counts, under `max`, the tasks that were refused.
    var refusals: String? { tasks.map { $0.folder + "/pids.events" } }

    static func refusals(in file: String) -> Int {
        guard let text = try? readFile(file, maximumSize: 4096) else { return 0 }
        return value(of: "max", in: text) ?? 0
    }

    /// Lifts the limit, so that processes blocked on memory, above all a guardian, can act on a signal.
    func relent() {
        guard let memory, memory.version == .one else { return }
        try? writeControl("-1", to: memory.folder + "/memory.memsw.limit_in_bytes")
        try? writeControl("-1", to: memory.folder + "/memory.limit_in_bytes")
    }

    /// Moves the guardian out of the group, once it has started the program in it.
    ///
    /// The guardian has to outlive the kill, reap the dead, and end as the last.
    func release(_ guardian: Int32) { trees?.takeBack(guardian) }

    /// Kills all processes in the groups, including forks under way (`cgroup.kill`, Linux 5.14). Version 1 has no such
    /// file.
    func kill() {
        for part in parts where part.version == .two { try? writeControl("1", to: part.folder + "/cgroup.kill") }
    }

    /// Removes the groups; false while a process is left in one of them.
    func remove() -> Bool {
        var areGone = true
        for part in parts {
            if rmdir(part.folder) != 0, errno != ENOENT { areGone = false }
            // The folder of an ended daemon is removed with the last of its groups.
            if part.members == nil, let end = part.folder.lastIndex(of: "/") { rmdir(String(part.folder[..<end])) }
        }
        return areGone
    }

    private func number(_ path: String) -> Int? {
        guard let text = try? readFile(path, maximumSize: 256) else { return nil }
        return Int(String(decoding: text, as: UTF8.self).prefix { $0.isNumber })
    }

    private func field(_ name: String, of path: String) -> Int? {
        guard let text = try? readFile(path, maximumSize: 4096) else { return nil }
        return Self.value(of: name, in: text)
    }

    private static func value(of name: String, in text: [UInt8]) -> Int? {
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return Int(words[1]) }
        }
        return nil
    }
}
