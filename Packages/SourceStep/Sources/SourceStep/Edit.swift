// Edit: a change of a file's bytes that keeps its lines, and where it can its columns.

/// Replaces a range of bytes.
struct Edit: Equatable {
    let range: Range<Int>
    let text: [UInt8]

    /// Blanks for what is dropped. Line ends stay.
    static func blank(_ range: Range<Int>, in bytes: [UInt8]) -> Edit {
        Edit(range: range, text: bytes[range].map { isLineEnd($0) ? $0 : blank })
    }

    /// A text, with blanks up to the width of what was there; the line ends in it follow.
    static func replace(_ range: Range<Int>, in bytes: [UInt8], with text: String) -> Edit {
        let old = bytes[range]
        var new = Array(text.utf8)
        guard let lineEnd = old.firstIndex(where: isLineEnd) else {
            if new.count < old.count { new += repeatElement(blank, count: old.count - new.count) }
            return Edit(range: range, text: new)
        }
        // The text after it on the last line keeps its column.
        new += old[lineEnd...].map { isLineEnd($0) ? $0 : blank }
        return Edit(range: range, text: new)
    }

    static func insert(_ text: String, at offset: Int) -> Edit { Edit(range: offset..<offset, text: Array(text.utf8)) }

    private static let blank = UInt8(ascii: " ")

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

extension Array<Edit> {
    /// The bytes with all edits made. Of two that overlap the outer one counts.
    func applied(to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 256)
        var end = 0
        for edit in sorted(by: Self.comesFirst) where edit.range.lowerBound >= end {
            result += bytes[end..<edit.range.lowerBound]
            result += edit.text
            end = edit.range.upperBound
        }
        return result + bytes[end...]
    }

    /// By their starts; what is inserted stands before what replaces, and the wider range before the narrower.
    private static func comesFirst(_ left: Edit, _ right: Edit) -> Bool {
        let (one, other) = (left.range, right.range)
        if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
        if one.isEmpty != other.isEmpty { return one.isEmpty }
        return one.upperBound > other.upperBound
    }
}
