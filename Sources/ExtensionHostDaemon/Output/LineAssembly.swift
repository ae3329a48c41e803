// LineAssembly: pieces of output into lines; pure.

/// What one stream of one process has written since its last newline.
struct LineAssembly: Sendable {
    /// A line beyond this comes in pieces: a batch of lines must fit into a packet.
    static let longestLine = 8192

    private var rest: [UInt8] = []

    /// Adds what was read and hands out every line that it finishes, without the newline.
    mutating func add(_ bytes: [UInt8], _ line: ([UInt8]) -> Void) {
        var next = bytes[...]
        while !next.isEmpty {
            let room = Self.longestLine - rest.count
            let window = next.prefix(room + 1)
            if let end = window.firstIndex(of: UInt8(ascii: "\n")) {
                line(rest + next[..<end])
                rest = []
                next = next[(end + 1)...]
            } else if window.count > room {
                line(rest + next.prefix(room))
                rest = []
                next = next.dropFirst(room)
            } else {
                rest += next
                return
            }
        }
    }

    /// The end of the stream: what has no newline is a line, too.
    mutating func end() -> [UInt8]? {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
    }
}
