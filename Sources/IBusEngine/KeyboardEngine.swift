// KeyboardEngine: a keyboard that serves the texts of desktop programs: its keys, its edits, and time limits.

package import EventLoop
import ExtensionHost
import PointHosts
import PointMessages

/// An engine with its keyboard. It has a field whose text is a copy of the program's.
///
/// Keys are handled one after the other. The edits of a key reach the program together, before the key's answer, if the
/// keyboard answers in time. Otherwise the program gets the key and none of the edits: so no letter is lost or doubled.
@HostActor
package final class KeyboardEngine {
    /// The time limits.
    package struct Limits: Sendable, Hashable {
        /// The time within which a key is answered.
        package var key = Duration.milliseconds(500)
        /// The time after which a keyboard that does not answer is given up.
        package var step = Duration.seconds(10)
        /// The maximum number of keys that wait.
        static let waitingKeys = 64
        package init() {}
    }

    private let keyboard: String
    private let host: HostApplication
    private let clock: any HostClock
    private let limits: Limits
    private let output: @HostActor (TextOperation) -> Bool
    private let log: @HostActor (String) -> Void
    private let inbox = EditInbox()

    // The wishes of the bus.
    private var isEnabled = true
    private var isFocused = false
    /// The number of focuses so far.
    private var focus = 0
    private var content = ContentType()
    private var reported = ReportedText()
    private var isReported = false
    /// The text that the field has yet to adopt.
    private var coming: (text: EditedText, isMove: Bool)?
    /// The last report. IBus repeats none that is equal, even for another text; nil after that of a secret.
    private var lastReport: EditedText?
    private var endsMarking = false
    /// The marked text that the program shows.
    private var shown: String?
    /// Whether the field's selection is an insertion point in the program.
    private var collapsesSelection = false
    /// Whether the field has a text that no report can correct.
    private var hasOwnText = false

    // The field, which follows the wishes.
    private var field: KeyboardHost?
    private var servedFocus = 0
    private var servedContent = ContentType()
    private var remarks = 0

    // The work.
    private var isDirty = false
    private var isWorking = false
    private var keys: [PendingKey] = []
    private var current: PendingKey?
    /// Whether the step under way took too long. Keys are not handled meanwhile, and its edits are dropped.
    private var isLate = false
    /// The keys whose press was handled, so that their release is handled, too.
    private var pressed: Set<UInt32> = []

    /// - Parameters:
    ///   - keyboard: the identifier of the extension.
    ///   - output: gets the operations on the program's text, in order, and returns false for a lost one.
    ///   - log: gets lines for the user.
    init(
        keyboard: String, host: HostApplication, clock: any HostClock, limits: Limits = Limits(),
        output: @escaping @HostActor (TextOperation) -> Bool, log: @escaping @HostActor (String) -> Void
    ) {
        (self.keyboard, self.host, self.clock, self.limits) = (keyboard, host, clock, limits)
        (self.output, self.log) = (output, log)
    }

    // MARK: Calls of the bus

    /// Gives the engine another text: that of the program's focused field.
    func focusIn() {
        leaveText()
        isFocused = true
        focus += 1
        if isReported, !isSecret, let lastReport {
            _ = reported.take(lastReport)
            coming = (lastReport, false)
        }
        change()
    }

    /// Takes the text away. Keys that wait are the program's.
    func focusOut() {
        guard isFocused else { return }
        isFocused = false
        leaveText()
        change()
    }

    private func leaveText() {
        // IBus commits the marked text of a field that loses the focus.
        shown = nil
        giveUpKeys()
        inbox.drop(document: nil)
        (reported, coming, endsMarking, hasOwnText) = (ReportedText(), nil, false, false)
        pressed.removeAll()
    }

    func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != self.isEnabled else { return }
        self.isEnabled = isEnabled
        // The session of a disabled engine has ended.
        if isEnabled { focus += 1 } else { leaveText() }
        change()
    }

    /// Ends marked text: IBus has committed it. A program without reports has moved its insertion point.
    func reset() {
        (endsMarking, shown) = (true, nil)
        forgetOwnText()
        change()
    }

    func setContent(purpose: UInt32, hints: UInt32) {
        let new = ContentType(purpose: purpose, hints: hints)
        guard new != content else { return }
        content = new
        // The text of a password field is nobody's.
        if isSecret {
            (reported, lastReport) = (ReportedText(), nil)
            coming = (EditedText(), false)
        }
        change()
    }

    func setCapabilities(_ capabilities: UInt32) {
        let new = capabilities & 1 << 5 != 0
        guard new != isReported else { return }
        isReported = new
        // The last report was that of another program.
        if !isReported { lastReport = nil }
        if !isReported, isFocused {
            (reported, coming) = (ReportedText(), nil)
            hasOwnText = true
            forgetOwnText()
        }
        inbox.setProgram { [isReported] in $0.isReported = isReported }
    }

    /// Takes a report of the program's text.
    ///
    /// - Parameters:
    ///   - text: the text around the insertion point; nil for one that is too long.
    ///   - cursor: the insertion point, in scalars; `anchor` is the other end of the selection.
    /// - Returns: false if the positions are outside of the text.
    func report(_ text: String?, cursor: UInt32, anchor: UInt32) -> Bool {
        var new = EditedText()
        if let text {
            guard let report = ReportedText.text(text, cursor: Int(cursor), anchor: Int(anchor)) else { return false }
            new = report
        }
        guard !isSecret else { return true }
        lastReport = new
        guard isFocused else { return true }
        inbox.setProgram { $0.selectsBackward = cursor < anchor }
        guard case .changed(let other, let isMove) = reported.take(new) else { return true }
        coming = (other, isMove && coming?.isMove != false)
        change()
        return true
    }

    private var isSecret: Bool { content.traits.isForSystemOnly }

    // MARK: Keys

    /// Handles a key.
    ///
    /// - Parameter answer: called once, within `Limits.key`, with whether the key is handled. The operations on the text
    ///   come before.
    func handle(_ symbol: UInt32, code: UInt32, state: UInt32, answer: @escaping @HostActor (Bool) -> Void) {
        let key = PendingKey(KeyEvent(symbol: symbol, code: code, state: state), answer)
        if isLate { return leave(key) }
        if !isWorking, !isDirty, isProgramsKey(key.event) { return leave(key) }
        guard keys.count < Limits.waitingKeys else {
            giveUpKeys()
            return leave(key)
        }
        key.deadline = clock.schedule(after: limits.key) { [weak self] in self?.giveUpKeys() }
        keys.append(key)
        work()
    }

    /// Whether a key needs no answer of the keyboard.
    private func isProgramsKey(_ event: KeyEvent) -> Bool {
        event.meaning == nil || !isFocused || !isEnabled || isSecret
    }

    /// Leaves a key to the program, except for the release of a key whose press it did not get.
    private func leave(_ key: PendingKey) {
        finish(key, key.event.isRelease && pressed.remove(key.event.number) != nil)
    }

    /// - Parameter isKnown: whether the program does to its text what the field has done to its own.
    private func finish(_ key: PendingKey, _ isHandled: Bool, isKnown: Bool = false) {
        if !key.event.isRelease {
            if isHandled {
                if pressed.count < 256 { pressed.insert(key.event.number) }
            } else {
                pressed.remove(key.event.number)
                if !key.event.isModifier, !isKnown {
                    keepMarked()
                    forgetOwnText()
                }
            }
        }
        key.finish(isHandled)
    }

    /// Ends marked text before the program takes a key, whose effect comes after the text.
    private func keepMarked() {
        guard shown != nil else { return }
        commitMarked()
        endsMarking = true
        change()
    }

    private func commitMarked() {
        guard let text = shown else { return }
        for operation in [.hideMarked, .commit(text)] as [TextOperation] { _ = perform(operation) }
    }

    /// Leaves all keys that wait to the program, in their order, and the edits of the step under way to nobody.
    private func giveUpKeys() {
        guard current != nil || !keys.isEmpty else { return }
        // A step without a key has edits that are nobody's loss, but the keys that wait for it are over.
        isLate = isWorking
        let waiting = [current].compactMap(\.self) + keys
        (current, keys) = (nil, [])
        for key in waiting { leave(key) }
    }

    /// A program without reports has done something with its text that nobody knows.
    private func forgetOwnText() {
        guard hasOwnText, !isReported else { return }
        hasOwnText = false
        coming = (EditedText(), false)
        change()
    }

    // MARK: Work, one step after the other

    private func change() {
        isDirty = true
        work()
    }

    private func work() {
        guard !isWorking else { return }
        isWorking = true
        Task { @HostActor in
            while await step() {}
        }
    }

    private func step() async -> Bool {
        if isDirty {
            isDirty = false
            await limited { await follow() }
        } else if !keys.isEmpty {
            let key = keys.removeFirst()
            if isProgramsKey(key.event) { leave(key) } else { await limited { await press(key) } }
        } else {
            (isWorking, isLate) = (false, false)
            return false
        }
        return true
    }

    /// Performs a step. A keyboard that does not answer for long is given up, and the next focus begins another session.
    private func limited(_ body: () async -> Void) async {
        let limit = clock.schedule(after: limits.step) { [weak self] in
            guard let self, let field else { return }
            log("\(keyboard) has not answered for \(limits.step): its session ends, and the next focus begins another")
            giveUpKeys()
            Task { await field.retire() }
        }
        await body()
        limit.cancel()
        if isLate {
            isLate = false
            drop(inbox.take())
        }
        await noteRemarks()
    }

    private func press(_ key: PendingKey) async {
        guard let field, let meaning = key.event.meaning else { return finish(key, false) }
        // The edits before this key belong to no key.
        emit(inbox.take())
        current = key
        var isHandled: Bool?
        do { isHandled = try await field.press(meaning) } catch { log("the key of \(keyboard): \(error)") }
        // The program has the key, or the text is gone.
        guard let current else { return }
        self.current = nil
        let batch = inbox.take()
        guard let isHandled else {
            drop(batch)
            return finish(current, false)
        }
        guard isHandled, !batch.isIncomplete, let rest = batch.remainder(of: meaning) else {
            return finish(current, emit(batch) && isHandled)
        }
        // The program does the rest itself. Return is more than a character, and no key is pressed in the place of one.
        guard give(rest.operations, rest.states) else {
            drop(batch)
            return finish(current, false)
        }
        if let text = rest.text, coming == nil {
            coming = (text, false)
            change()
        }
        finish(current, false, isKnown: rest.text == nil)
    }

    /// Gives the program the edits that it has not got: all or, of an incomplete batch, none.
    ///
    /// - Returns: whether the program got them.
    @discardableResult
    private func emit(_ batch: EditBatch) -> Bool {
        guard !batch.isIncomplete, give(batch.operations, batch.states) else {
            drop(batch)
            return false
        }
        if batch.needsMove {
            collapsesSelection = true
            change()
        }
        return true
    }

    /// Gives the program operations, after which the field had these states.
    ///
    /// - Returns: false if the program got none of them.
    private func give(_ operations: [TextOperation], _ states: [KeysContext]) -> Bool {
        let count = operations.performed { perform($0) }
        if count < operations.count {
            guard count > 0 else { return false }
            // The program has some of them. Its next report tells which.
            (reported, coming) = (ReportedText(), (EditedText(), false))
            change()
            return true
        }
        for state in states { reported.given(state) }
        if !states.isEmpty { hasOwnText = true }
        return true
    }

    private func perform(_ operation: TextOperation) -> Bool {
        guard output(operation) else { return false }
        switch operation {
        case .showMarked(let text, _, _): shown = text
        case .hideMarked: shown = nil
        case .commit, .delete, .press: break
        }
        return true
    }

    /// Takes edits back that the program never gets.
    private func drop(_ batch: EditBatch) {
        guard let before = batch.before, coming == nil, isFocused, !isSecret, servedFocus == focus else { return }
        coming = (before, false)
        change()
    }

    /// Edits that no key has made.
    private func editsCame() {
        guard current == nil, !isLate else { return }
        let batch = inbox.take()
        if isFocused, isEnabled, !isSecret, servedFocus == focus { emit(batch) }
    }

    // MARK: The field follows

    private func follow() async {
        guard isEnabled, isFocused else {
            guard let former = field else { return }
            inbox.drop(document: await former.documentIdentifier)
            if isEnabled { return await former.dismiss() }
            await former.close()
            field = nil
            return
        }
        if servedFocus != focus {
            await serveFocus()
        } else if servedContent != content, let field {
            servedContent = content
            await field.setTraits(content.traits)
        }
        // Another focus has texts of its own, which the next step serves.
        guard servedFocus == focus, let field else { return }
        await followText(of: field)
    }

    private func serveFocus() async {
        let number = focus
        if let former = field {
            inbox.drop(document: await former.documentIdentifier)
            // A keyboard that has ended, or gave way to the next one, is begun anew.
            if await former.request == nil { field = nil }
        }
        // Another focus follows at once.
        guard number == focus else { return }
        let serving = field ?? newField()
        field = serving
        (servedFocus, servedContent) = (number, content)
        let text = coming?.text ?? EditedText()
        (coming, endsMarking, collapsesSelection) = (nil, false, false)
        await serving.onEdit { [weak self, inbox] edit in
            inbox.add(edit)
            Task { @HostActor [weak self] in self?.editsCame() }
        }
        await serving.focus(text, traits: servedContent.traits)
    }

    private func newField() -> KeyboardHost {
        var settings = KeyboardHost.Settings()
        // The desktop switches engines.
        settings.hasGlobe = true
        remarks = 0
        return KeyboardHost(host, keyboards: [.custom(keyboard), .system], settings: settings)
    }

    private func followText(of field: KeyboardHost) async {
        let number = focus
        if endsMarking || collapsesSelection {
            var text = await field.edited
            guard number == focus else { return }
            let wasMarked = text.markedText != nil
            let (ends, collapses) = (endsMarking, collapsesSelection)
            (endsMarking, collapsesSelection) = (false, false)
            if ends {
                // The keyboard has marked text again, after the end.
                commitMarked()
                text.keepMarked()
                keepMarkedOfComing()
            }
            if collapses { text = EditedText(before: text.before + text.selected, selected: "", after: text.after) }
            // A text that comes replaces this one.
            if coming == nil, wasMarked || collapses {
                reported.given(ReportedText.compared(text))
                await field.adopt(text, isMove: !ends)
            }
        }
        guard coming != nil else { return }
        let isMarked = await field.edited.markedText != nil
        // Another focus or the end of the marking comes first, in the next step.
        guard number == focus, !endsMarking, let (text, isMove) = coming else { return }
        coming = nil
        guard isMarked, text.markedText == nil, let marked = shown else {
            return await field.adopt(text, isMove: isMove)
        }
        // The program changed its text under the marked one, which becomes a part of it.
        commitMarked()
        await field.adopt(
            EditedText(before: text.before + marked, selected: "", after: text.after), isMove: false)
    }

    /// Ends the marking in a text that the field has yet to take back.
    private func keepMarkedOfComing() {
        guard var text = coming?.text, text.markedText != nil else { return }
        text.keepMarked()
        coming = (text, false)
        reported.given(ReportedText.compared(text))
    }

    private func noteRemarks() async {
        guard let all = await field?.remarks, all.count > remarks else { return }
        for remark in all[min(remarks, all.count)...] { log(remark) }
        remarks = all.count
    }
}
