// QuestionBrokerTests: each question ends once, and whoever owes answers has a bound, in every order of events.

import ExtensionProtocol
import Testing
@testable import ExtensionHostModel

@Suite struct QuestionBrokerTests {
    typealias Question = QuestionBroker.Question

    private static func request(_ number: UInt8) -> RequestIdentifier {
        RequestIdentifier(words: (0, UInt64(number)))
    }

    private let request = Self.request(1)

    @Test(arguments: QuestionBroker.Kind.allCases)
    func soManyOfARequestAreOpen(kind: QuestionBroker.Kind) throws {
        var broker = QuestionBroker()
        let limit = QuestionBroker.limits(of: kind).open
        var numbers: [Int] = []
        for _ in 0..<limit { numbers.append(try broker.ask(Question(kind, of: request, to: .host("a")))) }
        #expect(broker.open(kind, of: request) == numbers && Set(numbers).count == limit)
        #expect(throws: QuestionBroker.Refusal.open(limit: limit)) {
            try broker.ask(Question(kind, of: request, to: .host("a")))
        }
        // Another request has room.
        _ = try broker.ask(Question(kind, of: Self.request(2), to: .host("a")))
        let waited = broker.answered(numbers[0])
        #expect(waited != nil)
        _ = try broker.ask(Question(kind, of: request, to: .host("a")))
    }

    /// The figures of docs/protocol.md.
    @Test func theBoundsAreThoseOfThePage() {
        func limits(_ kind: QuestionBroker.Kind) -> [Int?] {
            let limits = QuestionBroker.limits(of: kind)
            return [limits.open, limits.unanswered, limits.unansweredByParty]
        }
        #expect(limits(.load) == [64, 256, 4096])
        #expect(limits(.hostCall) == [64, 256, 256])
        #expect(limits(.extensionCall) == [64, 256, 4096])
        #expect(limits(.hostPart) == [8, nil, 256] && limits(.extensionPart) == [8, nil, 256])
        #expect(limits(.act) == [16, nil, 256] && limits(.view) == [1, nil, nil])
    }

    @Test(arguments: QuestionBroker.Kind.allCases.filter { QuestionBroker.limits(of: $0).unanswered != nil })
    func whatWasGivenUpCountsUntilItIsAnswered(kind: QuestionBroker.Kind) throws {
        var broker = QuestionBroker()
        let limit = try #require(QuestionBroker.limits(of: kind).unanswered)
        let question = Question(kind, of: request, to: .host("a"))
        var numbers: [Int] = []
        for _ in 0..<limit {
            let number = try broker.ask(question)
            let waited = broker.giveUp(number)
            #expect(waited == question)
            numbers.append(number)
        }
        #expect(broker.open(kind, of: request).isEmpty && broker.unanswered(kind, by: .host("a")) == limit)
        #expect(throws: QuestionBroker.Refusal.unanswered(limit: limit)) { try broker.ask(question) }
        let nobody = broker.answered(numbers[0])
        #expect(nobody == nil, "nobody waits for it")
        _ = try broker.ask(question)
    }

    @Test(arguments: QuestionBroker.Kind.allCases.filter { QuestionBroker.limits(of: $0).unansweredByParty != nil })
    func aPartyHasABoundOverAllRequests(kind: QuestionBroker.Kind) throws {
        for party in [.host("a"), .process(7)] as [QuestionBroker.Party] {
            var broker = QuestionBroker()
            let limit = try #require(QuestionBroker.limits(of: kind).unansweredByParty)
            var numbers: [Int] = []
            for number in 0..<limit {
                let question = Question(kind, of: Self.request(UInt8(number / 64)), to: party)
                numbers.append(try broker.ask(question))
                _ = broker.giveUp(numbers[number])
            }
            // The end of the requests does not end what the party has to answer.
            for request in 0...UInt8(limit / 64) {
                let open = broker.giveUpAll(of: Self.request(request))
                #expect(open.isEmpty)
            }
            #expect(throws: QuestionBroker.Refusal.unansweredByParty(limit: limit)) {
                try broker.ask(Question(kind, of: Self.request(99), to: party))
            }
            // It is another's bound, and each answer makes room.
            _ = try broker.ask(Question(kind, of: Self.request(99), to: .host("other")))
            _ = broker.answered(numbers[0])
            _ = try broker.ask(Question(kind, of: Self.request(99), to: party))
        }
    }

    @Test func anAnswerThatComesLateIsNobodys() throws {
        var broker = QuestionBroker()
        let number = try broker.ask(Question(.load, of: request, to: .host("a")))
        let given = [broker.giveUp(number), broker.giveUp(number)]
        #expect(given.map { $0 != nil } == [true, false])
        #expect(!broker.isEmpty)
        let late = [broker.answered(number), broker.answered(number)]
        #expect(late == [nil, nil])
        #expect(broker.isEmpty)
    }

    @Test func theEndOfARequestEndsItsQuestionsInTheirOrder() throws {
        var broker = QuestionBroker()
        let load = Question(.load, of: request, to: .host("a"), name: 1)
        let act = Question(.act, of: request, to: .process(1))
        let view = Question(.view, of: request, to: .host("a"))
        let other = try broker.ask(Question(.load, of: Self.request(2), to: .host("a"), name: 1))
        var numbers: [Int] = []
        for question in [load, act, view] { numbers.append(try broker.ask(question)) }
        let ended = broker.giveUpAll(of: request)
        #expect(ended.map(\.number) == numbers && ended.map(\.question) == [load, act, view])
        let rest = broker.giveUpAll(of: request)
        #expect(rest.isEmpty)
        #expect(broker.open(.load, of: Self.request(2)) == [other])
        for number in numbers + [other] { _ = broker.answered(number) }
        #expect(broker.isEmpty)
    }

    @Test func aNameIsOneOpenQuestions() throws {
        var broker = QuestionBroker()
        let question = Question(.load, of: request, to: .host("a"), name: 5)
        let number = try broker.ask(question)
        #expect(broker.number(.load, of: request, name: 5) == number)
        #expect(throws: QuestionBroker.Refusal.nameTaken) { try broker.ask(question) }
        #expect(broker.unanswered(.load, by: .host("a")) == 1, "a refused question counts nowhere")
        _ = try broker.ask(Question(.load, of: Self.request(2), to: .host("a"), name: 5))
        _ = broker.giveUp(number)
        #expect(broker.number(.load, of: request, name: 5) == nil)
        let again = try broker.ask(question)
        // The answer to the first is not one to the second.
        let late = broker.answered(number)
        #expect(late == nil && broker.number(.load, of: request, name: 5) == again)
    }

    @Test func progressOnlyGrows() throws {
        var broker = QuestionBroker()
        let number = try broker.ask(Question(.load, of: request, to: .host("a")))
        var further: [Bool] = []
        for progress in [3, 3, 2, 4] { further.append(broker.advance(number, to: progress)) }
        #expect(further == [true, false, false, true])
        _ = broker.answered(number)
        let late = broker.advance(number, to: 9)
        #expect(!late)
    }

    /// What may happen, for every order of it up to a length.
    private enum Step: CaseIterable {
        case askNamed, askLoad, askView, askAct, answerOldest, answerNewest, giveUpOldest, giveUpNewest, endFirst,
            endSecond
    }

    /// Every order of five events over two requests: each question ends once for its asker and once for its party, and
    /// nothing is left when all have answered.
    @Test func inEveryOrderEachQuestionEndsOnce() throws {
        var orders = 0
        var chosen: [Step] = []
        func explore(_ state: Played) throws {
            orders += 1
            try state.check()
            guard chosen.count < 5 else { return }
            for step in Step.allCases {
                guard let next = state.playing(step) else { continue }
                chosen.append(step)
                try explore(next)
                chosen.removeLast()
            }
        }
        try explore(Played())
        #expect(orders > 10_000)
    }

    private struct Played {
        var broker = QuestionBroker()
        /// Those that were asked, and whether their asker waits; nil: answered.
        var waits: [Int: Bool] = [:]
        var requests: [Int: Int] = [:]
        var hasNamed = false

        func playing(_ step: Step) -> Played? {
            var next = self
            let (oldest, newest) = (waits.keys.min(), waits.keys.max())
            switch step {
            case .askNamed: next.ask(Question(.load, of: QuestionBrokerTests.request(1), to: .host("a"), name: 1), 1)
            case .askLoad: next.ask(Question(.load, of: QuestionBrokerTests.request(1), to: .host("a")), 1)
            case .askView: next.ask(Question(.view, of: QuestionBrokerTests.request(2), to: .host("a")), 2)
            case .askAct: next.ask(Question(.act, of: QuestionBrokerTests.request(2), to: .process(1)), 2)
            case .answerOldest, .answerNewest:
                guard let number = step == .answerOldest ? oldest : newest else { return nil }
                let waited = next.waits.removeValue(forKey: number)
                let heard = next.broker.answered(number) != nil
                #expect(heard == waited)
            case .giveUpOldest, .giveUpNewest:
                guard let number = step == .giveUpOldest ? oldest : newest else { return nil }
                let heard = next.broker.giveUp(number) != nil
                #expect(heard == waits[number])
                next.waits[number] = false
            case .endFirst, .endSecond:
                let request = step == .endFirst ? 1 : 2
                let expected = waits.filter { $0.value && requests[$0.key] == request }.keys.sorted()
                let ended = next.broker.giveUpAll(of: QuestionBrokerTests.request(UInt8(request)))
                #expect(ended.map(\.number) == expected)
                for number in expected { next.waits[number] = false }
            }
            return next
        }

        private mutating func ask(_ question: Question, _ request: Int) {
            let isOpen = broker.number(.load, of: question.request, name: question.name ?? 0) != nil
            let isFull = question.kind == .view && !broker.open(.view, of: question.request).isEmpty
            do {
                let number = try broker.ask(question)
                #expect(!isFull && !(question.name != nil && isOpen))
                waits[number] = true
                requests[number] = request
            } catch {
                #expect(isFull || question.name != nil && isOpen, "\(error)")
            }
        }

        func check() throws {
            var rest = broker
            for number in waits.keys.sorted() { _ = rest.answered(number) }
            #expect(rest.isEmpty)
            #expect(waits.isEmpty == broker.isEmpty)
        }
    }
}
