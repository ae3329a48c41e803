// ExtensionAnnotation: values that the daemon stores for an extension, set by its process or by its app's.

import ExtensionConnection
public import ExtensionWire
import LinuxDescriptors
import PropertyListCoding

/// The annotations of extensions: named values that outlive processes and the daemon, and that each host may read.
///
/// An extension and its containing app may set them. The removal of the extension's bundle deletes them.
public enum ExtensionAnnotation {
    /// Sets an annotation, or deletes it. Settings act in the order of these invocations. Safe to call from any thread.
    ///
    /// - Parameters:
    ///   - value: the value, at most 16 KiB as a property list; nil to delete it.
    ///   - name: the name, of 1 to 64 letters, digits, hyphens and dots, and no dot at the beginning.
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
        let isSent = ProcessChannel.use { channel in
            do throws(ExtensionHostError) {
                try channel.request(message, payload: payload) { answer in
                    if case .failure(let error) = answer { completion(error) } else { completion(nil) }
                }
                return nil
            } catch {
                return { completion(error) }
            }
        }
        if !isSent { completion(noDaemon) }
    }

    private static let noDaemon = ExtensionHostError(
        .noDaemon, "no daemon launched this process, so it cannot annotate an extension",
        remedy: "Open the app with exthostctl app")

    /// Writes an error as one line on standard error.
    public static let report: @Sendable (ExtensionHostError?) -> Void = { error in
        if let error { StandardStreams.writeError("exthost: \(error)\n") }
    }
}
