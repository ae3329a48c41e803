// PendingLoad: one load in progress, answered exactly once.

internal import Dispatch
internal import Foundation
internal import Locks

/// A load that waits for its answer; the first answer counts.
///
/// The answer comes from the load handler, from a cancellation, or from the end of this object. The end means that a
/// load handler has released its completion handler unused, so that no answer can come any more.
final class PendingLoad: Sendable {
    typealias Answer = @Sendable (Result<Handover<Any?>, any Error>) -> Void
    /// A function that converts the value to the requested form: it reads a file or copies bytes.
    ///
    /// It runs on the concurrent queue.
    typealias Conversion = @Sendable (Any?, Progress) throws -> Any?

    /// The queue on which load and completion handlers run; several at once, as authors must expect (spec 1.6).
    static let queue = DispatchQueue(label: "org.exthost.items", attributes: .concurrent)

    /// The queue on which other processes are asked, in the order of the author's loads.
    static let questions = DispatchQueue(label: "org.exthost.items.questions", target: queue)

    /// The caller's progress: it completes with the answer, and cancelling it answers with `NSUserCancelledError`.
    let progress = Progress(totalUnitCount: 1)
    private let conversion: Conversion?
    private let waiting: Mutex<Answer?>
    private let work = Mutex<Work>(Work())
    private let delivery: SerialDelivery?
    private let activity: Activity?
    private let place: Int

    /// The work that makes the value, and the means to stop it.
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
                    .itemUnavailableError,
                    "The load handler ended without calling its completion handler; call it on every path."
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
        // The answer does not run here: the caller may hold a lock that the completion handler takes.
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

    /// Returns the queue for an answer's conversion.
    ///
    /// Dispatch gives concurrent queues one thread for each processor. Swift's tasks and the polls of a progress share
    /// these threads, and would wait while a file is read. A serial queue gets its own thread.
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
        // A copy that was stopped has its own error, and the result of one that could not be stopped is not needed any
        // more.
        return progress.isCancelled ? .failure(CocoaError(.userCancelled)) : converted
    }

    func succeed(_ value: Any?) { answer(.success(Handover(value: value))) }

    func fail(_ code: NSItemProvider.ErrorCode, _ reason: String, underlying: (any Error)? = nil) {
        answer(.failure(NSItemProvider.error(code, reason, underlying: underlying)))
    }

    // MARK: The work behind it

    /// Adopts the load handler's own progress, which is cancelled with ours, and which ours follows.
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

    /// Sets a function that stops the work of another process.
    func adopt(cancel: @escaping @Sendable () -> Void) {
        work.withLock { $0.cancel = cancel }
        if progress.isCancelled { stopWork() }
    }

    /// Sets the progress of the work.
    func advance(to completed: Int64, of total: Int64) {
        guard !isAnswered, total > 0, completed >= 0 else { return }
        progress.totalUnitCount = total
        // The progress completes only with the answer.
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

/// A poller that calls a closure every 50 ms on the loads' queue until it is ended or released.
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
