// DynamicType: the name of a type nobody declared: `dyn.a…`, which says by itself what it was made from.

/// What a `dyn.a…` identifier says.
///
/// Behind the prefix stands, five bits to a letter, a line such as `?0=6:1=md`: fields `class=value` divided by `:`, where
/// `0` is the supertype, `1` a filename extension and `3` a MIME type. Other tag classes are written out; common supertypes
/// have a one-letter short form. `\` stands before a `:`, `=` or `\` that belongs to a value. Names seen on Apple's systems
/// have this form; that the two sides agree beyond the fields above is not promised.
struct DynamicType {
    /// Lower-case identifier.
    let supertype: String?
    let tagClass: UTTagClass
    /// Normalized by its class.
    let tag: String

    static let prefix = "dyn.a"
    private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)
    private static let shortSupertypes = [
        "6": "public.data", "7": "public.text", "8": "public.plain-text", "b": "public.image", "c": "public.video",
        "d": "public.audio", "e": "public.directory", "f": "public.folder",
    ]
    /// Longer names are refused unread: they come from strangers.
    private static let longestIdentifier = 2048

    init(supertype: String?, tagClass: UTTagClass, tag: String) {
        self.supertype = supertype
        self.tagClass = tagClass
        self.tag = tag
    }

    init?(identifier: String) {
        let bytes = identifier.utf8
        guard bytes.count <= Self.longestIdentifier, identifier.hasPrefix(Self.prefix),
            let line = Self.decode(bytes.dropFirst(Self.prefix.utf8.count)), line.first == "?"
        else { return nil }
        var supertype: String?
        var tag: (UTTagClass, String)?
        for field in Self.fields(of: line.dropFirst()) {
            switch (field.key, tag) {
            case ("0", _): supertype = Self.shortSupertypes[field.value] ?? field.value.lowercased()
            case ("1", nil): tag = (.filenameExtension, field.value)
            case ("3", nil): tag = (.mimeType, field.value)
            case (let name, nil): tag = (UTTagClass(rawValue: name), field.value)
            default: break  // a second tag, as other systems may write: the first is the preferred one
            }
        }
        guard let tag, let normalized = tag.0.normalized(tag.1) else { return nil }
        self.init(supertype: supertype, tagClass: tag.0, tag: normalized)
    }

    var identifier: String {
        var line = "?"
        if let supertype {
            let short = Self.shortSupertypes.first { $0.value == supertype }?.key
            line += "0=" + (short ?? Self.escape(supertype)) + ":"
        }
        switch tagClass {
        case .filenameExtension: line += "1="
        case .mimeType: line += "3="
        default: line += Self.escape(tagClass.rawValue) + "="
        }
        return Self.prefix + Self.encode(line + Self.escape(tag))
    }

    private static func escape(_ value: String) -> String {
        value.reduce(into: "") { result, character in
            if ":=\\".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    private static func fields(of line: Substring) -> [(key: String, value: String)] {
        var fields: [(key: String, value: String)] = []
        var key: String?
        var text = ""
        var escaped = false
        func close() { if let key { fields.append((key, text)) } }
        for character in line {
            switch (character, escaped) {
            case ("\\", false):
                escaped = true
                continue
            case ("=", false) where key == nil:
                key = text
                text = ""
            case (":", false):
                close()
                key = nil
                text = ""
            default: text.append(character)
            }
            escaped = false
        }
        close()
        return fields
    }

    private static func encode(_ line: String) -> String {
        var letters: [UInt8] = []
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in line.utf8 {
            pending = (pending << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                letters.append(alphabet[Int(pending >> bits & 31)])
            }
        }
        if bits > 0 { letters.append(alphabet[Int(pending << (5 - bits) & 31)]) }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func decode(_ letters: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for letter in letters {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            pending = (pending << 5 | UInt32(value)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
