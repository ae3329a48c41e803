// TranscriptLine: one line of a transcript's file, and its conversion from and to bytes.

public import ExtensionProtocol
import PropertyListCoding

/// A line of a transcript: the header, which is the first, an entry, or the end, which is the last line of a whole
/// transcript.
public enum TranscriptLine: Sendable {
    case header(TranscriptHeader)
    case entry(TranscriptEntry)
    /// The end, with the number of entries before it.
    case end(Int)

    /// The line's bytes with the newline.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(.dictionary(dictionary))
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private var dictionary: PropertyListDictionary {
        switch self {
        case .header(let header):
            var dictionary: PropertyListDictionary = [Self.formatKey: .integer(Int64(header.format))]
            for (key, value) in header.recording.dictionary { dictionary[key] = value }
            return dictionary
        case .entry(let entry):
            guard case .dictionary(let dictionary) = entry.wire else { return [:] }
            return dictionary
        case .end(let count): return [Self.endKey: .integer(Int64(count))]
        }
    }

    private static let formatKey = "transcript"
    private static let endKey = "end"

    /// Reads a line without its newline. The error's text contains neither a path nor a line number.
    public init(_ bytes: ArraySlice<UInt8>) throws(TranscriptLineError) {
        let value: PropertyList
        do {
            value = try JSONReader.read(bytes)
        } catch {
            throw TranscriptLineError("not a line of a transcript: \(error)")
        }
        guard case .dictionary(let dictionary) = value else {
            throw TranscriptLineError("not a line of a transcript: not an object")
        }
        do {
            if let format = dictionary[Self.formatKey]?.integer {
                guard format >= 1, format <= Int64(TranscriptHeader.format) else {
                    throw TranscriptLineError(
                        "the transcript has the format \(format), and this program reads \(TranscriptHeader.format)")
                }
                self = .header(TranscriptHeader(try Recording(dictionary: dictionary), format: Int(format)))
            } else if let count = dictionary[Self.endKey]?.integer {
                self = .end(Int(count))
            } else {
                self = .entry(try TranscriptEntry(Fields(dictionary, of: .named("entry"))))
            }
        } catch let error as TranscriptLineError {
            throw error
        } catch {
            throw TranscriptLineError("not a line of a transcript: \(error)")
        }
    }
}

/// The reason why a line cannot be read.
public struct TranscriptLineError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
