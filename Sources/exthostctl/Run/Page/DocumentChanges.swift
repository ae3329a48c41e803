// DocumentChanges: the difference of two documents, by their tags and texts.

/// The tags and texts that one document has and the other lacks.
struct DocumentChanges: Sendable, Equatable {
    /// The changes in the order of the documents: `- …` is gone, `+ …` is new. At most 200, and each of 200 letters.
    let lines: [String]
    /// The number of the changes.
    let count: Int

    /// The largest number of parts that are compared one by one; above it, all count as changed.
    private static let mostParts = 4000
    private static let mostLines = 200

    init(from before: String, to after: String) {
        var old = Self.parts(of: before)[...]
        var new = Self.parts(of: after)[...]
        while let first = old.first, first == new.first {
            old.removeFirst()
            new.removeFirst()
        }
        while let last = old.last, last == new.last {
            old.removeLast()
            new.removeLast()
        }
        var lines: [String] = []
        if old.count + new.count > Self.mostParts {
            lines = old.map { "- \($0)" } + new.map { "+ \($0)" }
        } else {
            var (gone, added): ([Int: String], [Int: String]) = ([:], [:])
            for change in Array(new).difference(from: Array(old)) {
                switch change {
                case .remove(let offset, let part, _): gone[offset] = String(part)
                case .insert(let offset, let part, _): added[offset] = String(part)
                }
            }
            var (oldPlace, newPlace) = (0, 0)
            while oldPlace < old.count || newPlace < new.count {
                if let part = gone[oldPlace] {
                    lines.append("- \(part)")
                    oldPlace += 1
                } else if let part = added[newPlace] {
                    lines.append("+ \(part)")
                    newPlace += 1
                } else {
                    (oldPlace, newPlace) = (oldPlace + 1, newPlace + 1)
                }
            }
        }
        count = lines.count
        self.lines = lines.prefix(Self.mostLines).map { $0.count > 200 ? $0.prefix(199) + "…" : $0 }
    }

    /// The number of changes, in words.
    var summary: String {
        switch count {
        case 0: "and the document is as before"
        case ...Self.mostLines: "and changed the document"
        default: "and changed the document in \(count) parts; the first \(Self.mostLines) are"
        }
    }

    /// Divides a document at the beginnings and ends of its tags. Blank texts are left out.
    private static func parts(of document: String) -> [Substring] {
        var parts: [Substring] = []
        let bytes = document.utf8
        var start = bytes.startIndex
        var place = start
        func add(_ end: String.Index) {
            if document[start..<end].contains(where: { !$0.isWhitespace }) { parts.append(document[start..<end]) }
            start = end
        }
        while place < bytes.endIndex {
            let next = bytes.index(after: place)
            if bytes[place] == UInt8(ascii: "<") { add(place) }
            if bytes[place] == UInt8(ascii: ">") { add(next) }
            place = next
        }
        add(bytes.endIndex)
        return parts
    }
}
