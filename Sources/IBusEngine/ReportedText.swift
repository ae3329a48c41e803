// ReportedText: the reports of a program's text, compared with the edits that it was given; a value.

import PointHosts
import PointMessages

/// Tells reports that confirm an edit from those of another change.
///
/// A report may be older than the newest edits. So a report that shows an earlier state of the field changes nothing.
struct ReportedText: Sendable {
    /// The maximum number of edits that no report has confirmed.
    static let historyLimit = 128
    /// The maximum number of UTF-16 units on each side of the insertion point that are compared.
    private static let comparedLength = 256
    /// The maximum number of scalars of a report on each side of the insertion point, and of its selection.
    static let maximumLength = 8192

    /// The meaning of a report.
    enum Meaning: Sendable, Hashable {
        /// A state that the field knows.
        case known
        /// A change that the keyboard has not made; `isMove` if only the selection has changed.
        case changed(EditedText, isMove: Bool)
    }

    private var confirmed: KeysContext?
    private var unconfirmed: [KeysContext] = []
    private var lastText: String?

    /// Returns a report as a text; nil if its positions are outside of it.
    ///
    /// A long text is cut around the insertion point.
    ///
    /// - Parameters:
    ///   - cursor: the insertion point, in scalars.
    ///   - anchor: the other end of the selection.
    static func text(_ text: String, cursor: Int, anchor: Int) -> EditedText? {
        let scalars = text.unicodeScalars
        let (low, high) = (min(cursor, anchor), max(cursor, anchor))
        guard low >= 0, let start = scalars.index(scalars.startIndex, offsetBy: low, limitedBy: scalars.endIndex),
            let end = scalars.index(start, offsetBy: high - low, limitedBy: scalars.endIndex)
        else { return nil }
        // Nothing is known of a text whose selection is too long to be deleted piece by piece.
        guard high - low <= maximumLength else { return EditedText() }
        return EditedText(
            before: String(String.UnicodeScalarView(scalars[..<start].suffix(maximumLength))),
            selected: String(String.UnicodeScalarView(scalars[start..<end])),
            after: String(String.UnicodeScalarView(scalars[end...].prefix(maximumLength))))
    }

    /// Returns the part of a text that is compared: without the marked part, which no program reports.
    static func compared(_ text: EditedText) -> KeysContext {
        var context = text.unmarked.mirror(comparedLength, 0)
        context.hasText = true
        return context
    }

    /// Notes the state after an edit that the program was given.
    mutating func given(_ state: KeysContext) {
        guard state != unconfirmed.last ?? confirmed else { return }
        unconfirmed.append(state)
        if unconfirmed.count > Self.historyLimit { unconfirmed.removeFirst() }
    }

    /// Takes a report of the program.
    mutating func take(_ report: EditedText) -> Meaning {
        let state = Self.compared(report)
        defer { lastText = report.text }
        if let place = unconfirmed.firstIndex(of: state) {
            unconfirmed.removeFirst(place + 1)
            confirmed = state
            return .known
        }
        if state == confirmed { return .known }
        (confirmed, unconfirmed) = (state, [])
        return .changed(report, isMove: report.text == lastText)
    }
}
