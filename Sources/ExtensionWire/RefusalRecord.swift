// RefusalRecord: something that a confined extension was refused, for its author.

/// What was refused, by which layer of its confinement, and what would allow it or helps instead. The same is told once of a process.
public struct RefusalRecord: Sendable, Hashable, WireStructure {
    /// `namespaces`, `landlock` or `seccomp`.
    public var layer: String
    /// What kind of thing: `file`, `network`, `mount` … (docs/confinement.md, section 4).
    public var kind: String
    /// The system call, as its man page names it.
    public var call: String
    /// A path, the family and type of a socket, flags: the extension's word, cut to 200 bytes; empty where the call says it all.
    public var about: String
    /// The line of the bundle's `Entitlements.plist` that would allow it; nil where none does.
    public var allowance: String?
    /// What its author can do.
    public var remedy: String

    /// Those that a request's end names: it must fit into a packet.
    public static let shown = 16
    private static let longest = 200

    public init(layer: String, kind: String, call: String, about: String, allowance: String? = nil, remedy: String) {
        self.layer = layer
        self.kind = kind
        self.call = call
        self.about = Self.plain(about)
        self.allowance = allowance.map(Self.plain)
        self.remedy = remedy
    }

    /// It goes to logs and terminals, which are not an extension's to steer.
    private static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.lazy.map { $0.properties.generalCategory == .control ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars)).cut(toBytes: longest)
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        layer = try fields.value(.layer)
        kind = try fields.value(.kind)
        call = try fields.value(.call)
        about = try fields.value(.about)
        allowance = try fields.optional(.allowance)
        remedy = try fields.value(.remedy)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.layer, layer)
        fields.set(.kind, kind)
        fields.set(.call, call)
        fields.set(.about, about)
        fields.set(.allowance, allowance)
        fields.set(.remedy, remedy)
    }
}

extension RefusalRecord: CustomStringConvertible {
    /// `seccomp refused socket (AF_INET SOCK_STREAM): …`, in one line.
    public var description: String {
        let subject = about.isEmpty ? "" : " (\(about))"
        let way = allowance.map { "allowed by \($0) in \(Entitlements.fileName)" } ?? remedy
        return "\(layer) refused \(call)\(subject): \(way)"
    }
}
