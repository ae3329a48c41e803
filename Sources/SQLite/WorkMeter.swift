// WorkMeter: the work of statements, and its bound.

internal import CSQLite

/// A counter of the work of statements, in steps of SQLite's virtual machine.
///
/// A statement that needs more than the bound ends with an error of the kind `interrupted`. The same statement on the
/// same data has about the same work on every machine. Only the thread of its database may use it.
public final class WorkMeter {
    /// The counter, which SQLite's callbacks use in place.
    struct Counter {
        var steps = 0
        var bound = Int.max
        /// The pages of the file that were read before.
        fileprivate var pages = 0

        /// Counts steps. Returns whether the bound is not reached.
        mutating func add(_ more: Int) -> Bool {
            steps += more
            return steps < bound
        }

        /// Counts an interval, and the pages that were read in it. Returns whether the bound is not reached.
        fileprivate mutating func pass(_ handle: OpaquePointer) -> Bool {
            let now = Self.status(handle, SQLITE_DBSTATUS_CACHE_HIT) + Self.status(handle, SQLITE_DBSTATUS_CACHE_MISS)
            // The counters of SQLite begin anew at their largest value.
            let read = max(0, now - pages)
            pages = now
            return add(Int(WorkMeter.interval) + read * WorkMeter.stepsOfPage)
        }

        private static func status(_ handle: OpaquePointer, _ counter: Int32) -> Int {
            var (value, highest) = (Int32(0), Int32(0))
            sqlite3_db_status(handle, counter, &value, &highest, 0)
            return Int(value)
        }

        fileprivate let handle: OpaquePointer
    }

    /// The steps between two calls of the handler.
    private static let interval: Int32 = 200
    /// The steps as which a page of the file counts. The full-text search reads pages, and makes hardly any steps.
    private static let stepsOfPage = 64
    /// The bytes of text that are searched in the time of a step.
    static let bytesOfStep = 16

    let counter: UnsafeMutablePointer<Counter>

    init(_ handle: OpaquePointer) {
        counter = .allocate(capacity: 1)
        counter.initialize(to: Counter(handle: handle))
        sqlite3_progress_handler(
            handle, Self.interval,
            { counter in
                guard let counter = counter?.assumingMemoryBound(to: Counter.self) else { return 0 }
                return counter.pointee.pass(counter.pointee.handle) ? 0 : 1
            }, counter)
    }

    // The database, which has the only reference, closes its handle before.
    deinit { counter.deallocate() }

    /// The steps so far.
    public var steps: Int { counter.pointee.steps }
    /// The number of steps at which a statement ends.
    public var bound: Int {
        get { counter.pointee.bound }
        set { counter.pointee.bound = newValue }
    }
}
