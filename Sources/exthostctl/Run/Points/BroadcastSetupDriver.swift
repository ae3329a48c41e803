// BroadcastSetupDriver: `run` for the set-up of a broadcast: acts on the view, and the choice.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PropertyListCoding
import Scenarios

struct BroadcastSetupDriver: PointDriver {
    static let point = BroadcastHost.setupPoint
    static let showsView = true

    /// A set-up gets no calls.
    static let exploredCalls: [ExplorationCall] = []

    /// The application that is broadcast.
    static let application = BroadcastHost.Application("org.exthost.game", displayName: "Game")

    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let session = try await BroadcastHost(host).setUp(identifier, for: Self.application)
        if isInteractive {
            TerminalSheet(request: session.request, console: console).start()
        } else {
            if let view = await session.request.view(where: { _ in true }) {
                console.line(TerminalSheet.text(of: view))
            }
            for act in acts { try await session.request.use(act.action, patience: Self.patience) }
            if acts.isEmpty {
                // A set-up that needs no person has its choice by now.
                try await host.fence()
                await session.cancel()
            }
        }
        let ending = try await SetupEnding(of: session)
        let word = ending.result.word.rawValue
        let pid = session.request.processIdentifier
        let head = "\(word): \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? "")
        return PointReport(
            text: ([head] + ending.lines.map { "  " + printable($0) }).joined(separator: "\n") + "\n",
            json: [
                ("extension", .string(identifier)), ("result", .string(word)), ("pid", .optional(pid)),
            ] + ending.members, status: ending.status)
    }
}

/// The end of a set-up, for `run` and for scenarios.
enum SetupEnding: Sendable {
    case completed(BroadcastSetupSession.Setup)
    case cancelled
    /// The author's error.
    case failed(NSError)
    /// The process has ended, or the request was refused.
    case ended(ExtensionHostError)

    init(of session: BroadcastSetupSession) async throws {
        do {
            self = try await session.setup().map { .completed($0) } ?? .cancelled
        } catch let error as ExtensionHostError {
            self = .ended(error)
        } catch {
            self = .failed(error as NSError)
        }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .completed: (.completed, nil)
        case .cancelled: (.cancelled, nil)
        case .failed(let error): (.failed, "\(error.domain) \(error.code): \(error.localizedDescription)")
        case .ended(let error): (.ended, "\(error)")
        }
    }

    var lines: [String] {
        switch self {
        case .completed(let setup):
            ["address     \(setup.url.absoluteString)"]
                + (setup.setupInfo.map { ["setupInfo   \(JSON($0.plist).line)"] } ?? [])
        default: result.why.map { [$0] } ?? []
        }
    }

    var status: Int32 {
        switch self {
        case .completed: 0
        case .cancelled, .failed: OutcomeKind.cancelled.exitStatus
        case .ended: OutcomeKind.interrupted.exitStatus
        }
    }

    var members: [(name: String, value: JSON)] {
        var (url, info): (String?, JSON) = (nil, .null)
        if case .completed(let setup) = self {
            url = setup.url.absoluteString
            info = setup.setupInfo.map { JSON($0.plist) } ?? .null
        }
        return [("url", .optional(url)), ("setupInfo", info), ("reason", .optional(result.why))]
    }
}
