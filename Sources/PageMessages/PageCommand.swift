// PageCommand: the questions and answers between a host and its page host, and their form on the socket.

internal import ExtensionPointKit
internal import PropertyListCoding

/// A question of a host. Questions are answered one after the other, in their order.
package enum PageCommand: Codable, Sendable, Equatable {
    /// Shows a page. The answer is `done`.
    case load(PageSource)
    /// Evaluates an extension's file and calls `run`. The limit counts in seconds. The answer is `ending`.
    case run(PageScript, limit: Double)
    /// Calls `finalize` of the file that has run. The arguments are a `PageValueText`. The answer is `ending`.
    case finalize(arguments: String, limit: Double)
    /// Evaluates a text in the page's world. The answer is `text`.
    case evaluate(PageScript)
    /// Asks for the document. The answer is `text`.
    case dom
    /// Asks for the engine's abilities. The answer is `facts`.
    case facts
}

/// An answer of a page host.
package enum PageAnswer: Codable, Sendable, Equatable {
    case done(failedLoads: Int)
    case ending(PageScriptEnding, failedLoads: Int)
    case text(String?, failedLoads: Int)
    case facts(PageFacts)
    case fault(PageFault)
}

/// The end of a function of an extension's script.
package enum PageScriptEnding: Codable, Sendable, Equatable {
    /// `run` passed these results, as a `PageValueText`.
    case results(String)
    /// `finalize` has run.
    case finalized
    /// There is no object `ExtensionPreprocessingJS`.
    case noObject
    /// The object has no function of that name.
    case noFunction(String)
    /// The results are no property list, for the given reason.
    case refused(String)
    /// The function did not end, or did not call `completionFunction`, within the limit.
    case silent
}

/// A length of four bytes, the least significant first, and a binary property list.
package enum PageFrame {
    /// The number of bytes of a length.
    package static let header = 4
    /// The largest property list, in bytes: the longest text in UTF-16, and what is around it.
    package static let most = PageBounds.text * 2 + (1 << 20)

    private static let limits = PropertyListLimits(
        bytes: most, objects: 4096, depth: 16, expandedNodes: 4096, expandedBytes: most)

    /// Encodes a message.
    ///
    /// - Throws: errors of the encoder.
    package static func encode(_ message: some Encodable) throws -> [UInt8] {
        let list = try PointEncoder.encode(message).plist.encodeBinary()
        let length = UInt32(list.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + list
    }

    /// Returns the length that a header announces; nil if it is above `most`.
    package static func length(_ header: [UInt8]) -> Int? {
        let length = header.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return length <= most ? length : nil
    }

    /// Decodes a message.
    ///
    /// - Throws: `PropertyListError`, `DecodingError`.
    package static func decode<Message: Decodable>(_ type: Message.Type, from list: [UInt8]) throws -> Message {
        let plist = try PropertyList(binary: list, limits: limits)
        return try PointDecoder.decode(type, from: EncodedValue(plist: plist, descriptors: []))
    }
}
