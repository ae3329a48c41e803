// XMLTree: an XML document as a tree, for files of Interface Builder.

import Foundation

/// An element. Text between elements is stored unless it is all blanks.
struct XMLElement {
    let name: String
    let attributes: [String: String]
    /// The line, from 1.
    let line: Int
    var children: [XMLElement] = []
    var text = ""

    subscript(attribute: String) -> String? { attributes[attribute] }
    /// Returns the first child of a name.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
    /// Returns the children of the first child of a name.
    func list(_ name: String) -> [XMLElement] { child(name)?.children ?? [] }
}

/// The reader of XML in UTF-8. It refuses a document type, so no entity can stand for a file or for several characters.
///
/// Size, depth and count are bounded.
struct XMLTreeReader {
    struct Fault: Error, Hashable {
        let line: Int
        let message: String
    }

    static let (sizeLimit, depthLimit, elementsLimit, attributesLimit) = (16 << 20, 128, 200_000, 128)

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var count = 0

    static func read(_ bytes: [UInt8]) throws(Fault) -> XMLElement {
        guard bytes.count <= sizeLimit else {
            throw Fault(line: 1, message: "it has \(bytes.count) bytes, and at most \(sizeLimit) are read")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Fault(line: 1, message: "it is no UTF-8") }
        var reader = XMLTreeReader(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
        try reader.skipMisc()
        let root = try reader.element(depth: 0)
        try reader.skipMisc()
        guard reader.position == bytes.count else { throw reader.fault("there is more after the end of the document") }
        return root
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func fault(_ message: String) -> Fault { Fault(line: line, message: message) }
    private func starts(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func advance(_ count: Int) {
        let end = min(position + count, bytes.count)
        line += bytes[position..<end].count { $0 == 0x0A }
        position = end
    }

    private mutating func skipSpace() { while let next = byte, [0x20, 0x09, 0x0A, 0x0D].contains(next) { advance(1) } }

    private mutating func skip(past end: String, _ what: String) throws(Fault) {
        let start = line
        while position < bytes.count {
            if starts(end) { return advance(end.utf8.count) }
            advance(1)
        }
        throw Fault(line: start, message: "\(what) has no end")
    }

    /// Skips blanks, comments and instructions around the root.
    private mutating func skipMisc() throws(Fault) {
        while true {
            skipSpace()
            if starts("<?") {
                try skip(past: "?>", "an instruction")
            } else if starts("<!--") {
                try skip(past: "-->", "a comment")
            } else if starts("<!") {
                throw fault("a document type is not read")
            } else {
                return
            }
        }
    }

    private mutating func element(depth: Int) throws(Fault) -> XMLElement {
        guard depth < Self.depthLimit else { throw fault("elements are nested more than \(Self.depthLimit) deep") }
        count += 1
        guard count <= Self.elementsLimit else { throw fault("it has more than \(Self.elementsLimit) elements") }
        guard byte == UInt8(ascii: "<") else { throw fault("an element is missing") }
        let start = line
        advance(1)
        let name = try self.name()
        let attributes = try self.attributes()
        var element = XMLElement(name: name, attributes: attributes, line: start)
        if starts("/>") {
            advance(2)
            return element
        }
        guard byte == UInt8(ascii: ">") else { throw fault("the tag <\(name)> has no end") }
        advance(1)
        while true {
            let text = try self.text()
            if text.contains(where: { !$0.isWhitespace }) { element.text += text }
            if starts("</") {
                advance(2)
                guard try self.name() == name else { throw fault("<\(name)> of line \(start) is not closed here") }
                skipSpace()
                guard byte == UInt8(ascii: ">") else { throw fault("the tag </\(name)> has no end") }
                advance(1)
                return element
            }
            if starts("<!--") {
                try skip(past: "-->", "a comment")
            } else if starts("<?") {
                try skip(past: "?>", "an instruction")
            } else if starts("<![CDATA[") {
                advance(9)
                let from = position
                try skip(past: "]]>", "a CDATA section")
                element.text += String(decoding: bytes[from..<(position - 3)], as: UTF8.self)
            } else if byte == nil {
                throw Fault(line: start, message: "<\(name)> has no end")
            } else {
                element.children.append(try self.element(depth: depth + 1))
            }
        }
    }

    private mutating func name() throws(Fault) -> String {
        let start = position
        while let next = byte, ![0x20, 0x09, 0x0A, 0x0D].contains(next), !"<>/=\"'&".utf8.contains(next) {
            position += 1
        }
        guard position > start else { throw fault("a name is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func attributes() throws(Fault) -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            guard let next = byte, next != UInt8(ascii: ">"), next != UInt8(ascii: "/") else { return attributes }
            let name = try self.name()
            skipSpace()
            guard byte == UInt8(ascii: "=") else { throw fault("the attribute \(name) has no value") }
            advance(1)
            skipSpace()
            guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw fault("the value of \(name) is not quoted")
            }
            advance(1)
            let start = position
            while let next = byte, next != quote {
                guard next != UInt8(ascii: "<") else { throw fault("the value of \(name) has a <") }
                advance(1)
            }
            guard byte == quote else { throw fault("the value of \(name) has no end") }
            attributes[name] = try replaced(bytes[start..<position])
            advance(1)
            guard attributes.count <= Self.attributesLimit else { throw fault("an element has too many attributes") }
        }
    }

    private mutating func text() throws(Fault) -> String {
        let start = position
        while let next = byte, next != UInt8(ascii: "<") { advance(next == 0x0A ? 1 : 1) }
        return try replaced(bytes[start..<position])
    }

    /// Returns the text with the five entities and numbered characters replaced.
    private func replaced(_ bytes: ArraySlice<UInt8>) throws(Fault) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let sign = rest.firstIndex(of: "&") {
            result += rest[..<sign]
            guard let end = rest[sign...].prefix(12).firstIndex(of: ";") else { throw fault("a & has no ;") }
            let name = rest[rest.index(after: sign)..<end]
            let known: [Substring: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
            if let character = known[name] {
                result.append(character)
            } else if name.hasPrefix("#"),
                let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst()),
                let scalar = Unicode.Scalar(number)
            {
                result.unicodeScalars.append(scalar)
            } else {
                throw fault("&\(name); stands for nothing")
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
