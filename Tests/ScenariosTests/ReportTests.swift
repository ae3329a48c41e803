// ReportTests: results as TAP and as JUnit's XML, with the worst that a stranger can put into them.

import Scenarios
import Testing

#if canImport(FoundationXML)
    import Foundation
    import FoundationXML
#endif

@Suite struct ReportTests {
    /// A line's end, markup, an escape sequence and a null.
    private static let worst = "a\n<b & \"c\" ']]>' \u{1b}[31m \u{0} # d \\ \u{202e}"

    private static func results() -> [TestResult] {
        var failure = TestFailure(
            place: "f.scenario:3", step: "expect outcome completed", expected: worst, found: worst, why: "it crashed",
            remedy: "mend it")
        failure.timeline = ["+ 0.000 ms  process.spawned", worst]
        failure.output = [worst]
        return [
            TestResult(name: "a link # comes back", group: "f.scenario", line: 2, seconds: 0.0124, verdict: .passed),
            TestResult(name: worst, group: "f.scenario", line: 7, seconds: 1.5, verdict: .failed(failure)),
            TestResult(name: "later", group: "f.scenario", line: nil, seconds: 0, verdict: .skipped("Ctrl-C")),
        ]
    }

    @Test func tapHasAPlanAResultEachAndADiagnosisInYAML() {
        var report = TAPReport()
        let text = report.head(count: 3) + Self.results().map { report.text($0) }.joined()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "TAP version 14" && lines[1] == "1..3")
        #expect(lines[2] == ##"ok 1 - a link \# comes back # time=12ms"##)
        #expect(
            lines[3].hasPrefix("not ok 2 - a") && lines[3].hasSuffix(" # time=1500ms")
                && lines[3].contains(##"\# d \\"##))
        #expect(lines[4] == "  ---" && lines[5] == #"  at: "f.scenario:3""#)
        #expect(lines.contains("  remedy: \"mend it\"") && lines.contains("  timeline:") && lines.contains("  ..."))
        #expect(lines.contains { $0.hasPrefix("  found: ") && $0.contains(#"\U0000001b[31m \U00000000"#) })
        #expect(lines.contains("ok 3 - later # SKIP Ctrl-C"))
        // Nothing of a stranger's begins a line of the protocol, or reaches a terminal.
        #expect(lines.count { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") } == 3)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" } && !text.contains("\u{202e}"))
    }

    @Test func anAnnotationIsOneLineWithTheFailuresFileAndLine() throws {
        let results = Self.results()
        #expect(GitHubAnnotation.line(results[0]) { $0 } == nil && GitHubAnnotation.line(results[2]) { $0 } == nil)
        let line = try #require(GitHubAnnotation.line(results[1]) { "tests/" + $0 })
        #expect(line.hasPrefix("::error file=tests/f.scenario,line=3,title=a") && line.contains("%0Aremedy: mend it"))
        // Nothing of a stranger's ends the line, a property or the properties.
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
        #expect(line.dropFirst(2).components(separatedBy: "::").count == 2)
        let strange = TestResult(
            name: "50 % a,b:c", group: "g", line: 2, seconds: 0,
            verdict: .failed(TestFailure(expected: "1::2 %", found: "3")))
        #expect(
            GitHubAnnotation.line(strange) { $0 }
                == "::error file=g,line=2,title=50 %25 a%2Cb%3Ac::expected: 1::2 %25%0Afound: 3")
    }

    @Test func junitIsWellFormedAndSaysEverything() throws {
        let text = JUnitReport(name: Self.worst, results: Self.results()).text
        let reader = XMLReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
        #expect(
            reader.elements.map(\.name) == [
                "testsuites", "testsuite", "testcase", "testcase", "failure", "system-out", "testcase", "skipped",
            ])
        #expect(reader.elements[1].attributes["tests"] == "3" && reader.elements[1].attributes["failures"] == "1")
        #expect(reader.elements[1].attributes["skipped"] == "1" && reader.elements[1].attributes["time"] == "1.512")
        #expect(
            reader.elements[2].attributes["name"] == "a link # comes back"
                && reader.elements[2].attributes["line"] == "2")
        #expect(reader.elements[3].attributes["name"]?.contains(#"<b & "c" ']]>' \u{1b}[31m \u{0}"#) == true)
        #expect(reader.text.contains("remedy: mend it") && reader.text.contains("process.spawned"))
    }
}

private final class XMLReader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    var text = ""

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        elements.append((name, attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
}
