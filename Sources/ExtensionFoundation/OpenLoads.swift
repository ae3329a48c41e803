// OpenLoads: the loads that wait for their host, by the number that this process gave them.

import ExtensionWire

/// Who is told of the progress of which load.
struct OpenLoads {
    private var reports: [Int: @Sendable (Int64, Int64) -> Void] = [:]
    private var last = 0

    mutating func add(_ report: @escaping @Sendable (Int64, Int64) -> Void) -> Int {
        last += 1
        reports[last] = report
        return last
    }

    /// Whether it was open.
    mutating func remove(_ number: Int) -> Bool { reports.removeValue(forKey: number) != nil }

    /// Whether it was neither answered nor cancelled.
    func isOpen(_ number: Int) -> Bool { reports[number] != nil }

    /// What tells of it; nil for a load that has been answered or cancelled meanwhile.
    func progress(of message: LoadProgress) -> (@Sendable () -> Void)? {
        guard let report = reports[message.load] else { return nil }
        return { report(Int64(message.completed), Int64(message.total)) }
    }
}
