// FaultMatrix: what becomes of each request and of the process, for every fault at every point of an extension's life.

import ExtensionProtocol

/// One cell: how the requests end, and how the process does.
struct FaultOutcome: Sendable, Hashable, CustomStringConvertible {
    /// How each request ended, in the order in which they were begun; the second one only at the point `two`.
    let requests: [Cause]
    let exit: Cause
    /// Who decided on the end: `extension`, `daemon`, `operator` or `system`.
    let decidedBy: String
    /// Seconds of the daemon's clock from the fault to the end of the process: the time limits that had to run out.
    let seconds: Int

    init(_ requests: [Cause], _ exit: Cause, _ decidedBy: String, after seconds: Int = 0) {
        (self.requests, self.exit, self.decidedBy, self.seconds) = (requests, exit, decidedBy, seconds)
    }

    init(_ request: Cause, _ exit: Cause, _ decidedBy: String, after seconds: Int = 0) {
        self.init([request], exit, decidedBy, after: seconds)
    }

    var description: String {
        let requests = requests.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return "\(requests) | `\(exit.rawValue)` | \(decidedBy) | \(seconds) s"
    }
}

/// The law. With the default timers, a request limit of 30 s, and a point whose processes are shared.
enum FaultMatrix {
    typealias Row = [Fault: FaultOutcome]

    static let rows: [LifePoint: Row] = [
        .launching: [
            .killed: .init(.crashed, .crashed, "system"),
            .crashes: .init(.crashed, .crashed, "system"),
            .exits: .init(.exitedEarly, .exitedEarly, "extension"),
            .closesSocket: .init(.protocolViolation, .protocolViolation, "daemon", after: 1),
            .sendsGarbage: .init(.protocolViolation, .protocolViolation, "daemon"),
            .stopped: .init(.launchTimeout, .launchTimeout, "daemon", after: 5),
            .hostDies: .init(.cancelledByHost, .launchTimeout, "daemon", after: 5),
            .hostCancels: .init(.cancelledByHost, .launchTimeout, "daemon", after: 5),
            .operatorKills: .init(.terminatedByOperator, .terminatedByOperator, "operator"),
            .bundleRemoved: .init(.terminatedByOperator, .terminatedByOperator, "operator"),
        ],
        .ready: [
            .killed: .init(.cancelledByHost, .crashed, "system"),
            .crashes: .init(.cancelledByHost, .crashed, "system"),
            .exits: .init(.cancelledByHost, .exitedEarly, "extension"),
            .closesSocket: .init(.cancelledByHost, .protocolViolation, "daemon", after: 1),
            .sendsGarbage: .init(.cancelledByHost, .protocolViolation, "daemon"),
            .stopped: .init(.cancelledByHost, .noRequest, "daemon", after: 12),
            .hostDies: .init(.cancelledByHost, .noRequest, "daemon", after: 10),
            .hostCancels: .init(.cancelledByHost, .noRequest, "daemon", after: 10),
            .operatorKills: .init(.cancelledByHost, .terminatedByOperator, "operator"),
            .bundleRemoved: .init(.cancelledByHost, .terminatedByOperator, "operator"),
        ],
        .delivered: open,
        .loadOpen: open,
        .loadAnswered: open,
        .call: open,
        .called: open,
        .answered: [
            .killed: .init(.completed, .crashed, "system"),
            .crashes: .init(.completed, .crashed, "system"),
            .exits: .init(.completed, .exitedEarly, "extension"),
            .closesSocket: .init(.completed, .protocolViolation, "daemon", after: 1),
            .sendsGarbage: .init(.completed, .protocolViolation, "daemon"),
            .stopped: .init(.completed, .idle, "daemon", after: 10),
            .hostDies: .init(.completed, .idle, "daemon", after: 3),
            .hostCancels: .init(.completed, .idle, "daemon", after: 8),
            .operatorKills: .init(.completed, .terminatedByOperator, "operator"),
            .bundleRemoved: .init(.completed, .terminatedByOperator, "operator"),
        ],
        .handler: [
            .killed: .init(.completed, .crashed, "system"),
            .crashes: .init(.completed, .crashed, "system"),
            .exits: .init(.completed, .exitedEarly, "extension"),
            .closesSocket: .init(.completed, .protocolViolation, "daemon", after: 1),
            .sendsGarbage: .init(.completed, .protocolViolation, "daemon"),
            .stopped: .init(.completed, .expired, "daemon", after: 6),
            .hostDies: .init(.completed, .expired, "daemon", after: 6),
            .hostCancels: .init(.completed, .expired, "daemon", after: 6),
            .operatorKills: .init(.completed, .terminatedByOperator, "operator"),
            .bundleRemoved: .init(.completed, .terminatedByOperator, "operator"),
        ],
        .expired: [
            .killed: .init(.completed, .crashed, "system"),
            .crashes: .init(.completed, .crashed, "system"),
            .exits: .init(.completed, .exitedEarly, "extension"),
            .closesSocket: .init(.completed, .expired, "daemon", after: 1),
            .sendsGarbage: .init(.completed, .protocolViolation, "daemon"),
            .stopped: .init(.completed, .expired, "daemon", after: 1),
            .hostDies: .init(.completed, .expired, "daemon", after: 1),
            .hostCancels: .init(.completed, .expired, "daemon", after: 1),
            .operatorKills: .init(.completed, .terminatedByOperator, "operator"),
            .bundleRemoved: .init(.completed, .terminatedByOperator, "operator"),
        ],
        .idle: [
            .killed: .init(.completed, .crashed, "system"),
            .crashes: .init(.completed, .crashed, "system"),
            .exits: .init(.completed, .exitedEarly, "extension"),
            .closesSocket: .init(.completed, .protocolViolation, "daemon", after: 1),
            .sendsGarbage: .init(.completed, .protocolViolation, "daemon"),
            .stopped: .init(.completed, .idle, "daemon", after: 5),
            .hostDies: .init(.completed, .idle, "daemon", after: 3),
            .hostCancels: .init(.completed, .idle, "daemon", after: 3),
            .operatorKills: .init(.completed, .terminatedByOperator, "operator"),
            .bundleRemoved: .init(.completed, .terminatedByOperator, "operator"),
        ],
        // The end was decided on before: what comes now only brings it nearer.
        .terminating: [
            .killed: .init(.completed, .idle, "daemon"),
            .crashes: .init(.completed, .idle, "daemon"),
            .exits: .init(.completed, .idle, "daemon"),
            .closesSocket: .init(.completed, .idle, "daemon", after: 1),
            .sendsGarbage: .init(.completed, .idle, "daemon"),
            .stopped: .init(.completed, .idle, "daemon", after: 2),
            .hostDies: .init(.completed, .idle, "daemon", after: 1),
            .hostCancels: .init(.completed, .idle, "daemon", after: 1),
            .operatorKills: .init(.completed, .idle, "daemon"),
            .bundleRemoved: .init(.completed, .idle, "daemon", after: 1),
        ],
        .suspended: open.merging([
            // Its host lets it go on, and with it its time: 5 s of the request's 30 had passed.
            .stopped: .init(.requestTimeout, .requestTimeout, "daemon", after: 25)
        ]) { $1 },
        .two: [
            .killed: .init([.crashed, .crashed], .crashed, "system"),
            .crashes: .init([.crashed, .crashed], .crashed, "system"),
            .exits: .init([.exitedEarly, .exitedEarly], .exitedEarly, "extension"),
            .closesSocket: .init([.protocolViolation, .protocolViolation], .protocolViolation, "daemon", after: 1),
            .sendsGarbage: .init([.protocolViolation, .protocolViolation], .protocolViolation, "daemon"),
            .stopped: .init([.requestTimeout, .requestTimeout], .requestTimeout, "daemon", after: 30),
            .hostDies: .init([.cancelledByHost, .requestTimeout], .requestTimeout, "daemon", after: 30),
            .hostCancels: .init([.cancelledByHost, .requestTimeout], .requestTimeout, "daemon", after: 30),
            .operatorKills: .init([.terminatedByOperator, .terminatedByOperator], .terminatedByOperator, "operator"),
            .bundleRemoved: .init([.terminatedByOperator, .terminatedByOperator], .terminatedByOperator, "operator"),
        ],
    ]

    /// While its host waits for its answer.
    private static let open: Row = [
        .killed: .init(.crashed, .crashed, "system"),
        .crashes: .init(.crashed, .crashed, "system"),
        .exits: .init(.exitedEarly, .exitedEarly, "extension"),
        .closesSocket: .init(.protocolViolation, .protocolViolation, "daemon", after: 1),
        .sendsGarbage: .init(.protocolViolation, .protocolViolation, "daemon"),
        .stopped: .init(.requestTimeout, .requestTimeout, "daemon", after: 30),
        .hostDies: .init(.cancelledByHost, .idle, "daemon", after: 3),
        .hostCancels: .init(.cancelledByHost, .idle, "daemon", after: 3),
        .operatorKills: .init(.terminatedByOperator, .terminatedByOperator, "operator"),
        .bundleRemoved: .init(.terminatedByOperator, .terminatedByOperator, "operator"),
    ]

    /// The table of docs/faults.md, line by line.
    static var page: [String] {
        LifePoint.allCases.flatMap { point in
            Fault.allCases.map { fault in
                "| `\(point.rawValue)` | `\(fault.rawValue)` | \(rows[point]?[fault]?.description ?? "–") |"
            }
        }
    }
}
