// PendingLoad: one load on its way, answered exactly once.

internal import Dispatch
internal import Foundation
internal import Locks

/// A load whose answer is awaited: the first answer counts, from whoever comes first: load handler, cancellation, or the end of
/// this object, which means that a load handler let go of its completion handler unused and nobody can answer any more.
final class PendingLoad: Sendable {
    typealias Answer = @Sendable (Result<Handover<Any?>, any Error>) -> Void
    /// Makes the value what was asked for: reads a file, copies bytes. Runs on the concurrent queue.
    typealias Conversion = @Sendable (Any?, Progress) throws -> Any?

    /// Where load and completion handlers run; several at once, as authors must expect (spec 1.6).
    static let queue = DispatchQueue(label: "org.exthost.items", attributes: .concurrent)

    /// Where other processes are asked: in the order in which the author has.
    static let questions = DispatchQueue(label: "org.exthost.items.questions", target: queue)

    /// For the caller: done with the answer, and cancelling it answers with `NSUserCancelledError`.
    let progress = Progress(totalUnitCount: 1)
    private let conversion: Conversion?
    private let waiting: Mutex<Answer?>
    private let work = Mutex<Work>(Work())
    private let delivery: SerialDelivery?
    private let activity: Activity?
    private let place: Int

    /// Who makes the value, and how it is stopped.
    private struct Work: Sendable {
        var progress: Progress?
        var watch: Poller?
        var cancel: (@Sendable () -> Void)?
    }

    init(_ request: LoadRequest, conversion: Conversion? = nil, _ answer: @escaping Answer) {
        waiting = Mutex(answer)
        self.conversion = conversion
        delivery = request.mode.delivery
        activity = request.activity
        place = delivery?.start() ?? 0
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
        endWork()
        let (progress, conversion, delivery, place, activity) = (progress, conversion, delivery, place, activity)
        activity?.enter()
        // Not from here: the caller may hold a lock that the completion handler takes.
        Self.queue(for: result, conversion).async {
            let converted = Self.convert(result, conversion, progress)
            let finish: @Sendable () -> Void = {
                progress.completedUnitCount = progress.totalUnitCount
                handler(converted)
                activity?.leave()
            }
            if let delivery { delivery.deliver(place, finish) } else { finish() }
        }
    }

    /// Dispatch gives concurrent queues one thread for each processor. Swift's tasks and the looks at a progress share these
    /// threads, and would wait while a file is read. A serial queue gets a thread of its own.
    private static func queue(
        for result: Result<Handover<Any?>, any Error>, _ conversion: Conversion?
    ) -> DispatchQueue {
        guard conversion != nil, case .success(let loaded) = result, isFile(loaded.value) else { return queue }
        return DispatchQueue(label: "org.exthost.items.file")
    }

    private static func convert(
        _ result: Result<Handover<Any?>, any Error>, _ conversion: Conversion?, _ progress: Progress
    ) -> Result<Handover<Any?>, any Error> {
        guard let conversion, case .success(let loaded) = result else { return result }
        if progress.isCancelled { return .failure(CocoaError(.userCancelled)) }
        let converted = Result { Handover(value: try conversion(loaded.value, progress)) }
        // A copy that was stopped says so in its own words, and what came of one that could not be stopped nobody wants any more.
        return progress.isCancelled ? .failure(CocoaError(.userCancelled)) : converted
    }

    func succeed(_ value: Any?) { answer(.success(Handover(value: value))) }

    func fail(_ code: NSItemProvider.ErrorCode, _ reason: String, underlying: (any Error)? = nil) {
        answer(.failure(NSItemProvider.error(code, reason, underlying: underlying)))
    }

    // MARK: The work behind it

    /// The load handler's own progress, which is cancelled with ours, and which ours follows.
    func adopt(_ handlers: Progress?) {
        guard let handlers else { return }
        let watch = Poller { [weak self] in
            self?.advance(to: handlers.completedUnitCount, of: handlers.totalUnitCount)
        }
        work.withLock { work in
            work.progress = handlers
            work.watch = watch
        }
        if isAnswered { endWork() }
        if progress.isCancelled { handlers.cancel() }
    }

    /// How to stop the work, when it is another process's.
    func adopt(cancel: @escaping @Sendable () -> Void) {
        work.withLock { $0.cancel = cancel }
        if progress.isCancelled { stopWork() }
    }

    /// So much of the work is done.
    func advance(to completed: Int64, of total: Int64) {
        guard !isAnswered, total > 0, completed >= 0 else { return }
        progress.totalUnitCount = total
        // Done only with the answer.
        progress.completedUnitCount = min(completed, total - 1)
    }

    private func endWork() {
        work.withLock { work in
            work.watch?.end()
            work.watch = nil
        }
    }

    private func stopWork() {
        let (handlers, cancel) = work.withLock { work in
            defer { work.cancel = nil }
            return (work.progress, work.cancel)
        }
        handlers?.cancel()
        cancel?()
    }

    private func cancel() {
        stopWork()
        answer(.failure(CocoaError(.userCancelled)))
    }
}

/// Calls a closure every 50 ms on the loads' queue until it is ended or let go.
// Unchecked: a dispatch source may be used from any thread (its documentation says so), only its type does not.
final class Poller: @unchecked Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(50)

    private let timer: any DispatchSourceTimer

    init(_ look: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: PendingLoad.queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler(handler: look)
        timer.activate()
    }

    deinit { timer.cancel() }

    func end() { timer.cancel() }
}
