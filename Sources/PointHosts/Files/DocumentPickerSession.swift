// DocumentPickerSession: one session of a document picker, from the appearance of its view to the choice.

public import ExtensionHost
import ExtensionItems
import ExtensionPointKit
public import Foundation
import Glibc
import LinuxDescriptors
import Locks
public import PointMessages

/// A document that a person has picked, or a place for one.
public enum PickedDocument: Sendable {
    /// A copy of a document, which belongs to the host.
    case imported(ImportedDocument)
    /// A document in the provider's storage, on which the host may work.
    case opened(DocumentLease)
    /// The URL of the picker's copy, as a sign of success. The host cannot open it.
    case exported(URL)
    /// The moved document in the provider's storage, on which the host may work.
    case moved(DocumentLease)
}

/// A host's copy of a document. Its file is deleted with the last reference, unless it has been moved away.
public final class ImportedDocument: Sendable {
    /// The copy, under the document's name.
    public let url: URL
    private let place: TemporaryItemFile

    /// Copies an open document.
    ///
    /// - Throws: `DocumentPickFault`.
    init(_ file: SharedDescriptor, named name: String, _ shown: String) throws(DocumentPickFault) {
        do {
            let status = try FileStatus(of: file.raw)
            guard status.isRegular else { throw DocumentPickFault.notAFile(shown) }
            guard status.size <= DocumentPickerHost.largestImport else { throw DocumentPickFault.tooLarge(status.size) }
            place = try TemporaryItemFile(placeNamed: name)
            url = place.url
            let target = SharedDescriptor(try createFile(url.path))
            // The extension may truncate the file meanwhile: the copy has what was there.
            _ = try copyFile(from: file.raw, to: target.raw, size: status.size)
        } catch let fault as DocumentPickFault {
            throw fault
        } catch let error as SystemError where error.code == EBADF {
            throw .unreadable(shown)
        } catch {
            throw .notCopied("\(error)")
        }
    }
}

/// The choice of a picker: the first one counts. Safe to use from any thread.
final class PickerChoice: Sendable {
    typealias Choice = Result<PickedDocument, DocumentPickFault>

    private struct State {
        var isTaken = false
        var choice: Choice?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOver = false
    }

    private let mode: PickerMode
    private let storage: DocumentStorageFolder?
    private let provider: String
    private let state = Mutex(State())

    init(_ mode: PickerMode, storage: DocumentStorageFolder?, provider: String) {
        (self.mode, self.storage, self.provider) = (mode, storage, provider)
    }

    /// Whether the picker has given a document, which is perhaps being copied.
    var isMade: Bool { state.withLock { $0.isTaken } }

    /// Checks and takes what the extension gives. A second document is passed over.
    func take(_ message: GrantAccess) async {
        let isFirst = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken && !state.isOver
        }
        guard isFirst else { return }
        // A copy takes time, and blocks its thread.
        let choice = await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: self.checked(message)) }
        }
        let waiting = state.withLock { state in
            state.choice = choice
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The request has ended: a choice that is being checked still counts, and no other comes.
    func requestEnded() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isOver = true
            guard !state.isTaken || state.choice != nil else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The choice; nil if the request has ended without one. The getter waits.
    var value: Choice? {
        get async {
            await withCheckedContinuation { continuation in
                let isKnown = state.withLock { state in
                    let isKnown = state.choice != nil || (state.isOver && !state.isTaken)
                    if !isKnown { state.waiting.append(continuation) }
                    return isKnown
                }
                if isKnown { continuation.resume() }
            }
            return state.withLock { $0.choice }
        }
    }

    private static let longestURL = 8192

    private func checked(_ message: GrantAccess) -> Choice {
        do throws(DocumentPickFault) {
            return .success(try document(message))
        } catch {
            return .failure(error)
        }
    }

    private func document(_ message: GrantAccess) throws(DocumentPickFault) -> PickedDocument {
        guard message.url.utf8.count <= Self.longestURL, let url = URL(string: message.url), url.isFileURL else {
            throw .outsideStorage(String(message.url.prefix(128)))
        }
        let shown = url.path
        switch mode {
        case .import:
            guard let file = message.file?.descriptor else { throw .unreadable(shown) }
            return .imported(try ImportedDocument(file, named: url.lastPathComponent, shown))
        case .exportToService: return .exported(url)
        case .open: return .opened(try lease(message, shown, mustBeThere: false))
        case .moveToService: return .moved(try lease(message, shown, mustBeThere: true))
        case .unrecognized: throw .outsideStorage(shown)
        }
    }

    private func lease(
        _ message: GrantAccess, _ shown: String, mustBeThere: Bool
    ) throws(DocumentPickFault) -> DocumentLease {
        guard let storage, let path = message.storagePath else { throw .outsideStorage(shown) }
        let lease = DocumentLease(
            try DocumentStorageFolder.check(path, shown), in: storage, of: provider)
        do throws(DocumentPickFault) {
            _ = try lease.open()
        } catch {
            // The provider makes the file of a document when somebody opens it.
            guard case .missing = error, !mustBeThere else { throw error }
        }
        return lease
    }
}

/// A session of a document picker. Safe to use from any thread.
public final class DocumentPickerSession: Sendable {
    /// The request, for its view, actions and outcome.
    public let request: ExtensionRequest
    /// The mode of the picker.
    public let mode: PickerMode
    private let choice: PickerChoice
    private let ending: Task<PickedDocument?, any Error>

    init(_ request: ExtensionRequest, _ mode: PickerMode, _ choice: PickerChoice) {
        (self.request, self.mode, self.choice) = (request, mode, choice)
        Task {
            _ = await request.outcome
            choice.requestEnded()
        }
        ending = Task { try await Self.end(request, choice) }
    }

    /// The extension's last view; nil before the first one.
    public var view: ViewElement? { request.view }

    /// Performs a person's action on the view, as `ExtensionRequest.use(_:)` does.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    /// Waits for the person's choice, and for the end of the session.
    ///
    /// - Returns: the document; nil if the person, or the host, has cancelled.
    /// - Throws: `DocumentPickFault` for a document that the host does not take; the author's error;
    ///   `ExtensionHostError`: `interrupted` if the process ends, `contextFinished` if the picker completes its request
    ///   without a choice, and the reasons of a refused request.
    public func document() async throws -> PickedDocument? { try await ending.value }

    /// Ends the session without a choice, unless there is one already.
    public func cancel() async { try? await request.cancel() }

    private static func end(_ request: ExtensionRequest, _ choice: PickerChoice) async throws -> PickedDocument? {
        guard let chosen = await choice.value else { return try await withoutChoice(request) }
        // An extension that does not end in its time is cancelled.
        do {
            switch chosen {
            case .success: try await request.call(EndPicker())
            case .failure(let fault): try await request.call(RefuseAccess(fault.description))
            }
        } catch {
            try? await request.cancel()
        }
        _ = await request.outcome
        return try chosen.get()
    }

    /// Returns nil for a request that was cancelled without an error of the author's.
    private static func withoutChoice(_ request: ExtensionRequest) async throws -> PickedDocument? {
        switch await request.outcome {
        case .completed:
            throw ExtensionHostError(
                .contextFinished, "the picker completed its request without a choice",
                remedy: "Call dismissGrantingAccess(to:)")
        case .cancelled(.cancelledByExtension, let error):
            if let kit = ExtensionHostError(crossed: error) { throw kit }
            let error = error as NSError
            let isUsual = error.domain == NSCocoaErrorDomain && error.code == CocoaError.userCancelled.rawValue
            guard isUsual else { throw error }
            return nil
        case .cancelled: return nil
        case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
            if let reason = await request.explanation { throw reason }
            throw ExtensionHostError(.interrupted, "the picker ended without a choice (\(cause.rawValue))")
        }
    }
}
