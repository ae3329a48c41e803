// PendingLoad: one load on its way, answered exactly once.

internal import Dispatch
internal import Foundation
internal import Synchronization

/// A load whose answer is awaited: the first answer counts, from whoever comes first: load handler, cancellation, or the end of
/// this object, which means that a load handler let go of its completion handler unused and nobody can answer any more.
final class PendingLoad: Sendable {
    typealias Answer = @Sendable (Result<Handover<Any?>, any Error>) -> Void

    /// Where load and completion handlers run; several at once, as authors must expect (spec 1.6).
    static let queue = DispatchQueue(label: "org.exthost.items", attributes: .concurrent)

    /// For the caller: done with the answer, and cancelling it answers with `NSUserCancelledError`.
    let progress = Progress(totalUnitCount: 1)
    private let waiting: Mutex<Answer?>
    private let work = Mutex<Progress?>(nil)

    init(_ answer: @escaping Answer) {
        waiting = Mutex(answer)
        progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    deinit {
        answer(
            .failure(
                NSItemProvider.error(
                    .itemUnavailableError, "The load handler ended without calling its completion handler; call it on every path."
                )))
    }

    var isAnswered: Bool { waiting.withLock { $0 == nil } }

    func answer(_ result: Result<Handover<Any?>, any Error>) {
        let handler = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        guard let handler else { return }
        let progress = progress
        // Not from here: the caller may hold a lock that the completion handler takes.
        Self.queue.async {
            progress.completedUnitCount = 1
            handler(result)
        }
    }

    func succeed(_ value: Any?) { answer(.success(Handover(value: value))) }

    func fail(_ code: NSItemProvider.ErrorCode, _ reason: String, underlying: (any Error)? = nil) {
        answer(.failure(NSItemProvider.error(code, reason, underlying: underlying)))
    }

    /// The load handler's own progress, which is cancelled with ours.
    func adopt(_ progress: Progress?) {
        work.withLock { $0 = progress }
        if self.progress.isCancelled { progress?.cancel() }
    }

    private func cancel() {
        work.withLock { $0 }?.cancel()
        answer(.failure(CocoaError(.userCancelled)))
    }
}
