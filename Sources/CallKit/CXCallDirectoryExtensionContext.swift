// CXCallDirectoryExtensionContext: the context of a load, which takes the entries.

public import ExtensionFoundation
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The context of a load. Blocking and identification entries are two lists, and each goes in ascending order of numbers.
///
/// The telephone checks the entries, so a fault is told to the `delegate`, and no method throws. Entries travel in
/// batches of 4,096; a method waits while four of them are on their way.
open class CXCallDirectoryExtensionContext: NSExtensionContext, @unchecked Sendable {  // its state is behind mutexes
    private let loading = Mutex(Loading())
    private let batches = EntryBatches()

    private struct Loading: @unchecked Sendable {  // authors use their delegate on any thread, as on Apple's systems
        weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?
        var isIncremental = false
        /// Ends the author's part of the load; nil before the load and after its end.
        var finish: (@Sendable () -> Void)?
        var completionHandler: (@Sendable (Bool) -> Void)?
        /// Whether the author has completed the request.
        var isFinished = false
        /// Whether the telephone has decided about the directory.
        var isDecided = false

        /// Whether an answer of the author's comes after the first one.
        var isLate: Bool { isFinished && !isDecided }
    }

    /// A holder that passes the delegate into the lock.
    private struct DelegateHolder: @unchecked Sendable {
        let delegate: (any CXCallDirectoryExtensionContextDelegate)?
    }

    /// The receiver of the load's error.
    open weak var delegate: (any CXCallDirectoryExtensionContextDelegate)? {
        get { loading.withLock { $0.delegate } }
        set {
            let holder = DelegateHolder(delegate: newValue)
            loading.withLock { $0.delegate = holder.delegate }
        }
    }

    /// Whether the entries change the last directory. If not, as at the first load and after a failure, they are the whole
    /// one, and nothing may be removed (documented).
    open var isIncremental: Bool { loading.withLock { $0.isIncremental } }

    /// Adds a number whose calls are refused.
    open func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        batches.add(phoneNumber, nil, .block, of: self)
    }

    /// Removes a number from the blocked ones.
    open func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        batches.add(phoneNumber, nil, .unblock, of: self)
    }

    /// Removes all blocked numbers, also those that this load has added.
    open func removeAllBlockingEntries() { batches.clear(.unblockAll, of: self) }

    /// Adds a number whose calls are shown with a label.
    open func addIdentificationEntry(
        withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
    ) {
        batches.add(phoneNumber, label, .identify, of: self)
    }

    /// Removes the label of a number.
    open func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        batches.add(phoneNumber, nil, .forget, of: self)
    }

    /// Removes all labels, also those that this load has added.
    open func removeAllIdentificationEntries() { batches.clear(.forgetAll, of: self) }

    /// Says that all entries are there. The telephone checks them, and completes the request.
    ///
    /// - Parameter completionHandler: as for `NSExtensionContext.completeRequest(returningItems:completionHandler:)`.
    open func completeRequest(completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        completeRequest(returningItems: [], completionHandler: completionHandler)
    }

    /// Does what `completeRequest(completionHandler:)` does: a directory returns no items.
    open override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        let (finish, handler, isLate) = loading.withLock { loading in
            defer { loading.finish = nil }
            let isLate = loading.isLate
            if loading.finish != nil { (loading.completionHandler, loading.isFinished) = (completionHandler, true) }
            return (loading.finish, loading.completionHandler ?? completionHandler, isLate)
        }
        guard !isLate else { return reportLate("completeRequest") }
        guard let finish else { return super.completeRequest(returningItems: [], completionHandler: handler) }
        batches.flush(self)
        // A directory without some of its entries would be another one.
        if let error = batches.failure { return super.cancelRequest(withError: error) }
        finish()
    }

    /// Gives the load up. It has no effect after `completeRequest`.
    open override func cancelRequest(withError error: any Error) {
        guard !loading.withLock({ $0.isLate }) else { return reportLate("cancelRequest(withError:)") }
        super.cancelRequest(withError: error)
    }

    private func reportLate(_ method: String) {
        PointSession.of(self)?.report("\(method) was ignored: the load is complete (E_CONTEXT_FINISHED)")
    }

    /// Notes that the telephone has decided about the directory: what follows ends the request.
    func decided() { loading.withLock { $0.isDecided = true } }

    /// Begins the load.
    ///
    /// - Parameter finish: called once, when the author has completed the request and the last batch is on its way.
    func begin(isIncremental: Bool, finish: @escaping @Sendable () -> Void) {
        loading.withLock { ($0.isIncremental, $0.finish) = (isIncremental, finish) }
    }
}

/// The entries that wait for the next batch of their list. Safe to use from any thread.
private final class EntryBatches: Sendable {
    /// The batches on their way, at most.
    private static let window = 4
    /// The bytes of the labels of a batch, at most, if it has several.
    private static let labelBytes = 256 << 10

    /// The entries of one list, all with the same change.
    private struct Batch {
        let change: CallDirectoryEntries.Change
        var numbers: [Int64] = []
        var labels: [String] = []
        var places: [Int] = []
        var known: [String: Int] = [:]
        var bytes = 0

        var isFull: Bool { numbers.count == CallDirectoryEntries.limit || bytes > EntryBatches.labelBytes }

        mutating func add(_ number: Int64, _ label: String?) {
            numbers.append(number)
            guard let label else { return }
            if let place = known[label] { return places.append(place) }
            known[label] = labels.count
            places.append(labels.count)
            labels.append(label)
            bytes += label.utf8.count
        }

        var message: CallDirectoryEntries {
            change == .identify
                ? CallDirectoryEntries(identifying: numbers, labels: labels, places: places)
                : CallDirectoryEntries(change, numbers: numbers)
        }
    }

    private struct State {
        var blocking: Batch?
        var identifying: Batch?
    }

    private let state = Mutex(State())
    private let firstFailure = Mutex<(any Error)?>(nil)

    /// The error of the first batch that has not reached the telephone; nil if all have.
    var failure: (any Error)? { firstFailure.withLock { $0 } }

    /// Begins at 0: a semaphore below its first value must not be released.
    private let places = DispatchSemaphore(value: 0)

    init() { for _ in 0..<Self.window { places.signal() } }

    func add(
        _ number: Int64, _ label: String?, _ change: CallDirectoryEntries.Change, of context: NSExtensionContext
    ) {
        // The lock holds while a batch waits, so that batches keep their order.
        state.withLock { state in
            if change == .block || change == .unblock {
                add(number, nil, change, to: &state.blocking, context)
            } else {
                add(number, label, change, to: &state.identifying, context)
            }
        }
    }

    private func add(
        _ number: Int64, _ label: String?, _ change: CallDirectoryEntries.Change, to batch: inout Batch?,
        _ context: NSExtensionContext
    ) {
        if batch?.change != change {
            send(batch?.message, context)
            batch = Batch(change: change)
        }
        batch?.add(number, label)
        guard batch?.isFull == true else { return }
        send(batch?.message, context)
        batch = nil
    }

    func clear(_ change: CallDirectoryEntries.Change, of context: NSExtensionContext) {
        state.withLock { state in
            // Entries that are not on their way yet are cleared with the others.
            if change == .unblockAll { state.blocking = nil } else { state.identifying = nil }
            send(CallDirectoryEntries(change), context)
        }
    }

    /// Sends what is left, and waits until the telephone has all.
    func flush(_ context: NSExtensionContext) {
        state.withLock { state in
            send(state.blocking?.message, context)
            send(state.identifying?.message, context)
            state = State()
            for _ in 0..<Self.window { places.wait() }
            for _ in 0..<Self.window { places.signal() }
        }
    }

    /// Sends a batch, and waits before that while too many are on their way. The thread that reads the answers is none of
    /// the author's. After the end of the request, or in a context that an author made, it goes nowhere.
    private func send(_ entries: CallDirectoryEntries?, _ context: NSExtensionContext) {
        guard let entries, let session = PointSession.of(context) else { return }
        places.wait()
        session.send(entries) { [self] answer in
            if case .failure(let error) = answer { firstFailure.withLock { $0 = $0 ?? error } }
            places.signal()
        }
    }
}

extension CXCallDirectoryExtensionContext {
    /// Tells the delegate about the failure of the load.
    func fail(_ code: Int, _ reason: String?) {
        let code = CXErrorCodeCallDirectoryManagerError.Code(rawValue: code) ?? .unknown
        delegate?.requestFailed(for: self, withError: CXErrorCodeCallDirectoryManagerError(code, reason))
    }
}
