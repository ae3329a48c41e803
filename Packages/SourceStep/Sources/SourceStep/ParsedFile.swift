// ParsedFile: one source file and its tree; each file is parsed once.

import SwiftParser
import SwiftSyntax

/// A place in an author's file.
struct Place: Hashable, Comparable {
    var line: Int
    var column: Int

    static func < (left: Place, right: Place) -> Bool { (left.line, left.column) < (right.line, right.column) }
}

final class ParsedFile {
    let path: String
    let bytes: [UInt8]
    let tree: SourceFileSyntax
    /// Whether the author has thought of Linux.
    let knowsLinux: Bool
    private let converter: SourceLocationConverter

    init(path: String, text: String) {
        self.path = path
        bytes = Array(text.utf8)
        tree = Parser.parse(source: text)
        knowsLinux = text.contains("os(Linux)")
        converter = SourceLocationConverter(fileName: path, tree: tree)
    }

    /// Where a node begins, without the blanks and comments in front of it.
    func place(_ node: some SyntaxProtocol) -> Place {
        // Not affected by an author's own #sourceLocation, as an editor counts.
        let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
        return Place(line: location.line, column: location.column)
    }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension SyntaxProtocol {
    /// The bytes of the node, without blanks and comments around it.
    var range: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }
}
