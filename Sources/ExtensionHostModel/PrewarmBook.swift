// PrewarmBook: the programs to launch ahead of requests; pure.

/// The launches of missing processes after each use of a program, one after the other.
///
/// A use is a delivery, or the assignment of a process that waited. Nothing else launches a process: if one dies while
/// it waits, the next one is launched after the program's next use.
struct PrewarmBook: Sendable, Hashable {
    /// The programs of which processes may be missing, in order of their first use.
    private(set) var wanted: [Program] = []
    /// The programs of which a process has been launched and has not said hello.
    private(set) var launching: Set<Program> = []
    /// Whether a turn is scheduled.
    private(set) var isScheduled = false
    /// The numbers of waiting processes, by user.
    private var waiting: [UInt32?: Int] = [:]
    private(set) var waitingOfAll = 0

    func waiting(of user: UInt32?) -> Int { waiting[user] ?? 0 }

    mutating func waits(_ program: Program) {
        waiting[program.name.user, default: 0] += 1
        waitingOfAll += 1
    }

    mutating func waitsNoMore(_ program: Program) {
        let left = waiting(of: program.name.user) - 1
        waiting[program.name.user] = left == 0 ? nil : left
        waitingOfAll -= 1
    }

    mutating func use(_ program: Program) {
        if program.prewarmed > 0, !wanted.contains(program) { wanted.append(program) }
    }

    /// - Returns: whether a turn has to be scheduled now.
    mutating func schedule() -> Bool {
        guard !isScheduled, !wanted.isEmpty, next != nil else { return false }
        isScheduled = true
        return true
    }

    private var next: Program? { wanted.first { !launching.contains($0) } }

    /// Begins the turn that was scheduled.
    ///
    /// - Returns: the program of which a process may be launched.
    mutating func turn() -> Program? {
        isScheduled = false
        return next
    }

    mutating func launches(_ program: Program) { launching.insert(program) }

    /// Records that a process has said hello. More may be missing.
    mutating func isReady(_ program: Program) { launching.remove(program) }

    /// Launches no more processes of a program ahead, until its next use.
    mutating func giveUp(_ program: Program) {
        launching.remove(program)
        wanted.removeAll { $0 == program }
    }
}
