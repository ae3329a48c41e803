// CredentialDriver: `run` for a credential provider: a list or an identity, acts on the view, and the credential.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct CredentialDriver: PointDriver {
    static let point = CredentialHost.point
    static let showsView = true

    /// The service of a run without `--service`.
    static let usual = CredentialService("https://example.org", .url)

    static let exploredCalls: [ExplorationCall] = {
        let identity = CredentialIdentity(usual, user: "explored")
        return [
            ExplorationCall(PrepareCredential(identity)),
            ExplorationCall(EndCredentials(), after: [1], isLast: true),
        ]
    }()

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(SelectCredential.self) { _, _ in Nothing() }
        return handlers
    }

    private let wish: CredentialWish
    private let reveals: Bool
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let options = command.credentials
        guard !options.configure || options.service == nil && options.identity == nil else {
            throw CommandError.usage(
                "--configure asks for no credential", remedy: "Omit --service and --identity, or --configure")
        }
        let service = options.service.map { CredentialService(text: $0) } ?? Self.usual
        wish = options.configure ? .configure : .credential(service, user: options.identity)
        reveals = options.reveal
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        // A person uses only a provider that is enabled, and its app may save identities.
        let isEnabled = try await host.consents(of: identifier).contains(CredentialHost.consent)
        if !isEnabled { try await host.setConsent(CredentialHost.consent, true, of: identifier) }
        do {
            let report = try await report(identifier, host)
            if !isEnabled { try await host.setConsent(CredentialHost.consent, false, of: identifier) }
            return report
        } catch {
            if !isEnabled { try? await host.setConsent(CredentialHost.consent, false, of: identifier) }
            throw error
        }
    }

    private func report(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let credentials = CredentialHost(host)
        // Another host may have the identities.
        try? await credentials.serve()
        let session = try await wish.begin(identifier, credentials)
        try await use(session, host)
        let ending = await CredentialEnding(of: session)
        let identities = try await credentials.identities(of: identifier)
        return PointReport(
            text: ending.text(identifier, reveals: reveals) + Self.text(identities),
            json: [("extension", .string(identifier))] + ending.members + ending.secrets(reveals: reveals)
                + [("identities", .array(identities.map(\.json)))],
            status: ending.status)
    }

    private static func text(_ identities: [CredentialIdentity]) -> String {
        guard !identities.isEmpty else { return "" }
        let shown = identities.prefix(10).map { "\(printable($0.user)) at \(printable($0.service.identifier))" }
        let rest = identities.count - shown.count
        return "  offered: " + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "") + "\n"
    }

    /// Lets a person, or the acts of the command line, use the view. Without either the request is cancelled, unless
    /// the extension ends it by itself.
    private func use(_ session: CredentialSession, _ host: HostApplication) async throws {
        guard session.isInteractive else { return }
        if isInteractive { return TerminalSheet(request: session.request, console: console).start() }
        if let view = await session.request.view(where: { _ in true }) { console.line(TerminalSheet.text(of: view)) }
        for act in acts { try await session.request.use(act.action, patience: Self.patience) }
        guard acts.isEmpty else { return }
        // A provider that needs no person has answered by now.
        try await host.fence()
        await session.cancel()
    }
}

/// The wish of a host, for `run` and for scenarios.
enum CredentialWish: Sendable {
    case credential(CredentialService, user: String?)
    case configure

    /// Begins a session. An identity that the app has saved has the provider's own name for its record.
    ///
    /// - Throws: errors of `CredentialHost`.
    func begin(_ identifier: String, _ host: CredentialHost) async throws -> CredentialSession {
        switch self {
        case .configure: return try await host.configure(identifier)
        case .credential(let service, nil): return try await host.list(for: [service], from: identifier)
        case .credential(let service, let user?):
            let saved = try await host.identities(for: service, of: identifier).first { $0.user == user }
            return try await host.credential(
                for: saved ?? CredentialIdentity(service, user: user), from: identifier)
        }
    }
}

/// The end of a session, for people and for scenarios.
struct CredentialEnding: Sendable {
    private let ending: CredentialSession.Ending
    private let isInteractive: Bool
    private let isSecond: Bool
    private let pid: Int?

    /// Waits for the end of a session.
    init(of session: CredentialSession) async {
        ending = await session.ending
        (isInteractive, isSecond) = (session.isInteractive, session.first != nil)
        pid = session.request.processIdentifier
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch ending {
        case .provided(let credential): (.provided, credential.user)
        case .completed: (.completed, nil)
        case .cancelled(let error): (.cancelled, Self.words(error))
        case .ended(let error) where error.code == .timedOut: (.timedOut, "\(error)")
        case .ended(let error) where error.code == .interrupted: (.ended, "\(error)")
        case .ended(let error): (.failed, "\(error)")
        }
    }

    private static func words(_ error: NSError) -> String {
        let fault = error.domain == CredentialFault.domain ? CredentialFault(rawValue: error.code) : nil
        return fault.map { "\($0) (\(error.code))" } ?? "\(error.domain) \(error.code): \(error.localizedDescription)"
    }

    /// The exit status of `run`.
    var status: Int32 {
        switch ending {
        case .provided, .completed: 0
        case .cancelled: OutcomeKind.cancelled.exitStatus
        case .ended(let error) where error.code == .interrupted: OutcomeKind.interrupted.exitStatus
        case .ended: ExitStatus.notExpected
        }
    }

    func text(_ identifier: String, reveals: Bool) -> String {
        var text = "\(result.word.rawValue): \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? "") + "\n"
        if isSecond { text += "  first without a view: it needed the person\n" }
        if case .provided(let credential) = ending {
            text += "  user      \(printable(credential.user))\n"
            text += "  password  " + (reveals ? printable(credential.password.text) : "not shown; --reveal shows it")
            text += "\n"
        } else if let why = result.why {
            text += "  " + printable(why) + "\n"
        }
        return text
    }

    /// The members of the JSON document, without the password.
    var members: [(name: String, value: JSON)] {
        let common: [(name: String, value: JSON)] = [
            ("result", .string(result.word.rawValue)), ("interactive", .boolean(isInteractive)),
            ("again", .boolean(isSecond)), ("pid", .optional(pid)),
        ]
        switch ending {
        case .provided(let credential): return common + [("user", .string(credential.user))]
        case .completed: return common
        case .cancelled(let error):
            return common + [
                ("domain", .string(error.domain)), ("code", .integer(error.code)),
                ("error", .string(error.localizedDescription)),
            ]
        case .ended(let error):
            return common + [("reason", .string("\(error.code)")), ("error", .string("\(error)"))]
        }
    }

    /// The password, if the person asks for it.
    func secrets(reveals: Bool) -> [(name: String, value: JSON)] {
        guard reveals, case .provided(let credential) = ending else { return [] }
        return [("password", .string(credential.password.text))]
    }
}

extension CredentialIdentity {
    fileprivate var json: JSON {
        [
            "service": .string(service.identifier), "user": .string(user), "record": .optional(record),
            "rank": .integer(rank),
        ]
    }
}
