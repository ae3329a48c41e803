// PointResult: the results of steps at extension points, and which steps have them.

/// The result of a step at an extension point, as `expect result` names it.
public enum PointResult: String, Sendable, Hashable, CaseIterable {
    // Of an update.
    case newData, noData, notWritten, withoutContent
    // Of several steps.
    case failed, timedOut, ended, handlerDropped, nothing, cancelled, refused, allowed
    // Of a push or a page.
    case changed, unchanged, hidden, notMutable, empty
    // Of an edit.
    case saved, goesOn
    // Of a load.
    case blocked
    // Of an index.
    case indexed, found, imported
    // Of a thumbnail.
    case made
    // Of a document picker and of an action.
    case picked, completed
    // Of files.
    case listed, read, stored, removed
    // Of an audio unit.
    case rendered
    // Of a packet tunnel.
    case connected, stopped, answered
    // Of a flow.
    case dropped, remediated
    // Of the view of a notification.
    case opened, stays, dismissed, forwarded
    // Of a call directory.
    case loaded, identified
    // Of a credential provider.
    case provided
    // Of a broadcast.
    case live, paused, finished
    // Of a message, without a decision or with one.
    case none, allow, junk, promotion, transaction
    // Of a report of messages or calls.
    case reported
    // Of an intent.
    case handled, needsValue, disambiguation, confirmationRequired, unsupported
}

/// A kind of step that has a result.
struct PointStepKind {
    /// The words at the beginning of such lines.
    let verbs: [String]
    /// The step, as text for people.
    let name: String
    let results: Set<PointResult>
    /// Whether `expect shown` looks at what it has shown.
    var hasValues = true
    /// The beginning of a line that has such a result; nil: the first of the verbs.
    var example: String?

    /// All kinds. A fault about a result names the first kind that has it.
    static let all: [PointStepKind] = [
        PointStepKind(
            verbs: ["update"], name: "an update",
            // `withoutContent` if the widget was not asked.
            results: [.newData, .noData, .failed, .notWritten, .withoutContent], hasValues: false),
        PointStepKind(
            verbs: ["push"], name: "a push",
            // The extension's content is shown, the same as before, or nothing; else the reason for the original.
            results: [
                .changed, .unchanged, .hidden, .notMutable, .timedOut, .ended, .handlerDropped, .empty, .failed,
            ]),
        PointStepKind(
            verbs: ["edit"], name: "an edit",
            results: [
                .saved, .nothing, .refused, .cancelled, .goesOn, .failed, .timedOut, .handlerDropped, .ended,
            ]),
        PointStepKind(verbs: ["load"], name: "a load", results: [.blocked, .allowed, .failed]),
        // `finalize` has changed the page, or not, or a script has failed.
        PointStepKind(verbs: ["page"], name: "a page", results: [.changed, .unchanged, .failed]),
        PointStepKind(verbs: ["pick"], name: "a pick", results: [.picked, .cancelled, .refused, .ended, .failed]),
        PointStepKind(verbs: ["action"], name: "an action", results: [.completed, .cancelled, .ended]),
        PointStepKind(
            verbs: ["credential"], name: "a credential",
            // `completed` without a credential, as after a configuration.
            results: [.provided, .completed, .cancelled, .timedOut, .ended, .failed]),
        PointStepKind(
            verbs: ["files"], name: "a step with files",
            results: [.listed, .read, .stored, .removed, .timedOut, .failed]),
        PointStepKind(
            verbs: ["audio"], name: "a render", results: [.rendered, .failed, .ended, .timedOut],
            example: "audio render"),
        PointStepKind(
            verbs: ["tunnel"], name: "a step with a tunnel",
            results: [.connected, .stopped, .answered, .nothing, .failed]),
        // `failed`: there is no verdict.
        PointStepKind(verbs: ["flow"], name: "a flow", results: [.allowed, .dropped, .remediated, .failed]),
        PointStepKind(verbs: ["reload"], name: "a reload", results: [.loaded, .failed]),
        PointStepKind(verbs: ["lookup"], name: "a lookup", results: [.blocked, .identified, .nothing, .failed]),
        PointStepKind(
            verbs: ["notification"], name: "a step with a notification",
            results: [.opened, .stays, .dismissed, .forwarded, .timedOut, .handlerDropped, .ended, .failed],
            example: "notification show"),
        // `answered`: bytes or datagrams came back; `nothing`: the flow has ended without any.
        PointStepKind(
            verbs: ["proxy"], name: "a step with a proxy",
            results: [.connected, .stopped, .answered, .nothing, .refused, .failed]),
        // `nothing`: the answer has no address.
        PointStepKind(verbs: ["resolve"], name: "a query", results: [.answered, .nothing, .refused, .failed]),
        PointStepKind(
            verbs: ["intent"], name: "an intent",
            // `refused`: the device is locked. `failed`: a code of failure, or an answer that is invalid.
            // `opened`: there is a view; `hidden`: all is hidden; `nothing`: the system shows all parameters itself.
            results: [
                .opened, .hidden, .nothing, .handled, .failed, .refused, .needsValue, .disambiguation,
                .confirmationRequired, .unsupported, .timedOut, .ended, .handlerDropped,
            ]),
        PointStepKind(
            verbs: ["broadcast"], name: "a step with a broadcast",
            results: [.live, .paused, .finished, .failed, .ended]),
        PointStepKind(verbs: ["setup"], name: "a set-up", results: [.completed, .cancelled, .ended, .failed]),
        PointStepKind(
            verbs: ["sms"], name: "a message",
            // The filter's action; else the reason why it has none.
            results: [
                .none, .allow, .junk, .promotion, .transaction, .timedOut, .ended, .handlerDropped, .failed,
            ]),
        // `nothing`: the action is none. `refused`: the button Done is disabled. `failed`: the report did not arrive.
        PointStepKind(
            verbs: ["report"], name: "a step with a report",
            results: [.opened, .reported, .nothing, .refused, .cancelled, .timedOut, .ended, .failed],
            example: "report message"),
        // The extension has acknowledged all.
        PointStepKind(
            verbs: ["reindex"], name: "a reindexing", results: [.indexed, .timedOut, .ended, .handlerDropped, .failed]),
        // `refused`: the extension does not list the file's type, or makes no thumbnail of that size.
        PointStepKind(
            verbs: ["thumbnail"], name: "a thumbnail",
            results: [.made, .nothing, .refused, .timedOut, .ended, .handlerDropped, .failed]),
        PointStepKind(
            verbs: ["preview"], name: "a step with a preview",
            results: [.opened, .refused, .timedOut, .ended, .handlerDropped, .failed], example: "preview file"),
        // `opened`: the app is open, or the person has closed it.
        PointStepKind(
            verbs: ["imessage"], name: "a step with an iMessage app",
            results: [.opened, .dismissed, .timedOut, .ended, .failed], example: "imessage open"),
        // `refused`: the extension does not list the file's type.
        PointStepKind(
            verbs: ["import"], name: "an import", results: [.imported, .refused, .timedOut, .ended, .failed]),
        PointStepKind(verbs: ["search", "query"], name: "a search", results: [.found, .nothing]),
    ]
}
