// LoadURL: the address of a load, as patterns see it.

/// A URL in the form that a browser gives it: scheme and host in lower case, a path at least, no fragment.
public struct LoadURL: Sendable, Hashable, CustomStringConvertible {
    /// The bytes of the URL, in ASCII.
    let bytes: [UInt8]
    /// The same in lower case.
    let lowercase: [UInt8]
    public let scheme: String
    /// The host without brackets; empty if the URL has none.
    public let host: String
    /// The port, if the URL names one.
    public let port: Int?

    /// The fault of a text that is no URL.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// The greatest length of a URL in bytes (ours).
    public static let greatestLength = 1 << 16
    /// The greatest length of a host in bytes (RFC 1035).
    private static let greatestHost = 253

    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads a URL.
    ///
    /// - Throws: `Fault` for a text without a scheme, with a character that a browser would encode, of more than 64 KiB,
    ///   or with an invalid host or port.
    public init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.greatestLength else {
            throw Fault(
                description: "the URL has \(text.utf8.count) bytes, and at most \(Self.greatestLength) are allowed")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(description: "\(quoted(text)) has a space or a character that is not ASCII: encode it, as %20")
        }
        let whole = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard let colon = whole.firstIndex(of: UInt8(ascii: ":")), colon > 0, Self.isLetter(whole[0]),
            whole[..<colon].allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) })
        else {
            throw Fault(description: "\(quoted(text)) has no scheme: write https://… before it")
        }
        var bytes = whole[..<colon].map(lowercased)
        scheme = String(decoding: bytes, as: UTF8.self)
        var rest = whole[colon...]
        var (host, port): (String, Int?) = ("", nil)
        if rest.starts(with: "://".utf8) {
            let start = colon + 3
            let end = whole[start...].firstIndex { "/?\\".utf8.contains($0) } ?? whole.count
            var name = whole[start..<end]
            let user = name.lastIndex(of: UInt8(ascii: "@")).map { name[start...$0] } ?? []
            name = name[(start + user.count)...]
            (host, port) = try Self.split(name, text)
            name = name.prefix(upTo: Self.endOfHost(name))
            // A browser writes no standard port, and no leading zeros of another.
            if port == Self.standardPorts[scheme] { port = nil }
            let written = port.map { Array(":\($0)".utf8) } ?? []
            bytes += Array("://".utf8) + user + name.map(lowercased) + written
            rest = whole[end...]
            if ["http", "https", "ws", "wss"].contains(scheme) {
                guard !host.isEmpty else { throw Fault(description: "\(quoted(text)) has no host") }
                if rest.first != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
            }
        }
        bytes += rest
        (self.bytes, self.host, self.port) = (bytes, host, port)
        lowercase = bytes.map(lowercased)
    }

    private static func split(_ name: ArraySlice<UInt8>, _ text: String) throws(Fault) -> (String, Int?) {
        let end = endOfHost(name)
        var host = name[..<end]
        let port = name[end...].dropFirst()
        if name.first == UInt8(ascii: "[") { host = host.dropFirst().dropLast() }
        guard host.count <= greatestHost else {
            throw Fault(description: "the host of \(quoted(text)) has more than \(greatestHost) bytes")
        }
        let number = Int(String(decoding: port, as: UTF8.self))
        guard port.isEmpty || port.allSatisfy(isDigit) && (number.map { (0...65535).contains($0) } ?? false) else {
            throw Fault(description: "\(quoted(text)) has an invalid port")
        }
        return (String(decoding: host.map(lowercased), as: UTF8.self), number)
    }

    private static let standardPorts = ["http": 80, "ws": 80, "https": 443, "wss": 443]

    /// Returns the place of the colon before a port, or the end.
    private static func endOfHost(_ name: ArraySlice<UInt8>) -> Int {
        guard let colon = name.lastIndex(of: UInt8(ascii: ":")),
            name.first != UInt8(ascii: "[") || name.lastIndex(of: UInt8(ascii: "]")).map({ $0 < colon }) ?? false
        else { return name.endIndex }
        return colon
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The URL that `make-https` makes of this one; nil for a scheme or a port that the action leaves alone.
    var upgraded: String? {
        let upgrade = ["http": "https", "ws": "wss"]
        guard let secure = upgrade[scheme], port == nil else { return nil }
        return secure + description.dropFirst(scheme.count)
    }
}

/// A load that a list decides about.
public struct ContentLoad: Sendable, Hashable {
    public let url: LoadURL
    /// The page, which is the document of the top frame.
    public let page: LoadURL
    /// The document of the frame that loads; nil for the top frame.
    public let frame: LoadURL?
    public let type: ResourceType

    /// - Parameters:
    ///   - url: the address.
    ///   - page: the page; nil if the load is itself the page.
    ///   - frame: the document of a child frame; nil for the top frame.
    ///   - type: the kind of the load.
    public init(url: LoadURL, page: LoadURL? = nil, frame: LoadURL? = nil, type: ResourceType) {
        (self.url, self.page, self.frame, self.type) = (url, page ?? url, frame, type)
    }

    /// Makes a load from texts.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - page: the page; nil if the load is itself the page.
    ///   - frame: the document of a child frame; nil for the top frame.
    ///   - type: the kind of the load.
    /// - Throws: `LoadURL.Fault`.
    public init(
        url: String, page: String? = nil, frame: String? = nil, type: ResourceType = .topDocument
    ) throws(LoadURL.Fault) {
        var (pageURL, frameURL): (LoadURL?, LoadURL?)
        if let page { pageURL = try LoadURL(page) }
        if let frame { frameURL = try LoadURL(frame) }
        self.init(url: try LoadURL(url), page: pageURL, frame: frameURL, type: type)
    }
}

extension ResourceType {
    /// The kind of a load by a name of `resource-type`. `document` is that of its frame, and `raw` is `other`.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - inChildFrame: whether the load is in a child frame.
    public init?(name: String, inChildFrame: Bool = false) {
        switch name {
        case "document": self = inChildFrame ? .childDocument : .topDocument
        case "raw": self = .other
        default: self.init(rawValue: name)
        }
    }

    /// The names that `init(name:inChildFrame:)` takes.
    public static var names: [String] { ["document", "raw"] + allCases.map(\.rawValue) }
}
