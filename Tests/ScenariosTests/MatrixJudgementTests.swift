// MatrixJudgementTests: what is called handled, by tables of what was seen.

import Scenarios
import Testing

@Suite struct MatrixJudgementTests {
    private static func answer(_ text: String) -> Answer { Answer(values: ["item 1 userInfo.shared": text]) }

    private static func tried(_ answer: String?, _ content: TriedContent = .tried, outcome: String = "completed")
        -> TriedRequest
    {
        TriedRequest(content: content, outcome: outcome, answer: answer.map(Self.answer), why: "why", remedy: "remedy")
    }

    /// Cells of a sound extension, but for those that are given.
    private static func cells(_ changed: [MatrixCell]) -> [MatrixCell] {
        ContentShape.allCases.flatMap { shape in
            ReusePolicy.allCases.map { policy in
                if let cell = changed.first(where: { $0.shape == shape && $0.policy == policy }) { return cell }
                let requests =
                    switch policy {
                    case .fresh: [tried("a")]
                    case .warm: [tried("b", .other), tried("a")]
                    case .concurrent: [tried("a"), tried("b", .other)]
                    }
                return MatrixCell(shape, policy, .tried(requests, faults: []))
            }
        }
    }

    private static func faults(_ changed: [MatrixCell]) -> [String: TestFailure] {
        let judgement = MatrixJudgement(cells(changed))
        return Dictionary(
            judgement.cells.compactMap { cell in
                if case .notHandled(let failure) = judgement.verdict(cell) { (cell.name, failure) } else { nil }
            }
        ) { $1 }
    }

    @Test func aSoundExtensionHandlesEveryCell() { #expect(Self.faults([]).isEmpty) }

    @Test func oneShapeThatIsAnsweredOtherwiseIsNamedAndNoOther() throws {
        let found = Self.faults([
            MatrixCell(.data, .fresh, .tried([Self.tried("4 bytes")], faults: [])),
            MatrixCell(.data, .warm, .tried([Self.tried("b", .other), Self.tried("4 bytes")], faults: [])),
        ])
        #expect(found.keys.sorted() == ["data, fresh", "data, warm"])
        #expect(found["data, fresh"]?.found == "item 1 userInfo.shared is 4 bytes, and not a")
        #expect(found["data, fresh"]?.expected == "the answer that it gives as url in a new process")
    }

    @Test func whatIsKeptFromTheRequestBeforeShowsInTheWarmCellsOnly() {
        let found = Self.faults([
            MatrixCell(.url, .warm, .tried([Self.tried("b", .other), Self.tried("b")], faults: []))
        ])
        #expect(found.keys.sorted() == ["url, warm"])
        #expect(found["url, warm"]?.remedy?.hasPrefix("Do not store state of one request for the next") == true)
    }

    @Test func whatBothOfTwoAtOnceGetCounts() {
        let found = Self.faults([
            MatrixCell(.url, .concurrent, .tried([Self.tried("a"), Self.tried("a", .other)], faults: [])),
            MatrixCell(
                .data, .concurrent,
                .tried([Self.tried(nil, outcome: "timedOut (requestTimeout)"), Self.tried("b", .other)], faults: [])),
        ])
        #expect(found.keys.sorted() == ["data, concurrent", "url, concurrent"])
        #expect(found["url, concurrent"]?.found == "the other request item 1 userInfo.shared is a, and not b")
        #expect(
            found["data, concurrent"]?.found == "timedOut (requestTimeout)" && found["data, concurrent"]?.why == "why")
    }

    @Test func aFaultBesideARightAnswerCounts() {
        let fault = CellFault(what: "context.misused", why: nil, remedy: "once")
        let found = Self.faults([MatrixCell(.file, .fresh, .tried([Self.tried("a")], faults: [fault]))])
        #expect(found.keys.sorted() == ["file, fresh"] && found["file, fresh"]?.found == "context.misused")
    }

    @Test func whatIsNotAcceptedOrCannotBeIsNoFault() {
        let judgement = MatrixJudgement([
            MatrixCell(.url, .fresh, .tried([Self.tried("a")], faults: [])),
            MatrixCell(.file, .fresh, .notAccepted("no file")),
            MatrixCell(.url, .warm, .impossible("one request")),
        ])
        #expect(
            judgement.cells.map { judgement.verdict($0) } == [
                .handled, .notAccepted("no file"), .impossible("one request"),
            ])
        #expect(
            judgement.cells.map { judgement.result($0, group: "x").verdict } == [
                .passed, .skipped("not accepted by the extension's rule: no file"), .skipped("one request"),
            ])
    }

    @Test func whatSaysNothingOfTheContentIsNotRightThoughMostSayIt() {
        let silent = [ContentShape.data, .object].flatMap { shape in
            [
                MatrixCell(shape, .fresh, .tried([Self.tried("nothing")], faults: [])),
                MatrixCell(shape, .warm, .tried([Self.tried("nothing", .other), Self.tried("nothing")], faults: [])),
            ]
        }
        let found = Self.faults(silent + [MatrixCell(.file, .fresh, .tried([Self.tried("c")], faults: []))])
        #expect(found["data, fresh"]?.found == "item 1 userInfo.shared is nothing, and not a")
        #expect(found["url, fresh"] == nil && found["file, fresh"] != nil)
    }

    @Test func ofAsManyTheFirstShapeIsRight() {
        let judgement = MatrixJudgement([
            MatrixCell(.url, .fresh, .tried([Self.tried("a")], faults: [])),
            MatrixCell(.data, .fresh, .tried([Self.tried("c")], faults: [])),
        ])
        #expect(judgement.verdict(judgement.cells[0]) == .handled && judgement.verdict(judgement.cells[1]) != .handled)
    }
}
