// OutputRingTests: what is kept of an extension's output, and how pieces become lines.

import ExtensionProtocol
import Testing

@testable import ExtensionHostDaemon

@Suite struct OutputRingTests {
    private func entry(_ number: Int, bytes: Int = 0) -> OutputRing.Entry {
        let line = LogLine(
            extensionIdentifier: "e", pid: 1, stream: "stdout", time: 0, bytes: [UInt8](repeating: 120, count: bytes))
        return OutputRing.Entry(number: number, process: 1, line: line)
    }

    @Test func linesAreFoundByTheNumberBeforeThem() {
        var ring = OutputRing(limit: 10_000)
        for number in [3, 5, 9] { ring.append(entry(number)) }
        #expect(ring.entries(after: 0, count: 9).map(\.number) == [3, 5, 9])
        #expect(ring.entries(after: 3, count: 9).map(\.number) == [5, 9])
        #expect(ring.entries(after: 4, count: 1).map(\.number) == [5])
        #expect(ring.entries(after: 9, count: 9).isEmpty)
        #expect(ring.lostThrough == 0)
    }

    @Test func theOldestLinesGoWhenTheLimitIsReachedEmptyOnesIncluded() {
        var ring = OutputRing(limit: 100 * OutputRing.lineCost)
        for number in 1...100_000 { ring.append(entry(number)) }
        #expect(ring.entries(after: 0, count: 1000).map(\.number) == Array(99_901...100_000))
        #expect(ring.lostThrough == 99_900)
        ring.append(entry(100_001, bytes: 1_000_000))
        #expect(ring.entries(after: 0, count: 1000).map(\.number) == [100_001])
    }

    @Test(arguments: 1...5)
    func piecesBecomeTheSameLinesHoweverTheyAreCut(size: Int) {
        let text = Array("one\n\ntwo\nthree".utf8)
        var assembly = LineAssembly()
        var lines: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            assembly.add(Array(text[start..<min(start + size, text.count)])) { lines.append(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(lines == ["one", "", "two"])
        #expect(assembly.end() == Array("three".utf8))
        #expect(assembly.end() == nil)
    }

    @Test func aLineBeyondTheLimitComesInPiecesAndOneOfExactlyItDoesNot() {
        var assembly = LineAssembly()
        var sizes: [Int] = []
        let line = [UInt8](repeating: 120, count: LineAssembly.longestLine)
        assembly.add(line + [10]) { sizes.append($0.count) }
        #expect(sizes == [LineAssembly.longestLine])
        sizes = []
        assembly.add(line + line + [120, 10]) { sizes.append($0.count) }
        #expect(sizes == [LineAssembly.longestLine, LineAssembly.longestLine, 1])
    }
}
