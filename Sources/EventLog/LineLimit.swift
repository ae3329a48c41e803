// LineLimit: the limit on the lines that one peer adds to the daemon's log, and the count of those that are omitted.

public import EventLoop
public import ExtensionProtocol

/// Limits the lines that a view of the log writes: by event, cause and source, and altogether.
///
/// Omitted lines are counted, and the counts are reported while lines are omitted. The event log itself holds every
/// event.
@HostActor
public final class LineLimit {
    /// The limit for one event with one cause and one source: lines at once, and lines a second from then on.
    nonisolated static let (burst, rate) = (1000, 50.0)
    /// The limit for all lines: below what journald takes of a service by itself (RateLimitBurst= of journald.conf(5)).
    nonisolated static let (burstOfAll, rateOfAll) = (9000, 300.0)
    /// The interval between two reports.
    nonisolated static let pause = Duration.seconds(5)
    /// The maximum number of kinds that are counted separately; strangers must not fill the memory.
    nonisolated static let mostKinds = 1024

    /// The lines that share a limit.
    public struct Kind: Sendable, Hashable {
        public let event: String
        public let cause: Cause?
        /// The source of the lines; nil: all sources for which there was no room.
        public let source: String?
    }

    private struct State {
        var allowance: Allowance
        var leftOut = 0
    }

    /// Reports that so many lines of one kind were omitted.
    public var report: (@HostActor (Kind, Int) -> Void)?

    private let clock: any HostClock
    private var kinds: [Kind: State] = [:]
    private var all: Allowance
    private var deadline: Deadline?

    /// - Parameter clock: real time, because the limit protects the reader of the log.
    public init(clock: any HostClock) {
        self.clock = clock
        all = Allowance(burst: Self.burstOfAll, rate: Self.rateOfAll, at: clock.now)
    }

    /// Whether the event's line is written.
    ///
    /// - Parameter source: the party that causes the event.
    public func admits(_ record: EventRecord, from source: String) -> Bool {
        let now = clock.now
        let kind = kind(Kind(event: record.event, cause: record.cause, source: source), now)
        var state = kinds[kind] ?? State(allowance: Allowance(burst: Self.burst, rate: Self.rate, at: now))
        let isAdmitted = state.allowance.take(at: now) && all.take(at: now)
        if !isAdmitted { state.leftOut += 1 }
        kinds[kind] = state
        if !isAdmitted, deadline == nil {
            deadline = clock.schedule(after: Self.pause) { [weak self] in
                self?.deadline = nil
                self?.tell()
            }
        }
        return isAdmitted
    }

    /// Reports the lines that were omitted since the last report.
    public func tell() {
        for (kind, state) in kinds.sorted(by: {
            ($0.key.event, $0.key.source ?? "") < ($1.key.event, $1.key.source ?? "")
        })
        where state.leftOut > 0 {
            report?(kind, state.leftOut)
            kinds[kind]?.leftOut = 0
        }
    }

    /// Returns the kind itself, or, if too many are known, the one that stands for all others of its event.
    private func kind(_ kind: Kind, _ now: UInt64) -> Kind {
        guard kinds[kind] == nil, kinds.count >= Self.mostKinds else { return kind }
        kinds = kinds.filter { $0.value.leftOut > 0 || !$0.value.allowance.isFull(at: now) }
        return kinds.count < Self.mostKinds ? kind : Kind(event: kind.event, cause: nil, source: nil)
    }
}
