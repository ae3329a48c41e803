// Copy: the text of a rewritten file.

struct Copy {
    let file: ParsedFile
    let edits: [Edit]
    let importsKit: Bool
    let table: String?

    /// Nil if nothing has to be changed.
    ///
    /// The author's text keeps its lines by `#sourceLocation`: a compiler's message names the original. The import
    /// stands in front of it, so that no `#if` around the author's imports hides it.
    var text: String? {
        guard !edits.isEmpty || importsKit || table != nil else { return nil }
        let location = "#sourceLocation(file: \"\(Self.escaped(file.path))\", line: 1)\n"
        var text = location
        if importsKit { text += "import \(Imports.kit)\n" + location }
        text += String(decoding: edits.applied(to: file.bytes), as: UTF8.self)
        guard let table else { return text }
        // What follows is nobody's: not the author's lines.
        if !text.hasSuffix("\n") { text += "\n" }
        return text + "#sourceLocation(file: \"\(Self.escaped(file.path)) (methods)\", line: 1)\n" + table
    }

    private static func escaped(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
