// Table: rows for people.

import ExtensionHostTesting

/// A table with columns as wide as their widest cell, under headings.
struct Table {
    struct Column {
        let heading: String
        var isNumber = false
    }

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    mutating func add(_ cells: String...) { rows.append(cells.map(printable)) }

    /// Returns the table as text, or only `emptyNote` if there are no rows.
    func text(emptyNote: String) -> String {
        guard !rows.isEmpty else { return emptyNote + "\n" }
        let widths = columns.indices.map { column in
            rows.map { $0[column].count }.reduce(columns[column].heading.count, max)
        }
        func line(_ cells: [String]) -> String {
            var line = ""
            for (column, cell) in cells.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += (column == 0 ? "" : "  ") + (columns[column].isNumber ? padding + cell : cell + padding)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
        return Colour.bold(line(columns.map(\.heading))) + "\n" + rows.map { line($0) + "\n" }.joined()
    }
}

extension Table.Column: ExpressibleByStringLiteral {
    init(stringLiteral heading: String) { self.init(heading: heading) }

    static func number(_ heading: String) -> Self { Self(heading: heading, isNumber: true) }
}
