// ExtensionOverrides: overrides that stand in an extension, moved to the end of their class.

/// Without Objective-C an extension cannot override. If the class is declared in the same file, its body gets the text,
/// with the lines and columns that it has in the extension; private members stay in reach.
struct ExtensionOverrides {
    /// The overrides that stay where they are.
    private(set) var left: [Place] = []
    static let leftMessage = "an extension overrides something, and its class is declared in another file or #if"
    private let file: ParsedFile
    private var moves: [(member: TypeBlock.Override, brace: (offset: Int, place: Place))] = []

    init(_ scan: FileScan) {
        file = scan.file
        for block in scan.blocks {
            let classes = scan.blocks.filter { $0.kind == .class && $0.path == block.path }
            for member in block.overrides {
                if let brace = classes.first(where: { $0.conditions == member.conditions })?.closingBrace {
                    moves.append((member, brace))
                } else {
                    left.append(member.place)
                }
            }
        }
    }

    /// The edits of a file with those that move members: a member takes the edits within it along.
    func moved(_ edits: [Edit]) -> [Edit] {
        var edits = edits
        var insertions: [Int: String] = [:]
        for (member, brace) in moves {
            let inner = edits.filter { member.range.contains($0.range.lowerBound) }
            edits.removeAll { member.range.contains($0.range.lowerBound) }
            let start = member.range.lowerBound
            let shifted = inner.map { edit in
                Edit(range: edit.range.lowerBound - start..<edit.range.upperBound - start, text: edit.text)
            }
            let text = shifted.applied(to: Array(file.bytes[member.range]))
            insertions[brace.offset, default: ""] += line(member.place) + String(decoding: text, as: UTF8.self)
            edits.append(.blank(member.range, in: file.bytes))
        }
        for (_, brace) in moves {
            guard let text = insertions.removeValue(forKey: brace.offset) else { continue }
            edits.append(.insert(text + line(brace.place), at: brace.offset))
        }
        return edits
    }

    /// The directive that gives the lines after it this place.
    private func line(_ place: Place) -> String {
        "\n" + Copy.location(file.path, line: place.line) + String(repeating: " ", count: place.column - 1)
    }
}
