// OutputRingTests: what is kept of an extension's output, and how pieces become lines.

import ExtensionProtocol
import Testing

@testable import ExtensionHostDaemon

@Suite struct OutputRingTests {
    private static let origin = LogLine(extensionIdentifier: "e", pid: 1, stream: "stdout", time: 0, bytes: [])

    private func append(_ text: String, as number: Int, to ring: inout OutputRing, count: Int = 1) {
        ring.append(
            LineAssembly.Lines(bytes: Array(text.utf8), count: count), from: Self.origin, of: 1, after: number - 1)
    }

    @Test func linesAreFoundByTheNumberBeforeThem() {
        var ring = OutputRing(limit: 10_000)
        for number in [3, 5, 9] { append("", as: number, to: &ring) }
        #expect(ring.entries(after: 0, count: 9).map(\.number) == [3, 5, 9])
        #expect(ring.entries(after: 3, count: 9).map(\.number) == [5, 9])
        #expect(ring.entries(after: 4, count: 1).map(\.number) == [5])
        #expect(ring.entries(after: 9, count: 9).isEmpty)
        #expect(ring.lostThrough == 0)
    }

    @Test func theOldestLinesGoWhenTheLimitIsReachedEmptyOnesIncluded() {
        var ring = OutputRing(limit: 100 * OutputRing.lineCost)
        for number in 1...100_000 { append("", as: number, to: &ring) }
        #expect(ring.entries(after: 0, count: 1000).map(\.number) == Array(99_901...100_000))
        #expect(ring.lostThrough == 99_900)
        append(String(repeating: "x", count: 1_000_000), as: 100_001, to: &ring)
        #expect(ring.entries(after: 0, count: 1000).map(\.number) == [100_001])
    }

    @Test func linesThatWereReadTogetherAreFoundOneByOneAndGoTogether() {
        var ring = OutputRing(limit: 200)
        append("one\n\ntwo", as: 1, to: &ring, count: 3)
        append("three", as: 4, to: &ring)
        func texts(after number: Int, count: Int = 9) -> [String] {
            ring.entries(after: number, count: count).map {
                "\($0.number) \(String(decoding: $0.line.bytes, as: UTF8.self))"
            }
        }
        #expect(texts(after: 0) == ["1 one", "2 ", "3 two", "4 three"])
        #expect(texts(after: 2) == ["3 two", "4 three"])
        #expect(texts(after: 1, count: 1) == ["2 "])
        append(String(repeating: "x", count: 64), as: 5, to: &ring)
        #expect(ring.lostThrough == 3)
        #expect(texts(after: 0, count: 1) == ["4 three"])
    }

    private func texts(_ lines: LineAssembly.Lines) -> [String] {
        var found: [String] = []
        lines.each { bytes in
            found.append(String(decoding: bytes, as: UTF8.self))
            return true
        }
        #expect(found.count == lines.count)
        return found
    }

    @Test(arguments: 1...5)
    func piecesBecomeTheSameLinesHoweverTheyAreCut(size: Int) {
        let text = Array("one\n\ntwo\nthree".utf8)
        var assembly = LineAssembly()
        var lines: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            assembly.add(Array(text[start..<min(start + size, text.count)])) { lines += texts($0) }
        }
        #expect(lines == ["one", "", "two"])
        #expect(assembly.end().map(texts) == ["three"])
        #expect(assembly.end() == nil)
    }

    @Test func aLineBeyondTheLimitComesInPiecesAndOneOfExactlyItDoesNot() {
        var assembly = LineAssembly()
        var sizes: [Int] = []
        let line = [UInt8](repeating: 120, count: LineAssembly.longestLine)
        assembly.add(line + [10]) { sizes += texts($0).map(\.utf8.count) }
        #expect(sizes == [LineAssembly.longestLine])
        sizes = []
        assembly.add([120, 10] + line + line + [120, 10]) { sizes += texts($0).map(\.utf8.count) }
        #expect(sizes == [1, LineAssembly.longestLine, LineAssembly.longestLine, 1])
    }

    /// An extension may print nothing but newlines: a turn of them must not cost what as many lines do.
    @Test func newlinesThatAreReadTogetherAreHandedOutTogether() {
        var assembly = LineAssembly()
        var counts: [Int] = []
        assembly.add([UInt8](repeating: 10, count: 16 * 1024)) { counts.append($0.count) }
        #expect(counts == [Int](repeating: LineAssembly.mostTogether, count: 16 * 1024 / LineAssembly.mostTogether))
    }
}
