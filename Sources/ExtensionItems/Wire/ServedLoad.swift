// ServedLoad: the owner's side of a load by another process.

public import Foundation
internal import LinuxDescriptors
internal import Locks

/// Answers a load from the other side, with the best match among the representations that others may see.
///
/// `completion` is called once, from another thread. A value that cannot travel fails with `unexpectedValueClassError`,
/// whose underlying error names it. `progress` gets the completed and the total units after each change, at most twenty
/// times a second, and never after the answer. Cancelling the returned progress stops the load.
@discardableResult
public func serveLoad(
    provider: NSItemProvider, _ question: LoadQuestion, progress report: (@Sendable (Int64, Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
) -> Progress {
    serveLoad(provider: provider, question, progress: report, activity: nil, completion: completion)
}

/// Answers a load likewise, and counts the load's handlers.
package func serveLoad(
    provider: NSItemProvider, _ question: LoadQuestion, progress report: (@Sendable (Int64, Int64) -> Void)? = nil,
    activity: Activity?, completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
) -> Progress {
    let watch = report.map { ProgressWatch(report: $0) }
    let answer: PendingLoad.Answer = { result in
        watch?.end()
        completion(
            Result {
                let loaded = try result.get().value
                do { return try encodeLoaded(loaded) } catch {
                    throw NSItemProvider.error(.unexpectedValueClassError, "\(error).", underlying: error)
                }
            })
    }
    let progress: Progress
    do {
        var request = try question.request()
        request.activity = activity
        progress =
            question.form == .preview
            ? provider.startPreviewLoad(request, answer: answer)
            : provider.startLoad(
                question.typeIdentifier, request, conversion: provider.conversion(of: question, request), answer: answer
            )
    } catch {
        answer(
            .failure(
                NSItemProvider.error(.unexpectedValueClassError, "An option of the load: \(error).", underlying: error))
        )
        return Progress(totalUnitCount: 1)
    }
    watch?.start(progress)
    return progress
}

extension NSItemProvider {
    /// Returns the function that prepares a value for the requested form.
    fileprivate func conversion(of question: LoadQuestion, _ request: LoadRequest) -> PendingLoad.Conversion? {
        let type =
            representation(for: question.typeIdentifier, visibleToOthers: true)?.typeIdentifier
            ?? question.typeIdentifier
        let isHandled = isHandled(question.typeIdentifier)
        switch question.form {
        case .item:
            return { value, _ in
                // The reader does not know that a handler made the value; this side does.
                if isHandled, let wanted = request.expectedClass, !canBecome(wanted, value) {
                    throw NSItemProvider.error(
                        .unexpectedValueClassError,
                        "The load handler should make \(wanted), and made \(value.map { "\(Swift.type(of: $0))" } ?? "no value")."
                    )
                }
                // The file's descriptor travels with its URL, because the path may not exist for the reader.
                return object(value, NSURL.self).flatMap { NamedFile(opening: $0 as URL) } ?? value
            }
        case .preview: return nil
        case .data:
            return { value, progress in
                if swiftData(value) != nil || value is SealedBytes { return value }
                let source = try fileValue(of: value, typeIdentifier: type, isHandled: isHandled, urlsAreText: true)
                guard case .opened(let file) = source else {
                    return try bytes(of: value, typeIdentifier: type, isHandled: isHandled)
                }
                return try SealedBytes(reading: file) { done in
                    progress.totalUnitCount = Int64(file.status.size) + 1
                    progress.completedUnitCount = Int64(done)
                    return !progress.isCancelled
                }
            }
        case .file, .place:
            return { value, _ in
                if swiftData(value) != nil || value is SealedBytes { return value }
                switch try fileValue(of: value, typeIdentifier: type, isHandled: isHandled) {
                case .opened(let file): return file
                case .data(let data): return data
                }
            }
        }
    }
}

/// A watch that reports a progress until it ends.
private final class ProgressWatch: Sendable {
    private struct State: Sendable {
        var look: Poller?
        var isOver = false
        var told: Int64 = 0
    }

    private let state = Mutex(State())
    private let report: @Sendable (Int64, Int64) -> Void

    init(report: @escaping @Sendable (Int64, Int64) -> Void) { self.report = report }

    func start(_ progress: Progress) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.look = Poller { [weak self] in self?.look(at: progress) }
        }
    }

    private func look(at progress: Progress) {
        let (completed, total) = (progress.completedUnitCount, progress.totalUnitCount)
        state.withLock { state in
            guard !state.isOver, completed != state.told, completed > 0, completed < total else { return }
            state.told = completed
            // The report runs inside the lock, so that none comes after `end`.
            report(completed, total)
        }
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            state.look?.end()
            state.look = nil
        }
    }
}
