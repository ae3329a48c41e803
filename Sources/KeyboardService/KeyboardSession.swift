// KeyboardSession: one session of a keyboard: its edits on their way to the host, and the mirror of the host's text.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The connection of a keyboard to its host.
///
/// Edits wait here and go to the host in calls of many, one call at a time. So their order holds, and a call that is
/// repeated after a restart of the daemon overtakes none.
@MainActor final class KeyboardSession: KeyboardConnection {
    /// The maximum size of the texts of one call, in UTF-16 units, if it has several edits.
    private static let textLimit = 1 << 16
    private static let clock = ExtensionClock()

    private let session: PointSession
    private lazy var proxy = HostText(self)
    private var settings = KeysSettings(width: 375, mirrorDelay: 0, needsSwitchKey: true, fullAccess: false)

    // Edits.
    private var document = ""
    private var unsent: [(document: String, edit: KeysEdit)] = []
    /// The number of edits that the author's code has made, and of those that the host has.
    private var (made, taken) = (0, 0)
    /// The number of edits in the open call.
    private var sent = 0
    private var isOver = false
    private var flushes: [(made: Int, done: CheckedContinuation<Void, Never>)] = []

    // The mirror.
    private var coming: [(time: ExtensionClock.Instant, context: KeysContext)] = []
    private var timer: ExtensionTimer?

    private var isPrepared = false
    var isVisible = false
    /// The last tap, and its error.
    private var lastTap: (number: Int, error: (any Error)?) = (0, nil)
    private var offersSwitch = false
    private var hasAskedForSwitch = false

    private nonisolated init(_ session: PointSession) { self.session = session }

    nonisolated static func of(_ session: PointSession) -> KeyboardSession {
        session.state(KeyboardSession.self) { KeyboardSession(session) }
    }

    private var controller: UIInputViewController? { session.principal as? UIInputViewController }

    // MARK: Calls of the host

    func take(_ message: KeysDocument) {
        let isOther = document != message.document
        settings = message.settings
        UIPasteboard.isAvailable.store(hasFullAccess, ordering: .relaxed)
        guard isOther else { return proxy.adopt(message.traits, message.document) }
        change(to: message.context, isMove: false, tells: isPrepared) {
            document = message.document
            proxy.adopt(message.traits, message.document)
        }
    }

    func take(_ message: KeysChange) {
        guard message.context.sequence > proxy.context.sequence else { return }
        change(to: message.context, isMove: message.isMove, tells: isPrepared) {}
    }

    /// Changes the mirror at once, for a change that the keyboard has not made.
    private func change(to context: KeysContext, isMove: Bool, tells: Bool, _ body: () -> Void) {
        let controller = tells ? controller : nil
        if isMove { controller?.selectionWillChange(nil) }
        controller?.textWillChange(nil)
        body()
        proxy.adopt(context)
        controller?.textDidChange(nil)
        if isMove { controller?.selectionDidChange(nil) }
    }

    /// Loads the view before its first appearance. The author's code learns of the text when its view is there.
    func prepareView() {
        guard let controller, !isPrepared else { return layOut() }
        isPrepared = true
        controller.loadViewIfNeeded()
        layOut()
        controller.textWillChange(nil)
        controller.textDidChange(nil)
    }

    func layOut() { controller?.layOut(width: settings.width) }

    func tap(_ message: KeysTap) async throws {
        // A tap that is repeated after a restart of the daemon.
        guard message.number > lastTap.number || message.number == 0 else {
            if let error = lastTap.error { throw error }
            return
        }
        lastTap = (max(message.number, lastTap.number), nil)
        do {
            guard isVisible, let key = await name(of: message) else {
                throw ExtensionHostError(
                    .invalidArgument, "the keyboard shows no such key", remedy: "Name one of the keys that it shows")
            }
            try await session.use("tap", name: key)
        } catch {
            if lastTap.number == message.number { lastTap.error = error }
            throw error
        }
        layOut()
    }

    private func name(of tap: KeysTap) async -> String? {
        guard let place = tap.place else { return tap.key }
        let buttons = await session.describeView()?.all.filter { $0.kind == .button && $0.isEnabled } ?? []
        return buttons.indices.contains(place) ? buttons[place].name ?? buttons[place].title : nil
    }

    func state() async -> KeysState {
        // The description would load the view.
        let elements = isPrepared ? await session.describeView()?.all ?? [] : []
        if controller?.showsSwitchKey == true { offersSwitch = true }
        let names = elements.filter { $0.isEnabled && $0.kind != .text }.flatMap { [$0.name, $0.title, $0.text] }
            .compactMap(\.self)
        var seen: Set<String> = []
        return KeysState(
            keys: Array(names.filter { seen.insert($0).inserted }.prefix(512)),
            height: Double(controller?.wantedHeight ?? 0), offersSwitch: offersSwitch || hasAskedForSwitch)
    }

    /// Waits until the host has all edits so far, or the session is over.
    func flush() async {
        // The body may run after a suspension, because the task prefers the queue of the request. So it looks itself.
        await withCheckedContinuation { done in
            guard taken < made, !isOver else { return done.resume() }
            flushes.append((made, done))
        }
    }

    func end() {
        isOver = true
        (unsent, coming, timer) = ([], [], nil)
        resumeFlushes()
    }

    private func resumeFlushes() {
        let due = flushes.filter { isOver || $0.made <= taken }
        flushes.removeAll { isOver || $0.made <= taken }
        for flush in due { flush.done.resume() }
    }

    // MARK: Edits

    func edit(_ edit: KeysEdit) {
        guard !isOver else { return }
        made += 1
        unsent.append((document, edit))
        send()
    }

    /// Sends the edits that wait, unless a call is open.
    private func send() {
        guard sent == 0, let first = unsent.first, !isOver else { return }
        var room = Self.textLimit
        let edits = unsent.prefix(KeysEdits.maximumCount).prefix { entry in
            room -= entry.edit.text?.utf16.count ?? 0
            return entry.document == first.document && (room >= 0 || entry.edit == first.edit)
        }
        sent = edits.count
        repeatedly(KeysEdits(document: first.document, first: taken + 1, edits: edits.map(\.edit)))
    }

    private func repeatedly(_ message: KeysEdits) {
        session.send(message, CallPort.Options(isRepeatable: true)) { [weak self, session] answer in
            session.laterOnMain { self?.answered(message, answer) }
        }
    }

    private func answered(_ message: KeysEdits, _ answer: Result<KeysEdits.Reply, any Error>) {
        guard !isOver else { return }
        switch answer {
        case .success(let reply):
            taken += sent
            unsent.removeFirst(sent)
            sent = 0
            show(reply.context)
            send()
            resumeFlushes()
        // The host is slow. It passes over the edits that it has.
        case .failure(let error as ExtensionHostError) where error.code == .timedOut: repeatedly(message)
        case .failure(let error):
            // With the end of the request its keyboard has no text any more.
            let isUsual = (error as? ExtensionHostError).map { [.contextFinished, .connectionLost].contains($0.code) }
            if isUsual != true { session.report("the host does not take the keyboard's edits: \(error)") }
            end()
        }
    }

    // MARK: The mirror

    /// Shows a context later, as a mirror lags behind (observed).
    private func show(_ context: KeysContext) {
        let delay = min(max(settings.mirrorDelay, 0), 60)
        guard delay > 0 else { return proxy.adopt(context) }
        coming.append((Self.clock.now.advanced(by: .seconds(delay)), context))
        if timer == nil { startTimer() }
    }

    private func startTimer() {
        guard let next = coming.first else { return timer = nil }
        timer = Self.clock.timer(after: Self.clock.now.duration(to: next.time)) { [weak self, session] in
            session.laterOnMain { self?.showDue() }
        }
    }

    private func showDue() {
        let now = Self.clock.now
        while let next = coming.first, next.time <= now {
            proxy.adopt(next.context)
            coming.removeFirst()
        }
        startTimer()
    }

    // MARK: KeyboardConnection

    var text: any UITextDocumentProxy { proxy }

    private static let declaration = Bundle.main.object(forInfoDictionaryKey: "NSExtension") as? [String: Any]

    private static func attribute<Value>(_ name: String, _ type: Value.Type) -> Value? {
        (declaration?["NSExtensionAttributes"] as? [String: Any])?[name] as? Value
    }

    var hasFullAccess: Bool { settings.fullAccess && Self.attribute("RequestsOpenAccess", Bool.self) == true }

    var needsInputModeSwitchKey: Bool {
        // A keyboard that asks may show its key in any way.
        hasAskedForSwitch = true
        return settings.needsSwitchKey
    }

    var language: String? { Self.attribute("PrimaryLanguage", String.self) ?? "en-US" }

    func changeLanguage(_ language: String?) { edit(KeysEdit(.language, text: language)) }

    func switchInputMode(showsList: Bool) {
        hasAskedForSwitch = true
        edit(KeysEdit(showsList ? .inputModeList : .nextInputMode))
    }

    func dismiss() { edit(KeysEdit(.dismiss)) }

    func words() async -> UILexicon {
        do {
            let entries = try await session.call(KeysLexicon(), CallPort.Options(isRepeatable: true)).entries
            return UILexicon(
                entries.map { UILexiconEntry(userInput: $0.userInput, documentText: $0.documentText) })
        } catch {
            session.report("the host gives no lexicon: \(error)")
            return UILexicon()
        }
    }
}
