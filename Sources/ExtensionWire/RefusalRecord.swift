// RefusalRecord: the record of an action that the kernel refused a confined extension, for the extension's author.

extension RefusalRecord {
    /// The most refusals that a request's end names: they must fit into a packet.
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

    /// Replaces control characters and cuts the text: it goes to logs and terminals, which an extension must not
    /// control.
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
