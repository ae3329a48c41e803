// MatrixJudgement: the verdict on each cell, from the evidence of all of them.

/// A judgement of cells against each other.
///
/// An answer is right if it is the one that most shapes got from a new process; among equally frequent ones, the first.
/// Shapes that got the same answer for two different contents count only if no shape got different ones. Such an answer
/// says nothing of the content, and is seldom the intended one.
public struct MatrixJudgement: Sendable {
    public enum Verdict: Sendable, Hashable {
        case handled
        case notHandled(TestFailure)
        case notAccepted(String)
        case impossible(String)
    }

    public let cells: [MatrixCell]
    private let right: [TriedContent: (answer: Answer, shape: ContentShape)]

    public init(_ cells: [MatrixCell]) {
        self.cells = cells
        // A process's first request: that of a fresh cell, and in a warm cell the one with the other content.
        let tried = Self.firstAnswers(cells, .fresh)
        let other = Self.firstAnswers(cells, .warm)
        let telling = Set(
            ContentShape.allCases.filter { tried[$0] != nil && other[$0] != nil && tried[$0] != other[$0] })
        right = [.tried: Self.usual(tried, among: telling), .other: Self.usual(other, among: telling)].compactMapValues
        { $0 }
    }

    private static func firstAnswers(_ cells: [MatrixCell], _ policy: ReusePolicy) -> [ContentShape: Answer] {
        var answers: [ContentShape: Answer] = [:]
        for cell in cells where cell.policy == policy {
            guard case .tried(let requests, _) = cell.evidence else { continue }
            answers[cell.shape] = requests.first?.answer
        }
        return answers
    }

    private static func usual(
        _ answers: [ContentShape: Answer], among shapes: Set<ContentShape>
    ) -> (answer: Answer, shape: ContentShape)? {
        let asked = shapes.isEmpty ? answers : answers.filter { shapes.contains($0.key) }
        let counts = Dictionary(grouping: asked.values) { $0 }.mapValues(\.count)
        guard let most = counts.values.max() else { return nil }
        for shape in ContentShape.allCases {
            if let answer = asked[shape], counts[answer] == most { return (answer, shape) }
        }
        return nil
    }

    public func verdict(_ cell: MatrixCell) -> Verdict {
        switch cell.evidence {
        case .impossible(let why): return .impossible(why)
        case .notAccepted(let why): return .notAccepted(why)
        case .tried(let requests, let faults):
            guard var failure = failure(of: requests, in: cell) ?? faults.first.map(Self.failure) else {
                return .handled
            }
            failure.step = Self.summary(cell)
            failure.timeline = cell.timeline
            failure.output = cell.output
            return .notHandled(failure)
        }
    }

    /// Returns the verdict as a test result. A cell that is impossible or not accepted is skipped, with the reason.
    public func result(_ cell: MatrixCell, group: String) -> TestResult {
        let verdict: TestResult.Verdict =
            switch verdict(cell) {
            case .handled: .passed
            case .notHandled(let failure): .failed(failure)
            case .notAccepted(let why): .skipped("not accepted by the extension's rule: \(why)")
            case .impossible(let why): .skipped(why)
            }
        return TestResult(name: cell.name, group: group, line: nil, seconds: cell.seconds, verdict: verdict)
    }

    private func failure(of requests: [TriedRequest], in cell: MatrixCell) -> TestFailure? {
        for request in requests {
            let which = requests.count == 1 ? "" : request.content == .tried ? "" : "the other request "
            guard request.outcome == "completed" else {
                return TestFailure(
                    expected: "\(which)completed", found: which + request.outcome, why: request.why,
                    remedy: request.remedy)
            }
            guard let right = right[request.content], let answer = request.answer,
                let difference = answer.difference(from: right.answer)
            else { continue }
            let place = right.shape == cell.shape ? "in a new process" : "as \(right.shape.rawValue) in a new process"
            return TestFailure(
                expected: "\(which)the answer that it gives \(place)", found: which + difference,
                remedy: Self.remedy(cell, isSameShape: right.shape == cell.shape))
        }
        return nil
    }

    private static func failure(of fault: CellFault) -> TestFailure {
        TestFailure(expected: "no other fault", found: fault.what, why: fault.why, remedy: fault.remedy)
    }

    private static func remedy(_ cell: MatrixCell, isSameShape: Bool) -> String {
        switch (cell.policy, isSameShape) {
        case (.warm, true): "Do not store state of one request for the next in variables of the type or the program"
        case (.concurrent, true): "Store the state of a request in its own object: the process serves several at once"
        default: "Load the required form with loadItem(forTypeIdentifier:options:as:), or check which one arrived"
        }
    }

    private static func summary(_ cell: MatrixCell) -> String {
        switch cell.policy {
        case .fresh: "\(cell.shape.rawValue) in a new process"
        case .warm: "\(cell.shape.rawValue) in a process that has served another content before"
        case .concurrent: "\(cell.shape.rawValue) in a process that serves another content at the same time"
        }
    }
}
