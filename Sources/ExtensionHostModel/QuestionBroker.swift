// QuestionBroker: what one side of a request has asked the other through the daemon; pure, table-tested.

package import ExtensionProtocol

/// Loads, views and acts on views that are on their way. It knows who asked whom and how much is open, and never what was asked.
///
/// The invariants that everything else leans on: each question ends once for its asker, by `answered`, `giveUp` or `giveUpAll`, whichever comes
/// first; and each counts against whoever is to answer it until its answer comes, even where nobody waits for it any more. So what is on the
/// way to one that does not read has a bound, however much is asked and given up.
package struct QuestionBroker: Sendable {
    /// A further kind is a row of `limits`.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// An extension asks its host for an attachment.
        case load
        /// An extension shows its host a view.
        case view
        /// A host does something with an extension's view.
        case act
    }

    /// Who is to answer.
    package enum Party: Sendable, Hashable {
        /// By its name.
        case host(String)
        /// By its number.
        case process(Int)
    }

    /// How much may be on the way; nil: any number.
    package struct Limits: Sendable, Hashable {
        /// Questions of a request that wait for their answers.
        package var open: Int
        /// Questions of a request that have no answer, those that were given up included.
        package var unanswered: Int?
        /// The same of whoever is to answer, of all requests, those that have ended included.
        package var unansweredByParty: Int?
    }

    package struct Question: Sendable, Hashable {
        package let kind: Kind
        package let request: RequestIdentifier
        package let party: Party
        /// What its asker calls it; nil where that has no name for it.
        package let name: Int?
        /// The last that was told of it.
        package fileprivate(set) var progress = 0

        package init(_ kind: Kind, of request: RequestIdentifier, to party: Party, name: Int? = nil) {
            (self.kind, self.request, self.party, self.name) = (kind, request, party, name)
        }
    }

    /// Why a question may not be asked.
    package enum Refusal: Error, Sendable, Hashable {
        /// The request has so many open.
        case open(limit: Int)
        /// So many of the request have no answer, most of which nobody waits for any more.
        case unanswered(limit: Int)
        /// Whoever is to answer has not answered so many.
        case unansweredByParty(limit: Int)
        /// The request has one of this name open.
        case nameTaken
    }

    /// What there is of one kind for one request, or for one party.
    private struct Key<Owner: Hashable & Sendable>: Hashable, Sendable {
        let owner: Owner
        let kind: Kind
    }

    private struct Name: Hashable, Sendable {
        let request: RequestIdentifier
        let kind: Kind
        let name: Int
    }

    /// Until they are answered, open or given up.
    private var questions: [Int: Question] = [:]
    /// In the order in which they were asked.
    private var open: [Key<RequestIdentifier>: [Int]] = [:]
    private var names: [Name: Int] = [:]
    private var unanswered: [Key<RequestIdentifier>: Int] = [:]
    private var unansweredByParty: [Key<Party>: Int] = [:]
    private var last = 0

    package init() {}

    /// Of the loads of a host's requests as many may be unanswered as its usual quota of 64 requests may have open.
    package static func limits(of kind: Kind) -> Limits {
        switch kind {
        case .load: Limits(open: 64, unanswered: 256, unansweredByParty: 4096)
        // The next one waits for the one before.
        case .view: Limits(open: 1)
        case .act: Limits(open: 16, unansweredByParty: 256)
        }
    }

    /// Whether nothing is left of anything.
    package var isEmpty: Bool {
        questions.isEmpty && open.isEmpty && names.isEmpty && unanswered.isEmpty && unansweredByParty.isEmpty
    }

    // MARK: Asking

    /// - Returns: its number, which no other has.
    package mutating func ask(_ question: Question) throws(Refusal) -> Int {
        let limits = Self.limits(of: question.kind)
        let request = Key(owner: question.request, kind: question.kind)
        let party = Key(owner: question.party, kind: question.kind)
        guard open[request, default: []].count < limits.open else { throw .open(limit: limits.open) }
        if let limit = limits.unanswered, unanswered[request, default: 0] >= limit { throw .unanswered(limit: limit) }
        if let limit = limits.unansweredByParty, unansweredByParty[party, default: 0] >= limit {
            throw .unansweredByParty(limit: limit)
        }
        let name = Self.name(of: question)
        if let name, names[name] != nil { throw .nameTaken }
        last += 1
        questions[last] = question
        open[request, default: []].append(last)
        unanswered[request, default: 0] += 1
        unansweredByParty[party, default: 0] += 1
        if let name { names[name] = last }
        return last
    }

    /// Its answer has come, or whoever was to give it is gone.
    ///
    /// - Returns: the question, where its asker still waits.
    package mutating func answered(_ number: Int) -> Question? {
        let waited = giveUp(number)
        guard let question = questions.removeValue(forKey: number) else { return nil }
        Self.countDown(&unanswered, Key(owner: question.request, kind: question.kind))
        Self.countDown(&unansweredByParty, Key(owner: question.party, kind: question.kind))
        return waited
    }

    /// Its asker does not wait any more.
    ///
    /// - Returns: the question, where it waited until now.
    package mutating func giveUp(_ number: Int) -> Question? {
        guard let question = questions[number] else { return nil }
        let request = Key(owner: question.request, kind: question.kind)
        // Sixty-four at the most.
        guard var list = open[request], let place = list.firstIndex(of: number) else { return nil }
        list.remove(at: place)
        open[request] = list.isEmpty ? nil : list
        if let name = Self.name(of: question) { names[name] = nil }
        return question
    }

    /// Nobody waits any more for what was asked for a request: it has ended.
    ///
    /// - Returns: those that were waited for, by their numbers, in the order in which they were asked.
    package mutating func giveUpAll(of request: RequestIdentifier) -> [(number: Int, question: Question)] {
        let numbers = Kind.allCases.flatMap { open[Key(owner: request, kind: $0)] ?? [] }.sorted()
        return numbers.compactMap { number in giveUp(number).map { (number, $0) } }
    }

    // MARK: What is open

    /// The open question that its asker calls so.
    package func number(_ kind: Kind, of request: RequestIdentifier, name: Int) -> Int? {
        names[Name(request: request, kind: kind, name: name)]
    }

    /// A question that is open or was given up, and has no answer.
    package subscript(number: Int) -> Question? { questions[number] }

    /// The open ones, in the order in which they were asked.
    package func open(_ kind: Kind, of request: RequestIdentifier) -> [Int] {
        open[Key(owner: request, kind: kind)] ?? []
    }

    /// How many this party has not answered.
    package func unanswered(_ kind: Kind, by party: Party) -> Int { unansweredByParty[Key(owner: party, kind: kind)] ?? 0 }

    /// Whoever is to answer an open question is at work on it still.
    ///
    /// - Returns: whether it has come further.
    package mutating func advance(_ number: Int, to progress: Int) -> Bool {
        guard let question = questions[number], progress > question.progress else { return false }
        questions[number]?.progress = progress
        return true
    }

    private static func name(of question: Question) -> Name? {
        question.name.map { Name(request: question.request, kind: question.kind, name: $0) }
    }

    private static func countDown<Owner>(_ counts: inout [Key<Owner>: Int], _ key: Key<Owner>) {
        let left = counts[key, default: 1] - 1
        counts[key] = left > 0 ? left : nil
    }
}
