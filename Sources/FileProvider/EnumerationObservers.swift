// EnumerationObservers: the items and changes of an author's enumerator, as parts of a call.

import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The receiver of one page or of changes: passes on what comes until exactly one end.
///
/// A second end, or items after it, is a misuse. If the author's code lets go of the observer without an end, the call
/// fails with `handlerDropped`.
private final class ObservedParts<Part: Sendable, End: Sendable>: Sendable {
    let parts: AsyncThrowingStream<Event, any Error>
    private let continuation: AsyncThrowingStream<Event, any Error>.Continuation
    private let isOver = Mutex(false)
    private let name: String
    private let report: @Sendable (String) -> Void

    enum Event: Sendable {
        case part(Part)
        case end(End)
    }

    init(_ name: String, report: @escaping @Sendable (String) -> Void) {
        (parts, continuation) = AsyncThrowingStream.makeStream()
        (self.name, self.report) = (name, report)
    }

    func add(_ part: Part) {
        if isOver.withLock({ $0 }) { return report("\(name) got items after its end (E_HANDLER_TWICE)") }
        continuation.yield(.part(part))
    }

    func end(_ end: Result<End, any Error>) {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return report("\(name) was finished again (E_HANDLER_TWICE)") }
        switch end {
        case .success(let value):
            continuation.yield(.end(value))
            continuation.finish()
        case .failure(let error): continuation.finish(throwing: error)
        }
    }

    /// The author's code has let go of the observer.
    func drop() {
        let isOpen = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isOpen else { return }
        let error = ExtensionHostError(.handlerDropped, "\(name) was let go without being finished")
        report(error.message)
        continuation.finish(throwing: error)
    }
}

/// The number of items in one part of an answer.
private let itemsOfPart = 64

extension Array {
    /// The elements in pieces.
    fileprivate func pieces(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}

/// The receiver of a page's items.
private final class ItemObserver: NSObject, NSFileProviderEnumerationObserver, Sendable {
    private let observed: ObservedParts<[FileItem], NSFileProviderPage?>

    init(_ observed: ObservedParts<[FileItem], NSFileProviderPage?>) { self.observed = observed }

    deinit { observed.drop() }

    func didEnumerate(_ updatedItems: [any NSFileProviderItemProtocol]) {
        for piece in updatedItems.pieces(of: itemsOfPart) { observed.add(piece.map { FileItem($0) }) }
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) { observed.end(.success(nextPage)) }
    func finishEnumeratingWithError(_ error: any Error) { observed.end(.failure(error)) }
    var suggestedPageSize: Int { 200 }
}

/// The receiver of changes.
private final class ChangeObserver: NSObject, NSFileProviderChangeObserver, Sendable {
    private let observed: ObservedParts<EnumerateChanges.Part, EnumerateChanges.Reply>

    init(_ observed: ObservedParts<EnumerateChanges.Part, EnumerateChanges.Reply>) { self.observed = observed }

    deinit { observed.drop() }

    func didUpdate(_ updatedItems: [any NSFileProviderItemProtocol]) {
        for piece in updatedItems.pieces(of: itemsOfPart) { observed.add(.init(updated: piece.map { FileItem($0) })) }
    }

    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
        for piece in deletedItemIdentifiers.pieces(of: itemsOfPart) {
            observed.add(.init(deleted: piece.map(\.rawValue)))
        }
    }

    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {
        observed.end(.success(.init(anchor: [UInt8](anchor.rawValue), more: moreComing)))
    }

    func finishEnumeratingWithError(_ error: any Error) { observed.end(.failure(error)) }
    var suggestedBatchSize: Int { 200 }
}

/// The enumerators of a session, one for each container, so that pages and changes come from the same object.
final class Enumerators: Sendable {
    private struct Kept: @unchecked Sendable {
        var enumerators: [(container: String, object: any NSFileProviderEnumerator)] = []
    }

    /// The list. Only the queue of the request makes and uses enumerators.
    private let kept = Mutex(Kept())
    private static let most = 64

    /// Returns the enumerator of a container, which `make` makes at the first use.
    ///
    /// The one that was not used for longest goes once there are too many.
    func enumerator(
        of container: String, make: () throws -> any NSFileProviderEnumerator
    ) rethrows -> any NSFileProviderEnumerator {
        let found: Kept? = kept.withLock { kept in
            guard let index = kept.enumerators.firstIndex(where: { $0.container == container }) else { return nil }
            let entry = kept.enumerators.remove(at: index)
            kept.enumerators.append(entry)
            return Kept(enumerators: [entry])
        }
        if let found { return found.enumerators[0].object }
        let made = Kept(enumerators: [(container, try make())])
        let old = kept.withLock { kept in
            kept.enumerators += made.enumerators
            return kept.enumerators.count > Self.most ? Kept(enumerators: [kept.enumerators.removeFirst()]) : Kept()
        }
        for entry in old.enumerators { entry.object.invalidate() }
        return made.enumerators[0].object
    }

    /// Invalidates the enumerator of a container; nil: of all.
    func invalidate(_ container: String? = nil) {
        let gone = kept.withLock { kept in
            let gone = Kept(enumerators: kept.enumerators.filter { container == nil || $0.container == container })
            kept.enumerators.removeAll { container == nil || $0.container == container }
            return gone
        }
        for entry in gone.enumerators { entry.object.invalidate() }
    }
}

extension PointSession {
    /// Enumerates a page of an enumerator, and sends its items as parts of the call.
    func items(
        _ enumerator: any NSFileProviderEnumerator, _ page: [UInt8], _ call: IncomingCall
    ) async throws -> EnumerateItems.Reply {
        let observed = ObservedParts<[FileItem], NSFileProviderPage?>(
            "the observer of \(type(of: enumerator)).enumerateItems(for:startingAt:)", report: reporter())
        // The author has the only reference to the observer.
        enumerator.enumerateItems(for: ItemObserver(observed), startingAt: NSFileProviderPage(Data(page)))
        for try await event in observed.parts {
            switch event {
            case .part(let items): try await call.send(part: try PointEncoder.encode(EnumerateItems.Part(items)))
            case .end(let page): return EnumerateItems.Reply(next: page.map { [UInt8]($0.rawValue) })
            }
        }
        throw CancellationError()
    }

    /// Enumerates the changes of an enumerator, and sends them as parts of the call.
    func changes(
        _ enumerator: any NSFileProviderEnumerator, _ anchor: [UInt8], _ call: IncomingCall
    ) async throws -> EnumerateChanges.Reply {
        let observed = ObservedParts<EnumerateChanges.Part, EnumerateChanges.Reply>(
            "the observer of \(type(of: enumerator)).enumerateChanges(for:from:)", report: reporter())
        enumerator.enumerateChanges(for: ChangeObserver(observed), from: NSFileProviderSyncAnchor(Data(anchor)))
        for try await event in observed.parts {
            switch event {
            case .part(let part): try await call.send(part: try PointEncoder.encode(part))
            case .end(let reply): return reply
            }
        }
        throw CancellationError()
    }
}
