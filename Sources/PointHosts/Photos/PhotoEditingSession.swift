// PhotoEditingSession: one edit of an asset by an extension.

public import ExtensionHost
import Foundation
public import ImageCodecs
import Locks
public import PointMessages

/// An edit of an asset, from the appearance of the extension's view to its end. Safe to use from any thread.
///
/// The asset is locked until the edit ends, also by the death of the extension.
public final class PhotoEditingSession: Sendable {
    /// The person's answer to the question whether the edit may be lost.
    public enum Confirmation: Sendable, Hashable {
        /// Cancel the edit.
        case confirm
        /// Go on with the edit.
        case goOn
    }

    /// A stored edit.
    public struct Edit: Sendable {
        /// The description of the edit, as the extension gave it.
        public let adjustment: PhotoAdjustment
        /// The header of the file that the extension got; nil for a video, or without the codecs.
        public let before: ImageHeader?
        /// The header of the rendering; likewise.
        public let after: ImageHeader?
        /// Remarks in words, such as a check that this machine could not make.
        public let remarks: [String]
    }

    private enum Phase {
        case open
        /// The extension makes the result.
        case finishing(Task<PhotoFinish.Reply, any Error>)
        /// The result is checked and stored, or the edit is being cancelled.
        case ending
        case over
    }

    /// The request, for its view, actions and outcome.
    public let request: ExtensionRequest
    /// The asset at the beginning of the edit.
    public let asset: AssetLibrary.Asset
    /// Whether the extension continues the asset's last edit. It then has the original.
    public let continuesEdit: Bool
    private let inspector: any PhotoInspecting
    private let edit: AssetEdit
    private let phase = Mutex(Phase.open)

    init(_ request: ExtensionRequest, _ edit: AssetEdit, _ inspector: any PhotoInspecting, continues: Bool) {
        self.request = request
        asset = edit.asset
        continuesEdit = continues
        self.edit = edit
        self.inspector = inspector
        // An extension that dies, or ends its request, releases the asset.
        Task { [weak self] in
            _ = await request.outcome
            self?.requestEnded()
        }
    }

    private func requestEnded() {
        phase.withLock { phase in if case .open = phase { phase = .over } }
        if case .over = phase.withLock({ $0 }) { edit.release() }
    }

    /// The extension's last view; nil before the first one.
    public var view: ViewElement? { request.view }

    /// Performs a person's action on the view, as `ExtensionRequest.use(_:)` does.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    private static let isOver = ExtensionHostError(
        .contextFinished, "the edit has ended, or is ending", remedy: "Begin another one")

    // MARK: Done

    /// Asks for the result, checks and stores it, and ends the session.
    ///
    /// - Parameter limit: the time of the extension; nil: 60 s, or what the extension point says (`CallLimits`).
    /// - Returns: the stored edit; nil if the extension has nothing to save.
    /// - Throws: `PhotoEditFault` for a result that is refused; `CocoaError.userCancelled` if the edit is cancelled
    ///   meanwhile; `ExtensionHostError`: `timedOut`, `handlerDropped`, `interrupted`, `contextFinished` after the
    ///   session, `stateUnavailable` if the result cannot be stored; errors of the author. The session is over then,
    ///   and the asset as it was.
    public func finish(limit: Duration? = nil) async throws -> Edit? {
        let request = request
        let task = try phase.withLock { phase throws(ExtensionHostError) in
            guard case .open = phase else { throw Self.isOver }
            let task = Task { try await request.call(PhotoFinish(), limit: limit) }
            phase = .finishing(task)
            return task
        }
        let reply = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        // A cancel that came meanwhile ends the session itself.
        let isCancelled = phase.withLock { phase in
            guard case .finishing = phase else { return true }
            phase = .ending
            return false
        }
        guard !isCancelled else { throw CocoaError(.userCancelled) }
        do {
            let stored = try await store(try reply.get())
            await end()
            return stored
        } catch {
            // An extension that hangs gets no more calls.
            await end(asking: (error as? ExtensionHostError)?.code != .timedOut)
            throw error
        }
    }

    private func store(_ reply: PhotoFinish.Reply) async throws -> Edit? {
        guard let output = reply.output else { return nil }
        guard let adjustment = output.adjustment else { throw PhotoEditFault.noAdjustmentData }
        guard !output.returnsInputAdjustment else { throw PhotoEditFault.oldAdjustmentData }
        let size = adjustment.size
        guard size <= PhotoEditFault.largestAdjustment else { throw PhotoEditFault.adjustmentDataTooLarge(size) }
        guard let rendering = output.rendering else { throw PhotoEditFault.noRendering }
        // The last rendering is deleted by the storage.
        let before = asset.media == .video ? nil : try? await inspector.header(of: asset.input(continuesEdit))
        let copy = try edit.copy(rendering.descriptor.raw)
        var remarks: [String] = []
        let after: ImageHeader?
        do {
            after = try await check(copy, &remarks)
            edit.library.onStep(.checked)
            try edit.store(copy, adjustment)
        } catch {
            edit.discard(copy)
            throw error
        }
        if size > PhotoEditFault.largeAdjustment {
            remarks.append("the adjustment data has \(size) bytes; store parameters, and no pixels")
        }
        return Edit(adjustment: adjustment, before: before, after: after, remarks: remarks)
    }

    /// Checks the copy of a photo's rendering.
    ///
    /// - Returns: the header; nil for a video, or if this machine cannot read photos.
    /// - Throws: `PhotoEditFault`.
    private func check(_ path: String, _ remarks: inout [String]) async throws(PhotoEditFault) -> ImageHeader? {
        guard asset.media != .video else { return nil }
        let header: ImageHeader
        do throws(ExtensionHostError) {
            header = try await inspector.header(of: path)
            // An orientation is the fault that an author can mend best.
            if header.orientation == 1 { try await inspector.decode(path) }
        } catch {
            guard error.code == .helperMissing else { throw .undecodable(error.message) }
            remarks.append("the orientation and the pixels of the rendering are not checked: \(error.message)")
            return nil
        }
        guard header.orientation == 1 else { throw .wrongOrientation(Int(header.orientation)) }
        return header
    }

    // MARK: Cancel

    /// Cancels the edit, perhaps while its result is being made, and ends the session.
    ///
    /// If the extension says that the person must confirm, the host asks its person first.
    ///
    /// - Parameter confirming: the person's answer.
    /// - Returns: whether the edit is cancelled; false if the person goes on.
    /// - Throws: `ExtensionHostError`: `contextFinished` after the session, or once the result is being stored; errors
    ///   of the call, after which the session is over.
    @discardableResult public func cancel(confirming: Confirmation = .confirm) async throws -> Bool {
        guard !isEnding else { throw Self.isOver }
        do {
            if try await request.call(PhotoShouldConfirm()).shouldConfirm, confirming == .goOn { return false }
        } catch {
            // The session may have ended meanwhile, or another call ends it.
            try beginCancelling()
            await end(asking: false)
            throw error
        }
        try beginCancelling()
        do {
            try await request.call(PhotoCancel())
        } catch {
            await end(asking: false)
            throw error
        }
        await end()
        return true
    }

    private var isEnding: Bool {
        phase.withLock { phase in
            switch phase {
            case .open, .finishing: false
            case .ending, .over: true
            }
        }
    }

    private func beginCancelling() throws(ExtensionHostError) {
        let task = try phase.withLock { phase throws(ExtensionHostError) in
            let task: Task<PhotoFinish.Reply, any Error>?
            switch phase {
            case .open: task = nil
            case .finishing(let finishing): task = finishing
            case .ending, .over: throw Self.isOver
            }
            phase = .ending
            return task
        }
        task?.cancel()
    }

    /// Ends the session, and releases the asset.
    ///
    /// - Parameter asks: whether the extension is asked to end; if not, its request is cancelled.
    private func end(asking asks: Bool = true) async {
        var isEnding = false
        if asks { isEnding = (try? await request.call(PhotoEnd())) != nil }
        if !isEnding { try? await request.cancel() }
        _ = await request.outcome
        phase.withLock { $0 = .over }
        edit.release()
    }
}
