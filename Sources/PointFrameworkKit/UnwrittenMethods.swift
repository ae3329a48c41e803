// UnwrittenMethods: methods that an author need not write, and those that he may write in one of two forms.

import ExtensionFoundation
import ExtensionWire
import Foundation
import LinuxDescriptors
import Locks

/// A note that a default body ran.
final class UnwrittenMethod: Sendable {
    /// The note of the call that is being tried.
    @TaskLocal static var current: UnwrittenMethod?
    /// The lines that this process has written, each once.
    private static let reported = Mutex<Set<String>>([])

    private let method = Mutex<String?>(nil)

    func note(_ name: String) { method.withLock { $0 = name } }

    /// Whether the default body ran.
    var isNoted: Bool { method.withLock { $0 != nil } }

    /// Names the method in the extension's log, once.
    func report(_ author: NSObject?) {
        guard let method = method.withLock({ $0 }) else { return }
        let line = "\(author.map { "\(type(of: $0))" } ?? "the extension") has not written \(method)"
        if Self.reported.withLock({ $0.insert(line).inserted }) { StandardStreams.writeError("exthost: \(line)\n") }
    }
}

extension PointSession {
    /// Notes that the author has not written a method. The default body of an optional method calls it.
    ///
    /// Outside of `ifWritten` and `eitherForm` it has no effect.
    ///
    /// - Parameter method: the method, by default the caller.
    public static func notWritten(_ method: String = #function) { UnwrittenMethod.current?.note(method) }

    /// Calls an optional method of the author's.
    ///
    /// The method's default body calls `notWritten()`. The extension's log names an unwritten method once for a process,
    /// because Swift does not call a method that only a subclass of the adopting class has.
    ///
    /// - Parameter body: calls the method.
    /// - Returns: the value of `body`; nil if the author has not written the method.
    @discardableResult
    public func ifWritten<Value>(_ body: () throws -> Value) rethrows -> Value? {
        let note = UnwrittenMethod()
        let value = try UnwrittenMethod.$current.withValue(note, operation: body)
        note.report(principal)
        return note.isNoted ? nil : value
    }

    /// Calls a method of the author's that may be written with a completion handler or as `async`, as Swift imports it
    /// in both forms. If the author has written both, the form with the handler is called.
    ///
    /// - Parameters:
    ///   - method: the name of the form with the handler, for the log.
    ///   - handler: passes the handler to that form. Its default body calls `notWritten()`.
    ///   - async: calls the other form. Its default body calls `notWritten()`, and returns any value.
    /// - Throws: `ExtensionHostError` `notImplemented` if the author has written neither; the errors of
    ///   `completion(of:_:)`, and those of the author.
    public func eitherForm<Value: Sendable>(
        of method: String, handler: @escaping @Sendable (@escaping @Sendable (Value) -> Void) async throws -> Void,
        async: @Sendable () async throws -> Value
    ) async throws -> Value {
        let note = UnwrittenMethod()
        do {
            return try await completion(of: method) { answer in
                try await UnwrittenMethod.$current.withValue(note) { try await handler(answer) }
                if note.isNoted { throw NotWritten() }
            }
        } catch is NotWritten {
            let other = UnwrittenMethod()
            let value = try await UnwrittenMethod.$current.withValue(other) { try await async() }
            guard other.isNoted else { return value }
            note.report(principal)
            throw ExtensionHostError(
                .notImplemented, "\(method) is not written, and neither is its async form", remedy: "Write one of them")
        }
    }

    /// Runs the author's code on a thread of its own, and waits for its end. A fence waits for it.
    ///
    /// - Parameter body: may call methods within `ifWritten` and `eitherForm`.
    /// - Throws: the errors of `body`.
    public func runOnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let note = UnwrittenMethod.current
        return try await withCheckedThrowingContinuation { continuation in
            onThread {
                continuation.resume(with: Result { try UnwrittenMethod.$current.withValue(note, operation: body) })
            }
        }
    }

    private struct NotWritten: Error {}
}
