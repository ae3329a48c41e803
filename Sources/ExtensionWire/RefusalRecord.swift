// RefusalRecord: something that a confined extension was refused, for its author.

extension RefusalRecord {
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
}

extension RefusalRecord: CustomStringConvertible {
    /// `seccomp refused socket (AF_INET SOCK_STREAM): …`, in one line.
    public var description: String {
        let subject = about.isEmpty ? "" : " (\(about))"
        let way = allowance.map { "allowed by \($0) in \(Entitlements.fileName)" } ?? remedy
        return "\(layer) refused \(call)\(subject): \(way)"
    }
}
