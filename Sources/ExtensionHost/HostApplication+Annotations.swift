// HostApplication+Annotations: the annotations of extensions, now and after each change.

import ExtensionConnection
public import ExtensionPointKit
import ExtensionProtocol
import PropertyListCoding

extension HostApplication {
    /// Returns the annotations that an extension and its app have set, by name.
    ///
    /// - Throws: `connectionLost`, `versionMismatch` of an older daemon.
    public func annotations(of identifier: String) async throws -> [String: PointValue] {
        try await Self.annotations(of: identifier, channel)
    }

    /// Returns the annotations of an extension, now and after every change.
    ///
    /// A change comes once it is on disk. An annotation that was deleted is absent, also after the removal of its bundle.
    /// The sequence behaves as that of `discover`.
    public func followAnnotations(of identifier: String) -> AsyncThrowingStream<[String: PointValue], any Error> {
        follow(
            changes: { $0.event == EventName.annotationChanged.rawValue && $0.extensionIdentifier == identifier },
            read: { try await Self.annotations(of: identifier, $0) })
    }

    private static func annotations(of identifier: String, _ channel: Channel) async throws -> [String: PointValue] {
        let answer = try await channel.askForPayload(ReadAnnotations(extensionIdentifier: identifier))
        guard let bytes = try answer.payload.bytes() else { return [:] }
        guard let values = try PropertyList(binary: bytes, limits: .payload).dictionary else {
            throw ExtensionHostError(.protocolViolation, "the daemon's annotations are not a dictionary")
        }
        return Dictionary(uniqueKeysWithValues: values.map { ($0, PointValue($1)) })
    }
}
