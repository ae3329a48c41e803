// FaultCommand: the verb for faults on demand in an ephemeral daemon.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Inject faults in an ephemeral daemon.",
        discussion: """
            EXAMPLE
              exthostctl fault add kill at loadOpen
            """,
        subcommands: [FaultListCommand.self, FaultAddCommand.self, FaultOrdersCommand.self, FaultClearCommand.self])
}

struct FaultListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the faults, and the points where the daemon can inject them.",
        discussion: """
            EXAMPLES
              exthostctl fault list
              exthostctl fault list --json
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() throws {
        guard !global.json else {
            let answer: JSON = [
                "points": .array(
                    FaultPoint.allCases.map { ["name": .string($0.rawValue), "summary": .string($0.summary)] }),
                "faults": .array(
                    FaultKind.allCases.map { ["name": .string($0.rawValue), "summary": .string($0.summary)] }),
            ]
            return try StandardOutput.write(answer.document)
        }
        var points = Table("POINT", "WHEN")
        for point in FaultPoint.allCases { points.add(point.rawValue, point.summary) }
        var faults = Table("FAULT", "WHAT")
        for kind in FaultKind.allCases { faults.add(kind.rawValue, kind.summary) }
        try StandardOutput.write(points.text(emptyNote: "") + "\n" + faults.text(emptyNote: ""))
    }
}

struct FaultAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Schedule a fault at a point of an extension's life, or several that a seed selects.",
        discussion: """
            The daemon logs the event fault.injected for each injected fault. exthostctl fault list shows points and
            faults; docs/faults.md describes their effects. Write a fault at a point, as in scenarios and the test kits.
            The same seed selects, cuts and garbles the same.

            EXAMPLES
              exthostctl fault add kill at loadOpen
              exthostctl fault add slow at delivered --for 45s --extension org.example.app.share
              exthostctl fault add truncate at loadAnswered --after 2 --times 3 --seed 7
              exthostctl fault add --random 5 --seed 7
            """)

    @Argument(
        help: ArgumentHelp(
            "A fault, at, and a point. The point may also come first, and at may be omitted.",
            valueName: "fault at point"),
        completion: .list(FaultKind.allCases.map(\.rawValue) + ["at"] + FaultPoint.allCases.map(\.rawValue)))
    var words: [String] = []

    @Option(
        name: .customLong("extension"), help: ArgumentHelp("Only for this extension.", valueName: "id"),
        completion: .extensions)
    var identifier: String?

    @Option(help: ArgumentHelp("How many times the point passes before the first injection.", valueName: "count"))
    var after = 0

    @Option(help: ArgumentHelp("How many times the daemon injects the fault.", valueName: "count"))
    var times = 1

    @Option(help: ArgumentHelp("The seed of all random choices.", valueName: "number"))
    var seed = 0

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long the connection is slow, on the daemon's clock; default 1s.", valueName: "duration"),
        transform: duration)
    var delay: Duration?

    @Flag(help: "For faults of packets: the next packet to the extension, not the next one from it.")
    var sent = false

    @Option(help: ArgumentHelp("Instead of a point and a fault: this many that the seed selects.", valueName: "count"))
    var random: Int?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        guard random == nil else {
            guard words.isEmpty else { throw ValidationError("--random selects the point and the fault: omit them.") }
            guard let random, (1...100).contains(random) else {
                throw ValidationError("--random takes a number from 1 to 100.")
            }
            return
        }
        if let problem = try order().problem {
            throw ValidationError(
                "\(problem.message.prefix(1).uppercased())\(problem.message.dropFirst()). \(problem.remedy ?? "").")
        }
    }

    private func order() throws -> FaultOrder {
        let (kind, place) = try FaultWords.read(words)
        if delay != nil, kind != .slow { throw ValidationError("--for works only with slow.") }
        guard place != .starting else {
            throw ValidationError(
                "The daemon has already started. Use its own option for a fault at its start: exthostd --ephemeral --fault noDescriptors@starting."
            )
        }
        let seconds = delay.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 }
        return FaultOrder(
            kind, at: place, extensionIdentifier: identifier, after: after, times: times, seed: seed,
            delay: seconds ?? 1,
            sent: sent)
    }

    func run() async throws {
        let orders =
            try random.map { FaultOrder.random(seed: seed, count: $0, extensionIdentifier: identifier) } ?? [order()]
        try await global.withControl { control in
            for order in orders { try await control.add(order) }
        }
        let records = orders.map { FaultRecord(order: $0, struck: 0) }
        // A fault that the user named is not printed again.
        if global.json {
            try StandardOutput.write(JSON.array(records.map(\.json)).document)
        } else if random != nil, !global.quiet {
            try StandardOutput.write(FaultRecord.table(records))
        }
    }
}

/// A parser of `kill at loadOpen`, `kill loadOpen`, and the older order: `loadOpen kill`.
///
/// No name denotes both a fault and a point.
enum FaultWords {
    static func read(_ words: [String]) throws(ValidationError) -> (FaultKind, FaultPoint) {
        var names = words
        if names.count == 3, names[1] == "at" { names.remove(at: 1) }
        guard names.count == 2 else {
            throw ValidationError("Write a fault at a point, as in kill at loadOpen, or --random.")
        }
        if FaultPoint(rawValue: names[0]) != nil || FaultKind(rawValue: names[1]) != nil { names.swapAt(0, 1) }
        guard let kind = FaultKind(rawValue: names[0]) else {
            throw ValidationError(missing("fault", names[0], FaultKind.allCases.map(\.rawValue)))
        }
        guard let point = FaultPoint(rawValue: names[1]) else {
            throw ValidationError(missing("point", names[1], FaultPoint.allCases.map(\.rawValue)))
        }
        return (kind, point)
    }

    private static func missing(_ what: String, _ name: String, _ all: [String]) -> String {
        "There is no \(what) “\(name)”. \(NearestNames.question(name, among: all) ?? "exthostctl fault list shows all.")"
    }
}

struct FaultOrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders", abstract: "List the scheduled faults, and how often each was injected.",
        discussion: """
            EXAMPLE
              exthostctl fault orders
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { try await $0.faults() }
        try StandardOutput.write(global.json ? JSON.array(records.map(\.json)).document : FaultRecord.table(records))
    }
}

struct FaultClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove every scheduled fault.",
        discussion: """
            EXAMPLE
              exthostctl fault clear
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await global.withControl { try await $0.clearFaults() }
        if global.json { try StandardOutput.write((["cleared": .boolean(true)] as JSON).document) }
    }
}

extension FaultRecord {
    fileprivate var json: JSON {
        [
            "point": .string(order.point.rawValue), "fault": .string(order.kind.rawValue),
            "extension": order.extensionIdentifier.map(JSON.string) ?? .null, "after": .integer(order.after),
            "times": .integer(order.times), "seed": .integer(order.seed), "delay": .real(order.delay),
            "sent": .boolean(order.sent), "struck": .integer(struck),
        ]
    }

    fileprivate static func table(_ records: [FaultRecord]) -> String {
        var table = Table(
            "FAULT", "POINT", "EXTENSION", .number("AFTER"), .number("TIMES"), .number("SEED"), .number("STRUCK"))
        for record in records {
            let order = record.order
            var fault = order.kind.rawValue
            if order.kind == .slow { fault += " \(written(seconds: order.delay))" }
            if order.sent { fault += ", sent" }
            table.add(
                fault, order.point.rawValue, order.extensionIdentifier ?? "any", "\(order.after)", "\(order.times)",
                "\(order.seed)", "\(record.struck)")
        }
        return table.text(emptyNote: "No faults are scheduled.")
    }
}
