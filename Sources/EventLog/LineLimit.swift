// LineLimit: how many lines one peer's doings may add to the daemon's log, and the count of those that are left out.

public import EventLoop
public import ExtensionProtocol

/// Bounds what a view of the log writes: by event, cause and source, and altogether. What is left out is counted, and
/// the counts are reported while lines are left out. The event log itself keeps every event.
@HostActor
public final class LineLimit {
    /// Of one event with one cause and one source: lines at once, and lines a second from then on.
    nonisolated static let (burst, rate) = (1000, 50.0)
    /// Of all: below what journald takes of a service by itself (RateLimitBurst= of journald.conf(5)).
    nonisolated static let (burstOfAll, rateOfAll) = (9000, 300.0)
    /// Between two reports.
    nonisolated static let pause = Duration.seconds(5)
    /// Kinds that are told apart; strangers must not fill the memory.
    nonisolated static let mostKinds = 1024

    /// What is limited together.
    public struct Kind: Sendable, Hashable {
        public let event: String
        public let cause: Cause?
        /// Nil: of those for whom there was no room.
        public let source: String?
    }

    private struct State {
        var allowance: Allowance
        var leftOut = 0
    }

    /// Writes that so many lines of one kind were left out.
    public var report: (@HostActor (Kind, Int) -> Void)?

    private let clock: any HostClock
    private var kinds: [Kind: State] = [:]
    private var all: Allowance
    private var deadline: Deadline?

    /// - Parameter clock: real time, for it is the reader of the log who bears no more.
    public init(clock: any HostClock) {
        self.clock = clock
        all = Allowance(burst: Self.burstOfAll, rate: Self.rateOfAll, at: clock.now)
    }

    /// Whether the event's line is written.
    ///
    /// - Parameter source: whose doing the event is.
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

    /// Reports what was left out since the last report.
    public func tell() {
        for (kind, state) in kinds.sorted(by: { ($0.key.event, $0.key.source ?? "") < ($1.key.event, $1.key.source ?? "") })
        where state.leftOut > 0 {
            report?(kind, state.leftOut)
            kinds[kind]?.leftOut = 0
        }
    }

    /// Itself, or where too many are known the one that stands for all others of its event.
    private func kind(_ kind: Kind, _ now: UInt64) -> Kind {
        guard kinds[kind] == nil, kinds.count >= Self.mostKinds else { return kind }
        kinds = kinds.filter { $0.value.leftOut > 0 || !$0.value.allowance.isFull(at: now) }
        return kinds.count < Self.mostKinds ? kind : Kind(event: kind.event, cause: nil, source: nil)
    }
}
