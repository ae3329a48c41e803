// LimitGroup: the control groups of one process and all that it starts, which limit them and hold them together: made for it, removed
// when it is gone.

import Glibc
import LinuxSystem

/// At most one group in each hierarchy. A group takes a few system calls: fit for the loop.
final class LimitGroup: Sendable {
    private struct Part: Sendable {
        let folder: String
        let version: ControlGroupHierarchy.Version
        /// `cgroup.procs`, for writing; nil of one that another daemon has made.
        let members: SharedDescriptor?
    }

    private let parts: [Part]
    /// Where it was made, when it only holds processes together.
    private let trees: ControlGroupHierarchy?
    private let memory: Part?
    private let tasks: Part?
    /// Where the kernel tells that memory ran out: an eventfd of version 1, readable; `memory.events` of version 2, of which an
    /// urgent event tells that it has changed.
    let notice: SharedDescriptor?
    /// Whether `notice` is told by an urgent event.
    var isNoticeUrgent: Bool { memory?.version == .two }

    /// Makes the groups that these means need; nil where they need none.
    ///
    /// - Parameters:
    ///   - name: of the folders; no other group of this daemon has it.
    ///   - spareTasks: processes that are the daemon's own, such as the init: they do not count.
    ///   - trees: where a group is made that only holds them together, unless a limit needs one of version 2: nobody is in two of these.
    static func make(
        _ means: LimitCapabilities, name: String, memory: Int?, tasks: Int?, spareTasks: Int, trees: ControlGroupHierarchy? = nil
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

    /// Those that another daemon has made for a process that outlives it.
    ///
    /// - Throws: `SystemError`: one with a limit is not there any more, or does not tell when it is reached.
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

    /// For a successor.
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
            // Not there where swap is not accounted for. What is swapped out counts, too.
            try? writeControl("\(bytes)", to: part.folder + "/memory.memsw.limit_in_bytes")
        case .two:
            try writeControl("\(bytes)", to: part.folder + "/memory.max")
            try? writeControl("0", to: part.folder + "/memory.swap.max")
            // The kernel kills, all at once, and tells at the same moment.
            try writeControl("1", to: part.folder + "/memory.oom.group")
        }
        return try watchMemory(part)
    }

    /// What becomes readable when memory runs out.
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

    /// What `notice` told has been heard: it tells of what comes next.
    func acknowledge() {
        if let notice, let memory { Self.acknowledge(notice, memory.version) }
    }

    /// A file of version 2 has news until it is read, also when it has just been opened; an eventfd is counted down.
    private static func acknowledge(_ notice: SharedDescriptor, _ version: ControlGroupHierarchy.Version) {
        var buffer = [UInt8](repeating: 0, count: version == .one ? 8 : 4096)
        _ = buffer.withUnsafeMutableBytes {
            version == .one ? read(notice.raw, $0.baseAddress, $0.count) : pread(notice.raw, $0.baseAddress, $0.count, 0)
        }
    }

    /// For `SpawnAttributes.controlGroups`; open for as long as this object lives.
    var members: [Int32] { parts.compactMap(\.members?.raw) }

    var limitsMemory: Bool { memory != nil }
    var limitsTasks: Bool { tasks != nil }

    /// From now on the kernel lets whoever wants more memory wait, and tells: who is told can say why and then kill. Not before the spawn
    /// has returned: a child that waited before its exec would hold its parent. Version 2 has nothing of the kind.
    func letThemWait() {
        guard let memory, memory.version == .one else { return }
        try? writeControl("1", to: memory.folder + "/memory.oom_control")
    }

    /// Whether memory ran out. Also when everybody in the group is gone.
    var hasRunOut: Bool {
        guard let memory else { return false }
        switch memory.version {
        case .one:
            let file = memory.folder + "/memory.oom_control"
            return field("under_oom", of: file) ?? 0 > 0 || field("oom_kill", of: file) ?? 0 > 0
        case .two: return field("oom", of: memory.folder + "/memory.events") ?? 0 > 0
        }
    }

    /// The most memory that was in use, in bytes; nil where the kernel keeps no such figure.
    var peakMemory: Int? {
        guard let memory else { return nil }
        return number(memory.folder + (memory.version == .one ? "/memory.max_usage_in_bytes" : "/memory.peak"))
    }

    /// A file that counts, under `max`, the tasks that were refused.
    var refusals: String? { tasks.map { $0.folder + "/pids.events" } }

    static func refusals(in file: String) -> Int {
        guard let text = try? readFile(file, maximumSize: 4096) else { return 0 }
        return value(of: "max", in: text) ?? 0
    }

    /// Lets those who wait for memory have it, so that they can act on a signal: a guardian, above all.
    func relent() {
        guard let memory, memory.version == .one else { return }
        try? writeControl("-1", to: memory.folder + "/memory.memsw.limit_in_bytes")
        try? writeControl("-1", to: memory.folder + "/memory.limit_in_bytes")
    }

    /// Lets the guardian out, once the program has been started in it: it is to outlive the kill, reap the dead, and end as the last.
    func release(_ guardian: Int32) { trees?.takeBack(guardian) }

    /// Kills everybody in it, forks under way included (`cgroup.kill`, Linux 5.14). Version 1 has nothing of the kind.
    func kill() {
        for part in parts where part.version == .two { try? writeControl("1", to: part.folder + "/cgroup.kill") }
    }

    /// False while somebody is left in it.
    func remove() -> Bool {
        var areGone = true
        for part in parts {
            if rmdir(part.folder) != 0, errno != ENOENT { areGone = false }
            // The folder of a daemon that is over goes with the last of its groups.
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
