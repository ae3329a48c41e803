// ExtensionView: the view of a request's extension, as its host shows it and a person uses it.

import ExtensionConnection
public import ExtensionProtocol
import Foundation
import Locks
import PropertyListCoding

/// A person's action on an extension's view.
public enum ViewAction: Sendable, Hashable {
    /// Replaces all of the text, of the sheet or, with a name, of another element.
    case setText(String, in: String? = nil)
    /// Taps a button, an option, a row or an alert's answer, by its name or title.
    case tap(String)
    /// Taps Post or Cancel, of a sheet or of a view with such buttons.
    case post, cancel

    func message(_ request: RequestIdentifier) -> UseView {
        switch self {
        case .setText(let text, let name): UseView(request: request, action: "setText", name: name, text: text)
        case .tap(let name): UseView(request: request, action: "tap", name: name)
        case .post: UseView(request: request, action: "post")
        case .cancel: UseView(request: request, action: "cancel")
        }
    }
}

extension ExtensionRequest {
    /// The extension's last view; nil before the first one, and if there is none.
    public var view: ViewElement? { shown.current }

    /// The view now, if there is one, and after every change; ends with the request.
    ///
    /// A slow reader gets only the newest.
    public var views: AsyncStream<ViewElement> { shown.stream() }

    /// Waits for a view that satisfies `isWanted`, even one that is shown already; nil if the request ends first.
    public func view(where isWanted: @Sendable (ViewElement) -> Bool) async -> ViewElement? {
        for await view in views where isWanted(view) { return view }
        return nil
    }

    /// Performs a person's action, waits until the extension's code has handled it, and returns the resulting view.
    ///
    /// Returns nil if the action has ended the request.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument`: no element has that name; `notPermitted`: it is disabled;
    ///   `notSimulated`: the extension's kit has no views; `noSuchRequest`, `connectionLost`.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        noteAction()
        do {
            guard let (sequence, view) = try await useAction(action.message(identifier)) else { return nil }
            shown.show(view, sequence)
            return view
        } catch let error as ExtensionHostError where error.code == .contextFinished {
            return nil
        } catch let error as ExtensionHostError where [.invalidArgument, .notPermitted].contains(error.code) {
            noteAction(-1)
            throw error
        }
    }
}

/// The newest view of a request, and the readers that wait for the next.
final class ShownView: Sendable {
    private struct State {
        var view: ViewElement?
        var sequence = 0
        var hasEnded = false
        var readers: [UUID: AsyncStream<ViewElement>.Continuation] = [:]
    }

    private let state = Mutex(State())

    var current: ViewElement? { state.withLock { $0.view } }

    /// Shows a view; ignores one that is older than the current.
    func show(_ view: ViewElement, _ sequence: Int) {
        state.withLock { state in
            guard sequence > state.sequence, !state.hasEnded else { return }
            (state.view, state.sequence) = (view, sequence)
            for reader in state.readers.values { reader.yield(view) }
        }
    }

    func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            defer { state.readers = [:] }
            return state.readers.values
        }
        for reader in readers { reader.finish() }
    }

    func stream() -> AsyncStream<ViewElement> {
        let (stream, continuation) = AsyncStream<ViewElement>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let key = UUID()
        let hasEnded = state.withLock { state in
            if let view = state.view { continuation.yield(view) }
            if !state.hasEnded { state.readers[key] = continuation }
            return state.hasEnded
        }
        if hasEnded { continuation.finish() }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.readers.removeValue(forKey: key) }
        }
        return stream
    }
}

extension Channel {
    /// Performs an action in an extension, and reads the resulting view.
    func use(_ message: UseView) async throws -> (Int, ViewElement)? {
        let (answer, payload) = try await askForPayload(message)
        guard let bytes = try payload.bytes() else { return nil }
        return (answer.sequence, try ViewElement(plist: PropertyList(binary: bytes, limits: .payload)))
    }
}
