// DocumentPage: a page of docs/, and the rows of its tables.

import Glibc
import Testing

struct DocumentPage {
    let text: String

    /// `name` is the file's, in `docs`.
    init(_ name: String) throws {
        // This file is Tests/ExtensionProtocolTests/DocumentPage.swift.
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let file = try #require(fopen("\(root)/docs/\(name)", "re"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The cells of each row of the one table that has these columns.
    func rows(of columns: String...) throws -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.cells)
        let start = try #require(lines.firstIndex(of: columns), "no table has the columns \(columns)")
        return lines[(start + 2)...].prefix { !$0.isEmpty }.map { $0 }
    }

    private static func cells(_ line: Substring) -> [String] {
        guard line.hasPrefix("| "), line.hasSuffix(" |") else { return [] }
        var cells: [String] = [""]
        for character in line.dropFirst(2).dropLast(2) {
            if character == "|" { cells.append("") } else { cells[cells.count - 1].append(character) }
        }
        // Blanks stand around the bars between two cells.
        return cells.enumerated().map { index, cell in
            String((index == 0 ? cell[...] : cell.dropFirst()).dropLast(index == cells.count - 1 ? 0 : 1))
        }
    }
}
