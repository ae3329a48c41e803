// AnnotationMessages: values that the daemon stores for an extension (kinds 0x027x).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Sets an annotation of an extension. The daemon stores it until the last copy of the extension goes. The extension
/// itself and its containing app may set it, and each host may read it.
///
/// Extension → daemon; app → daemon; answered by `success` when it is stored on disk. Payload: the value, a property
/// list of at most 16 KiB. None: the daemon deletes the annotation.
public struct Annotate: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.annotate
    public var extensionIdentifier: String
    /// The name of the annotation, of 1 to 64 letters, digits, hyphens and dots, and no dot at the beginning.
    public var name: String

    public init(extensionIdentifier: String, name: String) {
        self.extensionIdentifier = extensionIdentifier
        self.name = name
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        name = try fields.value(.name)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.name, name)
    }
}
