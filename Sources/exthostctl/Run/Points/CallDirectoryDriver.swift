// CallDirectoryDriver: `run` for a call directory: its size, and the entries of numbers.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct CallDirectoryDriver: PointDriver {
    static let point = CallDirectoryHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(LoadCallDirectory(isIncremental: false)),
        ExplorationCall(EndCallDirectory(), after: [1], isLast: true),
    ]

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(CallDirectoryEntries.self) { _, _ in Nothing() }
        return handlers
    }

    private let numbers: [(text: String, number: Int64)]

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        numbers = try command.messages.lookup.map { ($0, try Self.number($0)) }
    }

    /// Reads a number.
    ///
    /// - Throws: `CommandError`.
    static func number(_ text: String) throws -> Int64 {
        guard let number = CallDirectoryHost.number(text) else {
            throw CommandError.usage(
                "“\(text)” is no telephone number", remedy: "Write it with the code of its country, as +15555550123")
        }
        return number
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let load = try await DirectoryLoad(CallDirectoryHost(host), identifier)
        let found = numbers.map { DirectoryLookup($0.text, $0.number, load.directory) }
        let members: [(name: String, value: JSON)] =
            [("extension", .string(identifier))] + load.members
            + [("numbers", .array(found.map { .object($0.members) }))]
        return PointReport(
            text: load.text(identifier) + (load.directory == nil ? "" : found.map(\.text).joined()), json: members,
            status: load.directory == nil ? ExitStatus.notExpected : 0)
    }
}

/// The end of a load, for people and for scenarios.
struct DirectoryLoad: Sendable {
    /// The directory; nil after a fault.
    let directory: CallDirectory?
    private let fault: CallDirectoryFault?
    private let reason: String?

    /// Asks an extension.
    ///
    /// - Throws: `ExtensionHostError` of the daemon.
    init(_ host: CallDirectoryHost, _ identifier: String) async throws {
        do {
            directory = try await host.reload(identifier)
            (fault, reason) = (nil, nil)
        } catch let error as NSError where error.domain == CallDirectoryFault.domain {
            directory = nil
            fault = CallDirectoryFault(rawValue: error.code) ?? .unknown
            reason = error.localizedDescription
        }
    }

    /// Takes the last directory that was loaded, or asks the extension for the first.
    ///
    /// - Throws: `ExtensionHostError` of the daemon.
    init(last host: CallDirectoryHost, _ identifier: String) async throws {
        guard let last = await host.directory(of: identifier) else {
            try await self.init(host, identifier)
            return
        }
        self.init(directory: last)
    }

    private init(directory: CallDirectory) { (self.directory, fault, reason) = (directory, nil, nil) }

    func text(_ identifier: String) -> String {
        guard let directory else {
            return "not loaded, \(fault.map { "\($0) (\($0.rawValue))" } ?? ""): \(printable(reason ?? ""))\n"
        }
        return "loaded: \(printable(identifier)), \(directory.blockedCount) blocked, "
            + "\(directory.identifiedCount) identified\n"
    }

    var members: [(name: String, value: JSON)] {
        [
            ("blocked", .optional(directory?.blockedCount)), ("identified", .optional(directory?.identifiedCount)),
            ("error", .optional(fault.map { "\($0)" })), ("code", .optional(fault?.rawValue)),
            ("reason", .optional(reason)),
        ]
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) { (directory == nil ? .failed : .loaded, reason) }
}

/// The entry of a number, for people and for scenarios.
struct DirectoryLookup: Sendable {
    private let number: String
    private let entry: CallDirectory.Entry?

    init(_ text: String, _ number: Int64, _ directory: CallDirectory?) {
        (self.number, entry) = (text, directory?[number])
    }

    var text: String {
        let words = [entry?.isBlocked == true ? "blocked" : nil, entry?.label.map { "“\(printable($0))”" }]
            .compactMap { $0 }
        return "  \(printable(number)): \(words.isEmpty ? "no entry" : words.joined(separator: ", "))\n"
    }

    var members: [(name: String, value: JSON)] {
        [
            ("number", .string(number)), ("isBlocked", .boolean(entry?.isBlocked == true)),
            ("label", .optional(entry?.label)),
        ]
    }

    /// The result in a scenario's word.
    var result: (word: PointResult, why: String?) {
        (entry.map { $0.isBlocked ? .blocked : .identified } ?? .nothing, nil)
    }
}
