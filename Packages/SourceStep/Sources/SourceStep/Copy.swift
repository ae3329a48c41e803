// Copy: the text of a rewritten file.

struct Copy {
    let file: ParsedFile
    let edits: [Edit]
    /// Modules that the author's systems bring along.
    let imports: [String]
    let table: String?

    /// Nil if nothing has to be changed.
    ///
    /// The author's text keeps its lines by `#sourceLocation`: a compiler's message names the original. The imports
    /// stand in front of it, so that no `#if` around the author's imports hides them.
    var text: String? {
        guard !edits.isEmpty || !imports.isEmpty || table != nil else { return nil }
        let location = Self.location(file.path, line: 1)
        var text = location
        if !imports.isEmpty { text += imports.map { "import \($0)\n" }.joined() + location }
        let own = edits.applied(to: file.bytes)
        // A byte order mark may stand at the start of a file only.
        text += String(decoding: own.starts(with: [0xEF, 0xBB, 0xBF]) ? own.dropFirst(3) : own[...], as: UTF8.self)
        guard let table else { return text }
        // The table has a file name of its own: its lines are not the author's.
        if !text.hasSuffix("\n") { text += "\n" }
        return text + Self.location(file.path + " (methods)", line: 1) + table
    }

    /// The line after which the compiler counts from that line of that file.
    static func location(_ path: String, line: Int) -> String {
        "#sourceLocation(file: \"\(escaped(path))\", line: \(line))\n"
    }

    private static func escaped(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
