// OpenLoads: the loads that wait for their host, by the number that this process gave them.

import ExtensionWire

/// The progress handlers of the open loads.
struct OpenLoads {
    private var reports: [Int: @Sendable (Int64, Int64) -> Void] = [:]
    private var last = 0

    mutating func add(_ report: @escaping @Sendable (Int64, Int64) -> Void) -> Int {
        last += 1
        reports[last] = report
        return last
    }

    /// Removes a load; returns whether it was open.
    mutating func remove(_ number: Int) -> Bool { reports.removeValue(forKey: number) != nil }

    /// Whether the load was neither answered nor cancelled.
    func isOpen(_ number: Int) -> Bool { reports[number] != nil }

    /// Returns a function that reports the progress; nil for a load that has been answered or cancelled meanwhile.
    func progress(of message: LoadProgress) -> (@Sendable () -> Void)? {
        guard let report = reports[message.load] else { return nil }
        return { report(Int64(message.completed), Int64(message.total)) }
    }
}
