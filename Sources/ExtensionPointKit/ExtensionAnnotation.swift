// ExtensionAnnotation: values that the daemon stores for an extension, set by its process or by its app's.

package import ExtensionConnection
public import ExtensionWire
import Glibc
import LinuxDescriptors
import Locks
import PropertyListCoding

/// The annotations of extensions: named values that outlive processes and the daemon, and that each host may read.
///
/// An extension and its containing app may set them. The removal of the extension's bundle deletes them.
public enum ExtensionAnnotation {
    /// Sends a setting. If that fails, it returns a function that tells the author.
    private typealias Sending = @Sendable (Channel) -> (@Sendable () -> Void)?

    private struct State {
        var channel: Channel?
        /// The settings that wait for the connection.
        var waiting: [Sending] = []
    }

    private static let state = Mutex(State())
    private static let waitingLimit = 64

    /// Names the process's connection to the daemon. The kit calls it once.
    package static func connect(_ channel: Channel) {
        // Later settings wait for the lock, so the order stays.
        let failed = state.withLock { state in
            state.channel = channel
            defer { state.waiting = [] }
            return state.waiting.compactMap { $0(channel) }
        }
        for tell in failed { tell() }
    }

    /// Sets an annotation, or deletes it. Settings act in the order of these invocations. Safe to call from any thread.
    ///
    /// - Parameters:
    ///   - value: the value, at most 16 KiB as a property list; nil to delete it.
    ///   - name: the name, of 1 to 64 letters, digits, hyphens and dots.
    ///   - identifier: the extension: the calling one, or one of the same app.
    ///   - completion: called once, on any thread: with nil when the value is on disk, or with `notPermitted` for
    ///     another app's extension, `payloadTooLarge`, `quotaExceeded` beyond 16 annotations, `invalidArgument`,
    ///     `stateUnavailable`, `connectionLost`, or `noDaemon` in a process that no daemon launched. By default an error
    ///     is one line on standard error.
    public static func set<Value: Encodable>(
        _ value: Value?, named name: String, of identifier: String,
        completion: @escaping @Sendable (ExtensionHostError?) -> Void = report
    ) {
        let payload: Payload
        do {
            payload = try value.map { try Payload(try PointEncoder.encode($0).plist.encodeBinary()) } ?? .none
        } catch {
            return completion(
                ExtensionHostError(.invalidArgument, "the annotation \(name) cannot be encoded", cause: "\(error)"))
        }
        let message = Annotate(extensionIdentifier: identifier, name: name)
        let sending: Sending = { channel in
            do throws(ExtensionHostError) {
                try channel.request(message, payload: payload) { answer in
                    if case .failure(let error) = answer { completion(error) } else { completion(nil) }
                }
                return nil
            } catch {
                return { completion(error) }
            }
        }
        // The lock is held while sending, so that settings keep their order. The author's code runs without it.
        let failed: (@Sendable () -> Void)? = state.withLock { state in
            if let channel = state.channel { return sending(channel) }
            guard isLaunched, state.waiting.count < waitingLimit else { return { completion(noDaemon) } }
            state.waiting.append(sending)
            return nil
        }
        failed?()
    }

    private static let noDaemon = ExtensionHostError(
        .noDaemon, "no daemon launched this process, so it cannot annotate an extension",
        remedy: "Open the app with exthostctl app")

    /// Whether a daemon launched this process.
    private static var isLaunched: Bool { getenv("EXTHOST_APP_FD") != nil || getenv("EXTHOST_EXTENSION_FD") != nil }

    /// Writes an error as one line on standard error.
    public static let report: @Sendable (ExtensionHostError?) -> Void = { error in
        if let error { StandardStreams.writeError("exthost: \(error)\n") }
    }
}
