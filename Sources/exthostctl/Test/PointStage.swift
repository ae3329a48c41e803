// PointStage: the host halves of one test, and the steps that a scenario lets them do.

import ContentRules
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages
import Scenarios

/// The system's apps of one test. A step runs on while later lines move the clock.
final class PointStage: Sendable {
    let today: TodayHost
    /// The text field, whose user has one custom keyboard and the system's.
    let field: KeyboardHost
    private let notifications: NotificationHost
    private let photos: PhotoStage
    private let host: HostApplication
    /// The browser, from the first load on: it reads the machine's list of public suffixes.
    private let blocker = Mutex<ContentBlockerHost?>(nil)
    private let pages: PageStage
    private let spotlight: SpotlightStage
    private let previews: PreviewStage
    private let intentViews: IntentViewStage
    private let conversation: MessagesStage
    private let files: FilesStage
    private let audio: AudioStage
    private let tunnels: TunnelStage
    private let broadcasts: BroadcastStage
    private let flows: FlowStage
    private let shownNotifications: NotificationStage
    private let proxies: ProxyStage
    private let reports: ClassificationStage
    private let pickers: DocumentPickerHost
    private let actions: FileActionsHost
    private let credentials: CredentialHost
    private let telephone: CallDirectoryHost
    private let identifier: String
    private let last = Mutex<Pending<Answer>?>(nil)
    /// The pages whose engines start, or whose scripts run: the daemon sees nothing of them.
    private let opening = Counter()

    /// The answer of the last step that has a result.
    enum Answer: Sendable {
        case spotlight(SpotlightAnswer)
        case imported(ImportEnding)
        case thumbnail(ThumbnailEnding)
        case preview(PreviewEnding)
        case conversation(MessagesAppEnding)
        case files(FilesAnswer)
        case audio(AudioStage.Answer)
        case tunnel(TunnelAnswer)
        case broadcast(BroadcastAnswer)
        case setup(SetupEnding)
        case flow(FlowAnswer)
        case notification(NotificationStage.Answer)
        case proxy(ProxyAnswer)
        case message(MessageEnding)
        case report(ClassificationStage.Answer)
        case intent(IntentEnding)
        case intentView(IntentViewEnding)
        case reload(DirectoryLoad)
        case lookup(DirectoryLoad, DirectoryLookup?)
        case load(BlockerLoad)
        case page(PageReport)
        case pick(PickEnding)
        case action(FileActionSession.Ending)
        case credential(CredentialEnding)
        case edit(PhotoEnding)
        case update(TodayHost.Update)
        case push(NotificationHost.Presentation)
    }

    /// - Parameter groupContainers: the folder of the daemon's group containers.
    init(_ host: HostApplication, _ identifier: String, groupContainers: String?) {
        pickers = DocumentPickerHost(host, groupContainers: groupContainers)
        files = FilesStage(host, identifier, groupContainers: groupContainers)
        audio = AudioStage(host, identifier)
        actions = FileActionsHost(host)
        credentials = CredentialHost(host)
        tunnels = TunnelStage(host, identifier)
        broadcasts = BroadcastStage(host, identifier)
        flows = FlowStage(host, identifier)
        shownNotifications = NotificationStage(host, identifier)
        proxies = ProxyStage(host, identifier)
        reports = ClassificationStage(host, identifier)
        photos = PhotoStage(host, identifier)
        telephone = CallDirectoryHost(host)
        self.host = host
        pages = PageStage(host, identifier)
        spotlight = SpotlightStage(host, identifier)
        previews = PreviewStage(host, identifier)
        intentViews = IntentViewStage(host, identifier)
        conversation = MessagesStage(host, identifier)
        today = TodayHost(host)
        notifications = NotificationHost(host)
        field = KeyboardHost(host, keyboard: identifier)
        self.identifier = identifier
    }

    /// Starts a step.
    ///
    /// - Parameter folder: the folder that the path of a payload or a photo is relative to.
    func start(_ step: PointStep, in folder: String) throws(TestFailure) -> Pending<Answer?> {
        switch step {
        case .update: return begin { [today, identifier] in .update(try await today.update(identifier)) }
        case .open: return Pending { [today, identifier] in try await Self.done(today.open(identifier)) }
        case .close: return Pending { [today, identifier] in try await Self.done(today.close(identifier)) }
        case .toggle: return Pending { [today, identifier] in try await Self.done(today.toggle(identifier)) }
        case .keyboard(let step): return Pending { [field] in try await Self.done(Self.perform(step, field)) }
        case .edit(let text):
            let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
            return Pending { [photos] in
                try await photos.begin(path)
                return nil
            }
        case .load(let url, let page, let frame, let type):
            let load: ContentLoad
            do {
                load = try ContentBlockerDriver.load(url, page: page, frame: frame, type: type)
            } catch {
                throw TestFailure(expected: "a load", found: "\(error)")
            }
            let blocker = blocker.withLock { blocker in
                let made = blocker ?? ContentBlockerHost(host)
                blocker = made
                return made
            }
            return begin { [identifier] in .load(try await BlockerLoad(load, blocker, identifier)) }
        case .files(let step):
            return begin { [files] in .files(try await files.perform(step, in: folder)) }
        case .audio(let step):
            guard step.isRender else {
                return Pending { [audio] in try await Self.done(audio.perform(step)) }
            }
            return begin { [audio] in .audio(try await audio.render(step, in: folder)) }
        case .broadcast(let step):
            return begin { [broadcasts] in .broadcast(try await broadcasts.perform(step, in: folder)) }
        case .setup:
            let session = Pending { [host, identifier] in
                try await BroadcastHost(host).setUp(identifier, for: BroadcastSetupDriver.application)
            }
            last.withLock { $0 = Pending { .setup(try await SetupEnding(of: session.value)) } }
            return Pending {
                _ = try await session.value
                return nil
            }
        case .tunnel(let step):
            return begin { [tunnels] in .tunnel(try await tunnels.perform(step, in: folder)) }
        case .flow(let step):
            return begin { [flows] in .flow(try await flows.decide(step, in: folder)) }
        case .notification(let step):
            var payload = Data()
            if case .show(let text, let isInline) = step { payload = try Self.payload(text, isInline, folder) }
            return begin { [shownNotifications, payload] in
                .notification(try await shownNotifications.perform(step, payload))
            }
        case .proxy(let step):
            return begin { [proxies] in .proxy(try await proxies.perform(step, in: folder)) }
        case .reload:
            return begin { [telephone, identifier] in .reload(try await DirectoryLoad(telephone, identifier)) }
        case .lookup(let text):
            let number: Int64
            do {
                number = try CallDirectoryDriver.number(text)
            } catch {
                throw TestFailure(expected: "a number", found: "\(error)")
            }
            return begin { [telephone, identifier] in
                let load = try await DirectoryLoad(last: telephone, identifier)
                return .lookup(load, load.directory.map { DirectoryLookup(text, number, $0) })
            }
        case .sms(let text, let sender, let answer):
            var server: MessageServer?
            if let path = answer.map({ $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }) {
                guard let body = FileManager.default.contents(atPath: path) else {
                    throw TestFailure(
                        expected: "the server's answer", found: "\(path) cannot be read",
                        remedy: "Name a file, relative to the scenario")
                }
                server = MessageServer(body: body)
            }
            let filter = MessageFilterHost(host, server: server)
            return begin { [identifier] in
                .message(try await MessageEnding(.init(sender: sender, body: text), filter, identifier))
            }
        case .report(let step):
            let work = reports.start(step)
            return begin { .report(try await work()) }
        case .intent(let step) where step.view != nil:
            return begin { [intentViews] in .intentView(try await intentViews.perform(step)) }
        case .intent(let step):
            return begin { [host, identifier] in .intent(try await IntentEnding(step, host, identifier)) }
        case .reindex(let identifiers):
            return begin { [spotlight] in .spotlight(try await spotlight.reindex(identifiers)) }
        case .thumbnail(let text, let size):
            let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
            let thumbnails = ThumbnailHost(host, inspector: try? ImageInspector())
            return begin { [identifier] in
                .thumbnail(ThumbnailEnding(try await thumbnails.thumbnail(ofFileAt: path, size: size, by: identifier)))
            }
        case .preview(let step):
            return begin { [previews] in .preview(try await previews.perform(step, in: folder)) }
        case .conversation(let step):
            return begin { [conversation] in .conversation(try await conversation.perform(step)) }
        case .importFile(let text, let type):
            let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
            return begin { [spotlight] in .imported(try await spotlight.importFile(path, type: type)) }
        case .search(let text, let isQuery):
            return begin { [spotlight] in .spotlight(try await spotlight.search(isQuery ? .query(text) : .words(text)))
            }
        case .page(let address, let text):
            let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
            let share = Pending { [pages, opening] in
                opening.withLock { $0 += 1 }
                defer { opening.withLock { $0 -= 1 } }
                return try await pages.begin(address, path)
            }
            last.withLock { $0 = Pending { [pages] in .page(try await pages.report(of: share.value)) } }
            return Pending {
                _ = try await share.value
                return nil
            }
        case .pick(let mode, let types, let file):
            let path = file.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
            let wish: DocumentPickerHost.Wish
            switch DocumentPickerDriver.modes[mode] {
            case .open: wish = .open(types)
            case .exportToService: wish = .exportToService(path ?? "")
            case .moveToService: wish = .moveToService(path ?? "")
            default: wish = .import(types)
            }
            let session = Pending { [pickers, identifier] in try await pickers.begin(identifier, wish) }
            last.withLock { $0 = Pending { .pick(try await PickEnding(of: session.value)) } }
            return Pending {
                _ = try await session.value
                return nil
            }
        case .action(let name, let file):
            let items: [FileActionsHost.Item]
            do {
                let path = file.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
                items = try path.map { try FileActionsDriver.items($0) } ?? [FileActionsDriver.usual]
            } catch {
                throw TestFailure(expected: "a file of items", found: "\(error)")
            }
            let session = Pending { [actions, identifier] in
                try await actions.perform(name, of: identifier, on: items)
            }
            last.withLock { $0 = Pending { .action(try await session.value.ending) } }
            return Pending {
                _ = try await session.value
                return nil
            }
        case .credential(let service, let user):
            return begin(.credential(CredentialService(text: service), user: user))
        case .credentialConfiguration: return begin(.configure)
        case .finish: return begin { [photos] in .edit(try await photos.finish()) }
        case .discard(let goesOn):
            return begin { [photos] in .edit(try await photos.discard(confirming: goesOn ? .goOn : .confirm)) }
        case .revert:
            return Pending { [photos] in
                try photos.revert()
                return nil
            }
        case .push(let text, let isInline):
            let payload = try Self.payload(text, isInline, folder)
            return begin { [notifications, identifier] in
                .push(try await notifications.push(payload, to: identifier))
            }
        }
    }

    /// Returns the payload of a remote notification.
    ///
    /// - Parameters:
    ///   - text: the payload itself, or its path.
    ///   - folder: the folder that the path is relative to.
    private static func payload(_ text: String, _ isInline: Bool, _ folder: String) throws(TestFailure) -> Data {
        if isInline { return Data(text.utf8) }
        let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
        guard let read = FileManager.default.contents(atPath: path) else {
            throw TestFailure(
                expected: "a payload", found: "\(path) cannot be read",
                remedy: "Name a file with JSON, relative to the scenario, or write '{\"aps\": …}'")
        }
        return read
    }

    private static func perform(_ step: KeyboardStep, _ field: KeyboardHost) async throws {
        switch step {
        case .focus(let text, let kind):
            var traits = KeysTraits()
            traits.isSecure = kind == .secure
            traits.keyboard = KeysTraits.Keyboard(rawValue: kind.rawValue) ?? .default
            await field.focus(text, traits: traits)
        case .type(let words): try await field.type(words)
        case .tap(let key): try await field.tap(key)
        case .select(let range): await field.select(range)
        case .next: await field.switchAway()
        case .dismiss: await field.dismiss()
        }
    }

    private static func done(_ step: Void) async -> Answer? { nil }

    /// Begins a session with a credential provider. Later lines use its view.
    private func begin(_ wish: CredentialWish) -> Pending<Answer?> {
        let session = Pending { [credentials, identifier, host] in
            try await host.setConsent(CredentialHost.consent, true, of: identifier)
            // Another host may have the identities.
            try? await credentials.serve()
            return try await wish.begin(identifier, credentials)
        }
        last.withLock { $0 = Pending { .credential(await CredentialEnding(of: try await session.value)) } }
        return Pending {
            _ = try await session.value
            return nil
        }
    }

    private func begin(_ body: @escaping @Sendable () async throws -> Answer) -> Pending<Answer?> {
        let pending = Pending(body)
        last.withLock { $0 = pending }
        return Pending { try await pending.value }
    }

    /// Whether a host half works out of the daemon's sight.
    var isAtWork: Bool { opening.value > 0 }

    /// The answer of the last step that has a result; nil before the first. It waits for the answer.
    var answer: Answer? {
        get async throws { try await last.withLock { $0 }?.value }
    }
}

/// A number that several tasks change.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func withLock(_ body: (inout Int) -> Void) { count.withLock { body(&$0) } }
    var value: Int { count.withLock { $0 } }
}

/// Work that was started, and that others wait for.
final class Pending<Value: Sendable>: Sendable {
    private let task: Task<Value, any Error>

    init(_ body: @escaping @Sendable () async throws -> Value) { task = Task { try await body() } }

    var value: Value { get async throws { try await task.value } }
}

extension PointStage.Answer {
    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .edit(let ending): return ending.result
        case .files(let answer): return (answer.result, answer.why)
        case .audio(let answer): return (answer.result, answer.why)
        case .tunnel(let answer): return (answer.result, answer.why)
        case .broadcast(let answer): return (answer.result, answer.why)
        case .setup(let ending): return ending.result
        case .flow(let answer): return (answer.result, answer.why)
        case .notification(let answer): return (answer.result, answer.why)
        case .proxy(let answer): return (answer.result, answer.why)
        case .reload(let load): return load.result
        case .lookup(let load, let found): return found?.result ?? load.result
        case .message(let ending): return ending.result
        case .report(let answer): return (answer.result, answer.why)
        case .intent(let ending): return ending.result
        case .intentView(let ending): return ending.result
        case .pick(let ending): return ending.result
        case .action(let ending): return ending.result
        case .credential(let ending): return ending.result
        case .load(let load): return load.result
        case .spotlight(let answer): return answer.result
        case .imported(let ending): return ending.result
        case .thumbnail(let ending): return ending.result
        case .preview(let ending): return ending.result
        case .conversation(let ending): return ending.result
        case .page(let report):
            if let failure = report.failures.first { return (.failed, "\(failure)") }
            return (report.changes.count > 0 ? .changed : .unchanged, report.remarks.first)
        case .update(let update):
            guard let result = update.result else { return (.withoutContent, nil) }
            return (PointResult(rawValue: result.rawValue) ?? .failed, update.error.map { "\($0)" })
        case .push(let shown):
            switch shown.reason {
            case nil: return (shown.shown == nil ? .hidden : shown.shown == shown.original ? .unchanged : .changed, nil)
            case .notMutable: return (.notMutable, nil)
            case .timedOut: return (.timedOut, nil)
            case .ended(let cause): return (.ended, cause?.rawValue)
            case .handlerDropped: return (.handlerDropped, nil)
            case .empty: return (.empty, nil)
            case .failed(let error): return (.failed, "\(error)")
            }
        }
    }
}
