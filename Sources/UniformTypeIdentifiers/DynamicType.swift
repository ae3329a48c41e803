// DynamicType: the name `dyn.a…` of an undeclared type, which encodes what the type was made from.

/// The content of a `dyn.a…` identifier.
///
/// Behind the prefix is a line such as `?0=6:1=md`, with five bits in each letter. Its fields `class=value` are
/// separated by `:`; `0` is the supertype, `1` a filename extension and `3` a MIME type. Other tag classes are written
/// out, and common supertypes have a one-letter short form. A `\` precedes a `:`, `=` or `\` that belongs to a value.
/// Names seen on Apple's systems have this form. The two sides may differ beyond the fields above.
struct DynamicType {
    /// The supertype's identifier in lower case.
    let supertype: String?
    let tagClass: UTTagClass
    /// The tag, normalized by its class.
    let tag: String

    static let prefix = "dyn.a"
    private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)
    private static let shortSupertypes = [
        "6": "public.data", "7": "public.text", "8": "public.plain-text", "b": "public.image", "c": "public.video",
        "d": "public.audio", "e": "public.directory", "f": "public.folder",
    ]
    /// The maximum length of a name. Longer ones are refused unread, because names come from foreign processes.
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

    private static func letter(of bits: UInt32) -> UInt8 { alphabet[Int(bits & 31)] }

    private static func encode(_ line: String) -> String {
        var letters: [UInt8] = []
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in line.utf8 {
            pending = (pending << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                letters.append(letter(of: pending >> bits))
            }
        }
        if bits > 0 { letters.append(letter(of: pending << (5 - bits))) }
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
