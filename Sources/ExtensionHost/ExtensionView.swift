// ExtensionView: the view of a request's extension, as its host shows it and a person uses it.

import ExtensionConnection
public import ExtensionProtocol
import Foundation
import Locks
import PropertyListCoding

/// What a person does with an extension's view.
public enum ViewAction: Sendable, Hashable {
    /// Replaces all of the text, of the sheet or, with a name, of another one.
    case setText(String, in: String? = nil)
    /// Taps a button, an option, a row or an alert's answer, by its name or title.
    case tap(String)
    /// Post and Cancel, of a sheet or of a view with such buttons.
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
    /// The view as the extension showed it last; nil before it has shown one, and where there is none.
    public var view: ViewElement? { shown.current }

    /// The view now, if there is one, and after every change; ends with the request. A slow reader gets the newest only.
    public var views: AsyncStream<ViewElement> { shown.stream() }

    /// Waits for a view that is as asked, also one that is shown already; nil when the request ends without.
    public func view(where isWanted: @Sendable (ViewElement) -> Bool) async -> ViewElement? {
        for await view in views where isWanted(view) { return view }
        return nil
    }

    /// Does what a person would do, waits until the extension's code has dealt with it and returns the view after it; nil when the
    /// request has ended by it.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument`: there is nothing of that name; `notPermitted`: it is disabled; `notSimulated`: the
    ///   extension's kit has no views; `noSuchRequest`, `connectionLost`.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        do {
            guard let (sequence, view) = try await useAction(action.message(identifier)) else { return nil }
            shown.show(view, sequence)
            return view
        } catch let error as ExtensionHostError where error.code == .contextFinished {
            return nil
        }
    }
}

/// The newest view of a request, and who waits for the next.
final class ShownView: Sendable {
    private struct State {
        var view: ViewElement?
        var sequence = 0
        var hasEnded = false
        var readers: [UUID: AsyncStream<ViewElement>.Continuation] = [:]
    }

    private let state = Mutex(State())

    var current: ViewElement? { state.withLock { $0.view } }

    /// An older one than is there changes nothing.
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
        continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.readers.removeValue(forKey: key) } }
        return stream
    }
}

extension Channel {
    /// Asks an extension to do what a person did, and reads its view.
    func use(_ message: UseView) async throws -> (Int, ViewElement)? {
        let (answer, payload) = try await askForPayload(message)
        guard let bytes = try payload.bytes() else { return nil }
        return (answer.sequence, try ViewElement(plist: PropertyList(binary: bytes, limits: .payload)))
    }
}
