// KeyboardHost: a text field of an app, into which a custom keyboard types.

public import ExtensionHost
import Foundation
public import PointMessages

/// A text field with the keyboards of its user. Tests type into it, read it, and move its insertion point.
///
/// Each method returns when the field has taken all edits that the keyboard's code made in answer to it.
public actor KeyboardHost {
    /// A keyboard of the user's list.
    public enum Keyboard: Sendable, Hashable {
        /// The system's keyboard, which types without an extension.
        case system
        /// A custom keyboard, by its extension's identifier.
        case custom(String)
    }

    /// The settings of the device and the user.
    public struct Settings: Sendable, Hashable {
        /// The width of a keyboard in points.
        public var width = 390.0
        /// The time after which a keyboard sees its own edits (observed; the number, too).
        public var lag = Duration.milliseconds(33)
        /// The maximum number of UTF-16 units that a keyboard sees on each side of the insertion point (ours).
        public var mirrorLength = 1024
        /// Whether the device shows a key for the next keyboard itself.
        public var hasGlobe = false
        /// The contacts' names, shortcuts and common words of the user.
        public var lexicon: [KeysLexicon.Entry] = []

        /// Makes the settings of a device without a lexicon.
        public init() {}
    }

    /// The extension point of keyboards.
    public static let point = "com.apple.keyboard-service"
    /// The consent with which a keyboard that asks for it has the network and its group's container.
    public static let fullAccess = "fullAccess"
    /// The number of edits that are recorded: the newest.
    public static let recordLimit = 16_384

    private struct Session {
        let identifier: String
        let request: ExtensionRequest
        var state = KeysState(keys: [], height: 0, offersSwitch: true)
        var isVisible = false
        /// Whether the host has asked for the end. Then the end of the request is no failure.
        var isEnding = false
        /// The numbers of the last edit and the last tap.
        var edits = 0
        var taps = 0
    }

    private let host: HostApplication
    private let keyboards: [Keyboard]
    private let settings: Settings
    private let allows: @Sendable (String) -> Bool
    private(set) var content: EditedText
    private var document = UUID().uuidString
    private var sequence = 1
    /// The function that gets each performed edit.
    var performed: (@Sendable (PerformedEdit) -> Void)?
    private var place = 0
    /// Whether the field has the focus.
    private var isFocused = false
    private var session: Session?
    /// The wish of the keyboard that no step has met yet.
    private var wish: KeysEdit.Kind?
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The kind of the text.
    public private(set) var traits: KeysTraits
    /// The newest edits of the keyboards, in their order. The texts are cut to 256 characters.
    public private(set) var edits: [KeysEdit] = []
    /// The number of all edits.
    public private(set) var editCount = 0
    /// The mirror after each of the newest changes: the keyboard sees it after `Settings.lag`.
    public private(set) var mirrors: [KeysContext] = []
    /// The faults of keyboards that ended no session, each once.
    public private(set) var remarks: [String] = []
    /// The language of the last custom keyboard; nil if it names none.
    public private(set) var language: String?

    /// Makes a field without the focus.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - keyboards: the keyboards of the user, in the order in which they follow each other. At least one.
    ///   - text: the text; the insertion point is at its end.
    ///   - traits: the kind of the text.
    ///   - settings: the device and the user.
    ///   - allows: whether the app allows extensions of a point, as
    ///     `application(_:shouldAllowExtensionPointIdentifier:)` says.
    public init(
        _ host: HostApplication, keyboards: [Keyboard], text: String = "", traits: KeysTraits = KeysTraits(),
        settings: Settings = Settings(), allows: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        (self.host, self.keyboards, self.settings) = (host, keyboards.isEmpty ? [.system] : keyboards, settings)
        (content, self.traits, self.allows) = (EditedText(text), traits, allows)
    }

    /// Makes a field without the focus, of a user with one custom keyboard and the system's.
    public init(
        _ host: HostApplication, keyboard: String, text: String = "", traits: KeysTraits = KeysTraits(),
        settings: Settings = Settings()
    ) {
        self.init(
            host, keyboards: [.custom(keyboard), .system], text: text, traits: traits, settings: settings)
    }

    // MARK: What the field shows

    /// The text.
    public var text: String { content.text }
    /// The selection in UTF-16 units; empty at the insertion point.
    public var selection: Range<Int> { content.selection }
    /// The marked text; nil if there is none.
    public var markedText: String? { content.markedText }
    /// The identifier of the text, by which a keyboard tells texts apart.
    public var documentIdentifier: String { document }
    /// The keyboard on the screen; nil if there is none.
    public var shown: Keyboard? {
        guard isFocused else { return nil }
        if let session, session.isVisible { return .custom(session.identifier) }
        return .system
    }
    /// The request of the custom keyboard that runs, with its view; nil if there is none.
    public var request: ExtensionRequest? { session?.request }
    /// The names and titles of the keys on the screen, as of the last step.
    public var keys: [String] { session?.state.keys ?? [] }
    /// The height of the custom keyboard in points; nil if none is shown.
    public var height: Double? { session.flatMap { $0.isVisible ? $0.state.height : nil } }

    // MARK: Steps

    /// Gives the field the focus: the user's keyboard appears.
    ///
    /// The system's keyboard appears instead in a field for passwords or phone numbers, where the app allows no custom
    /// keyboard, and when the custom one cannot run: then `remarks` has the reason.
    public func focus() async {
        await exclusively { await becomeFocused() }
    }

    /// Gives the focus to another text.
    public func focus(_ text: String, traits: KeysTraits = KeysTraits()) async {
        await focus(EditedText(text), traits: traits)
    }

    /// Gives the focus to another text, with its selection.
    package func focus(_ text: EditedText, traits: KeysTraits) async {
        await exclusively {
            content = text
            self.traits = traits
            document = UUID().uuidString
            sequence += 1
            await becomeFocused()
        }
    }

    /// Changes the kind of the text, and shows the keyboard that serves it.
    package func setTraits(_ traits: KeysTraits) async {
        await exclusively {
            // The keyboard knows nothing of a text that was a secret.
            if self.traits.isForSystemOnly, !traits.isForSystemOnly {
                document = UUID().uuidString
                sequence += 1
            }
            self.traits = traits
            if isFocused { await serve() }
        }
    }

    /// Replaces the text, as the app does. The insertion point is at its end.
    public func setText(_ text: String) async {
        await change(isMove: false) { $0 = EditedText(text) }
    }

    /// Selects a range of UTF-16 units, as a person does. It is cut to the text.
    public func select(_ range: Range<Int>) async {
        await change(isMove: true) { $0.select(range) }
    }

    /// Taps a key of the keyboard by its name or title.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if there is no such key, `notPermitted` if it is disabled or no
    ///   custom keyboard is shown; errors of `ExtensionRequest.call`.
    public func tap(_ key: String) async throws {
        try await exclusively { try await performTap(key) }
    }

    /// Types a text on the keyboard that is shown: key by key on a custom one.
    ///
    /// A character is typed by the key with its title. `space` and `return` stand for their characters, and `shift` or
    /// `⇧` comes before a letter of the other case.
    ///
    /// - Throws: as `tap`; `ExtensionHostError` `invalidArgument` for a character without a key. The keys before it have
    ///   been tapped.
    public func type(_ text: String) async throws {
        for character in text {
            try await exclusively {
                guard session?.isVisible == true else { return typeDirectly(character) }
                try await performTap(try await key(for: character))
            }
        }
    }

    /// Shows the next keyboard of the user's list, with the same text: the session of a custom one ends.
    public func switchAway() async {
        await exclusively { await switchKeyboard() }
    }

    /// Takes the focus away: the keyboard disappears, and its session waits for the next focus.
    public func dismiss() async {
        await exclusively { await hide() }
    }

    /// Ends the session of the custom keyboard.
    public func close() async {
        await exclusively {
            isFocused = false
            await end()
        }
    }

    /// Waits until the step under way has ended, with what the keyboard asked for in it.
    ///
    /// A session whose request has ended is over then.
    public func settle() async {
        await exclusively {
            // The task that waits for the end may not have had its turn.
            guard let request = session?.request, !request.isOpen else { return }
            ended(request, await request.outcome, await request.explanation)
        }
    }

    // MARK: One step after the other

    func exclusively(_ body: () async -> Void) async {
        // Nothing in it throws.
        try? await exclusively { () async throws -> Void in await body() }
    }

    func exclusively<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        // The body may run after a suspension, if the task prefers an executor. So it looks itself.
        await withCheckedContinuation { turn in
            if isBusy { return waiting.append(turn) }
            isBusy = true
            turn.resume()
        }
        defer {
            // The next step inherits the turn.
            if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
        }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await grantWish()
        return try result.get()
    }

    /// Does what the keyboard has asked for, and what the next keyboards ask for, until each had its turn.
    private func grantWish() async {
        for _ in keyboards {
            guard let wish else { return }
            self.wish = nil
            switch wish {
            case .nextInputMode, .inputModeList: await switchKeyboard()
            case .dismiss: await hide()
            default: break
            }
        }
        wish = nil
    }

    func change(isMove: Bool, _ body: @Sendable (inout EditedText) -> Void) async {
        await exclusively {
            body(&content)
            sequence += 1
            record(mirror)
            // A hidden keyboard learns nothing of a secret.
            guard !traits.isForSystemOnly else { return }
            let message = KeysChange(mirror, isMove: isMove)
            await attempt { try await $0.call(message, isRepeatable: true) }
        }
    }

    private func becomeFocused() async {
        isFocused = true
        await serve()
    }

    /// Shows the keyboard that serves the field.
    private func serve() async {
        guard case .custom(let identifier) = keyboards[place], !traits.isForSystemOnly else {
            return await leaveScreen()
        }
        guard allows(Self.point) else {
            remark("the app allows no custom keyboards")
            return await end()
        }
        if session == nil { await begin(identifier) }
        guard let session else { return }
        let consents = try? await host.consents(of: identifier)
        let message = KeysDocument(
            document: document, traits: traits, context: mirror,
            settings: KeysSettings(
                width: settings.width, mirrorDelay: settings.lag / .seconds(1), needsSwitchKey: needsSwitchKey,
                fullAccess: consents?.contains(Self.fullAccess) ?? false))
        record(mirror)
        await attempt { try await $0.call(message, isRepeatable: true) }
        await attempt { try await $0.call(KeysAppear(), isRepeatable: true) }
        if self.session?.request === session.request { self.session?.isVisible = true }
    }

    /// Whether the keyboard has to offer a way to the next one: false for the only one, and beside the device's own key
    /// (documented).
    private var needsSwitchKey: Bool { keyboards.count > 1 && !settings.hasGlobe }

    private func switchKeyboard() async {
        await end()
        place = (place + 1) % keyboards.count
        if isFocused { await serve() }
    }

    private func hide() async {
        isFocused = false
        await leaveScreen()
    }

    private func leaveScreen() async {
        guard session?.isVisible == true else { return }
        session?.isVisible = false
        await attempt { try await $0.call(KeysDisappear(), isRepeatable: true) }
    }

    private func typeDirectly(_ character: Character) {
        content.insert(String(character))
        sequence += 1
    }

    // MARK: Keys

    private static let names: [Character: [String]] = [
        " ": ["space", "Space", "␣"], "\n": ["return", "Return", "⏎"],
    ]
    private static let shifts = ["shift", "Shift", "⇧"]

    private func key(for character: Character) async throws -> String {
        if let key = try await shownKey(for: character) { return key }
        throw ExtensionHostError(
            .invalidArgument, "the keyboard has no key for “\(character)”",
            remedy: "Its keys are: \(keys.prefix(64).joined(separator: " "))")
    }

    /// Returns the key for a character, after a tap on the shift key if the keys are those of the other case.
    func shownKey(for character: Character) async throws -> String? {
        if let key = find(character) { return key }
        let other = character.isLowercase ? character.uppercased() : character.lowercased()
        guard other != String(character), keys.contains(other), let shift = Self.shifts.first(where: keys.contains)
        else { return nil }
        try await performTap(shift)
        if let key = find(character) { return key }
        // The key did not change the case: a second tap undoes the first.
        if keys.contains(shift) { try await performTap(shift) }
        return nil
    }

    private func find(_ character: Character) -> String? {
        ([String(character)] + (Self.names[character] ?? [])).first(where: keys.contains)
    }

    func performTap(_ key: String) async throws {
        guard let session, session.isVisible else {
            throw ExtensionHostError(
                .notPermitted, "no custom keyboard is shown", remedy: "Give the focus to a field that allows one")
        }
        let message = KeysTap(number: session.taps + 1, key: key)
        self.session?.taps += 1
        do {
            try await call(session.request) { try await $0.call(message, isRepeatable: true) }
        } catch let error as ExtensionHostError where error.code == .interrupted || error.code == .contextFinished {
            let request = session.request
            ended(request, await request.outcome, await request.explanation)
            throw error
        }
    }

    // MARK: Calls

    /// Makes a call and adopts the keyboard's state. A failure ends the session: the system's keyboard serves the field.
    private func attempt(_ body: @Sendable (ExtensionRequest) async throws -> KeysState) async {
        guard let session else { return }
        do {
            try await call(session.request, body)
        } catch {
            await end()
            // The reason why there is no keyboard to call says more than the failed call.
            switch await session.request.outcome {
            case .refused: remark("\(await session.request.explanation?.description ?? "\(error)")")
            case .cancelled(.cancelledByExtension, let reason): remark("\(reason)")
            default: remark("\(error)")
            }
        }
    }

    private func call(
        _ request: ExtensionRequest, _ body: @Sendable (ExtensionRequest) async throws -> KeysState
    ) async throws {
        let state = try await body(request)
        guard session?.request === request else { return }
        session?.state = state
    }

    // MARK: Sessions

    private func begin(_ identifier: String) async {
        var handlers = PointHandlers()
        handlers.on(KeysEdits.self) { [weak self] message, call in
            guard let self else { throw Self.isOver }
            return KeysEdits.Reply(try await take(message, of: call.request))
        }
        let lexicon = settings.lexicon
        handlers.on(KeysLexicon.self) { _, _ in KeysLexicon.Reply(lexicon) }
        do {
            let request = try await host.begin(identifier, items: [], handling: handlers)
            session = Session(identifier: identifier, request: request)
            // A keyboard that ends itself, or dies, leaves the field to the system's keyboard.
            Task { [weak self] in
                let outcome = await request.outcome
                await self?.ended(request, outcome, await request.explanation)
            }
        } catch {
            remark("\(error)")
        }
    }

    private static var isOver: ExtensionHostError {
        ExtensionHostError(.contextFinished, "the session of the keyboard is over")
    }

    private func end() async {
        guard let session else { return }
        // The request ends after the answer, and its outcome may be known first.
        self.session?.isEnding = true
        let state = try? await session.request.call(KeysEnd(), isRepeatable: true)
        if state == nil { try? await session.request.cancel() }
        if let state { self.session?.state = state }
        noteMissingSwitch()
        self.session = nil
        _ = await session.request.outcome
    }

    private func noteMissingSwitch() {
        guard let session, needsSwitchKey, !session.state.offersSwitch else { return }
        remark(
            "noSwitchKey: \(session.identifier) showed no way to the next keyboard; "
                + "call advanceToNextInputMode() or handleInputModeList(from:with:) where needsInputModeSwitchKey is true"
        )
    }

    private func ended(_ request: ExtensionRequest, _ outcome: RequestOutcome, _ why: ExtensionHostError?) {
        guard let session, session.request === request, !session.isEnding else { return }
        self.session = nil
        var reason = why?.message
        if case .cancelled(.cancelledByExtension, let error) = outcome { reason = "\(error)" }
        remark(
            "\(request.extensionIdentifier) ended (\(outcome.cause.rawValue))" + (reason.map { ": \($0)" } ?? ""))
    }

    // MARK: Edits

    private var mirror: KeysContext { content.mirror(settings.mirrorLength, sequence) }

    /// Takes edits of a keyboard: each once, in the order of their numbers.
    private func take(_ message: KeysEdits, of request: RequestIdentifier) throws -> KeysContext {
        guard let session, session.request.identifier == request else { throw Self.isOver }
        let count = message.edits.count
        guard (1...KeysEdits.maximumCount).contains(count), (1...(session.edits + 1)).contains(message.first) else {
            throw ExtensionHostError(
                .invalidArgument, "the edits \(message.first) and following do not continue those before",
                remedy: "Send at most \(KeysEdits.maximumCount) edits, the first with the number after the last")
        }
        for edit in message.edits.dropFirst(session.edits + 1 - message.first) {
            self.session?.edits += 1
            apply(edit, isCurrent: message.document == document)
        }
        return mirror
    }

    private func apply(_ edit: KeysEdit, isCurrent: Bool) {
        record(edit)
        switch edit.kind {
        case .nextInputMode, .inputModeList, .dismiss:
            wish = edit.kind
            // In a step of this host, that step meets the wish.
            if !isBusy { Task { await settle() } }
        case .language: language = edit.text
        case .unrecognized: remark("an edit of an unknown kind was passed over")
        case .insert, .delete, .move, .mark, .unmark:
            guard isCurrent, isFocused else { return remark("edits of a text without the focus were passed over") }
            // Without a listener there is no second copy, so an edit costs no more than its characters.
            let before = performed == nil ? nil : content
            guard content.perform(edit) else {
                return remark("an insertion was passed over: a text has at most \(EditedText.maximumSize) UTF-16 units")
            }
            sequence += 1
            record(mirror)
            if let before {
                performed?(PerformedEdit(edit: edit, document: document, before: before, after: content))
            }
        }
    }

    // MARK: The record

    private func record(_ edit: KeysEdit) {
        editCount += 1
        var edit = edit
        edit.text = edit.text.map { String($0.prefix(256)) }
        edits.append(edit)
        if edits.count > Self.recordLimit { edits.removeFirst(edits.count - Self.recordLimit * 3 / 4) }
    }

    private func record(_ mirror: KeysContext) {
        guard mirror != mirrors.last else { return }
        mirrors.append(mirror)
        if mirrors.count > 256 { mirrors.removeFirst(128) }
    }

    private func remark(_ text: String) { if remarks.count < 64, !remarks.contains(text) { remarks.append(text) } }
}
