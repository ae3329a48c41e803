// ProcessCommands: the verbs that list processes, requests, hosts and exits.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol

struct ProcessesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the running extensions and apps.",
        discussion: """
            EXAMPLE
              exthostctl ps --json
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { try await $0.processes() }
        if global.json { return try StandardOutput.write(JSON.array(records.map(\.json)).document) }
        var table = Table("EXTENSION", .number("PID"), "STATE", .number("MEMORY"), "STARTED", "SANDBOX", "REQUESTS")
        for record in records {
            table.add(
                record.extensionIdentifier, "\(record.pid)", record.state, written(bytes: record.memory),
                written(time: record.started), record.sandbox ?? "-", written(record.requests))
        }
        try StandardOutput.write(table.text(emptyNote: "No extension is running."))
    }
}

struct RequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "List the open requests.",
        discussion: """
            EXAMPLE
              exthostctl requests
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { try await $0.requests() }
        if global.json { return try StandardOutput.write(JSON.array(records.map(\.json)).document) }
        var table = Table("REQUEST", "EXTENSION", "HOST", .number("PID"), "STATE", "BEGAN")
        for record in records {
            table.add(
                record.request.description, record.extensionIdentifier, record.host, record.pid.map { "\($0)" } ?? "-",
                record.state,
                written(time: record.began))
        }
        try StandardOutput.write(table.text(emptyNote: "No request is open."))
    }
}

struct HostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hosts", abstract: "List the connected host applications and their states.",
        discussion: """
            EXAMPLE
              exthostctl hosts
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { try await $0.hosts() }
        if global.json { return try StandardOutput.write(JSON.array(records.map(\.json)).document) }
        var table = Table("HOST", .number("UID"), .number("PID"), "STATE", "REQUESTS")
        for record in records {
            table.add(record.host, "\(record.user)", "\(record.pid)", record.state.rawValue, written(record.requests))
        }
        try StandardOutput.write(table.text(emptyNote: "No host is connected."))
    }
}

struct ExitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exits", abstract: "List the recent ends of extensions and apps, with their causes.",
        discussion: """
            EXAMPLE
              exthostctl exits
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { try await $0.exits() }
        if global.json { return try StandardOutput.write(JSON.array(records.map(\.json)).document) }
        var table = Table(
            "AT", "EXTENSION", .number("PID"), "CAUSE", "DECIDED BY", "HOW", .number("PEAK"), .number("LIMIT"),
            "REQUESTS",
            "LOADING", "CORE", "SANDBOX")
        for record in records {
            let exit = record.exit
            table.add(
                written(time: record.time), record.extensionIdentifier, "\(record.pid)", exit.cause.rawValue,
                record.decidedBy,
                exit.signal.map { "signal \($0)" } ?? exit.status.map { "status \($0)" } ?? "unknown",
                written(bytes: exit.peakMemory), Self.limit(exit),
                written(record.requests),
                record.loads.isEmpty
                    ? "-" : record.loads.map { "\($0.provider) as \($0.type)" }.joined(separator: ", "),
                exit.coreDump ?? "-", exit.sandbox ?? "-")
        }
        try StandardOutput.write(table.text(emptyNote: "No extension has ended yet."))
    }

    /// Returns the limit that ended the process, else its memory limit.
    private static func limit(_ exit: ExitRecord) -> String {
        if let reached = exit.reached, reached.name == "cpu" { return written(seconds: Double(reached.limit) / 1000) }
        return written(bytes: exit.memoryLimit)
    }
}
