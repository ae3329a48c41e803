// Scenario: what a scenario file says, checked as far as it can be without running anything (docs/scenarios.md).

public import ExtensionProtocol

/// A file of tests of one extension.
public struct Scenario: Sendable, Hashable {
    public enum Clock: String, Sendable, Hashable, CaseIterable {
        case virtual, real
    }

    /// The extension: an identifier, or a path; and which one, where there are several.
    public struct Subject: Sendable, Hashable {
        public var name: String
        public var chosen: String?

        public init(name: String, chosen: String? = nil) {
            self.name = name
            self.chosen = chosen
        }
    }

    public var subject: Subject?
    public var clock = Clock.virtual
    /// How long, in real time, a line waits for what is due.
    public var limit = Duration.seconds(10)
    /// Folders of apps besides the extension's own.
    public var applications: [String] = []
    /// More options of `exthostd`.
    public var daemonOptions: [String] = []
    public var tests: [ScenarioTest] = []

    public init() {}
}

/// One test: lines that are done in turn.
public struct ScenarioTest: Sendable, Hashable {
    public let name: String
    /// From 1.
    public let line: Int
    public internal(set) var steps: [ScenarioStep] = []
}

/// One line of a test.
public struct ScenarioStep: Sendable, Hashable {
    public let line: Int
    /// As it stands in the file.
    public let text: String
    public let act: ScenarioAct
}

/// What a line does. A request's or host's name is nil where the line names none: the request that was begun last, and its host.
public enum ScenarioAct: Sendable, Hashable {
    case begin(ScenarioRequest)
    case host(HostStateName, of: String?)
    case advance(Duration)
    case cancel(String?)
    case disconnect(String?)
    /// A signal from a stranger, as a crash is one.
    case kill(String?, signal: Int32)
    /// Of whichever extension comes to the point.
    case fault(FaultOrder)
    case view(SheetAct, of: String?)
    case wait(EventPattern, within: Duration?)
    case expect(ScenarioExpectation, of: String?)
}

/// A request that a test begins.
public struct ScenarioRequest: Sendable, Hashable {
    /// By which later lines mean it.
    public var name: String?
    public var parts: [LocatedPart] = []
    public var timeout: Duration?
    public var host = ScenarioRequest.usualHost
    public var force = false
    /// Whether the line is done when the extension has the request, or at once.
    public var waitsForDelivery = true

    public static let usualHost = "host"

    /// A part of the payload and the column of its option.
    public struct LocatedPart: Sendable, Hashable {
        public let part: PayloadPart
        public let column: Int
    }
}

/// What a test wants to be so.
public enum ScenarioExpectation: Sendable, Hashable {
    case outcome(OutcomeKind, Cause?)
    /// Of the item's place, from 1, the value at a path of `run --json`.
    case item(Int, path: [String], Comparison, ScenarioValue)
    case items(Int)
    /// The domain and code of the error with which the extension cancelled, or words of its description.
    case error(domain: String, code: Int?)
    case errorText(String)
    /// In this order, with any others between.
    case log([EventPattern])
    case noLog([EventPattern])
    /// Started for the extension so far.
    case processes(Int)
    case noProcess
    /// Of the request's attachments.
    case loads(Int)
    /// The end of the request's process.
    case exit(Cause)
    case output(String)
    case noOutput(String)
    /// Something in the view has this name, title or text.
    case view(String, isEnabled: Bool?)

    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "="
        case unequal = "!="
        case contains
    }
}

/// A scalar to compare with.
public enum ScenarioValue: Sendable, Hashable, CustomStringConvertible {
    case text(String)
    case number(Double)
    case boolean(Bool)
    case null

    public var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        case .boolean(let value): "\(value)"
        case .null: "null"
        }
    }
}

/// An event, by its name and, if given, its cause: `process.exited(crashed)`.
public struct EventPattern: Sendable, Hashable, CustomStringConvertible {
    public let event: EventName
    public let cause: Cause?

    public init(_ event: EventName, _ cause: Cause? = nil) {
        self.event = event
        self.cause = cause
    }

    public func matches(_ record: EventRecord) -> Bool {
        record.event == event.rawValue && (cause == nil || record.cause == cause)
    }

    public var description: String { event.rawValue + (cause.map { "(\($0.rawValue))" } ?? "") }

    /// How many of `patterns`, from the first on, stand in `records` in their order.
    public static func found(_ patterns: [EventPattern], in records: [EventRecord]) -> Int {
        var count = 0
        for record in records where count < patterns.count && patterns[count].matches(record) { count += 1 }
        return count
    }
}
