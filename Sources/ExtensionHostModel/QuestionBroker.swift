// QuestionBroker: the open questions between the two sides of each request; pure, table-tested.

package import ExtensionProtocol

/// The table of loads, views, acts on views and calls that are in flight. The broker knows identifiers and counts, and
/// no contents.
///
/// Two invariants hold:
/// - Each question ends once for its asker: by `answered`, `giveUp` or `giveUpAll`, whichever comes first.
/// - Each question counts against its responder until the answer comes, even after the asker gave it up. This bounds
///   what is queued for a responder that does not read.
package struct QuestionBroker: Sendable, Hashable {
    /// The kind decides the limits of a question (`limits(of:)`).
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// An extension asks its host for an attachment.
        case load
        /// An extension shows its host a view.
        case view
        /// A host does something with an extension's view.
        case act
        /// A host calls the extension, or a service its client.
        case hostCall
        /// An extension calls its host, or a client a service.
        case extensionCall
        /// A host sends its extension a part of the answer to a call.
        case hostPart
        /// An extension sends its host a part of the answer to a call.
        case extensionPart
    }

    /// A responder.
    package enum Party: Sendable, Hashable {
        /// A host, by its unique name.
        case host(String)
        /// A process that the daemon launched, by its number.
        case process(Int)
        /// A tool, by the number of its connection.
        case tool(Int)
    }

    /// The limits of one kind; nil means no limit.
    package struct Limits: Sendable, Hashable {
        /// Open questions of one request.
        package var open: Int
        /// Unanswered questions of one request, including those that the asker gave up.
        package var unanswered: Int?
        /// Unanswered questions of one responder, over all requests, including ended ones.
        package var unansweredByParty: Int?
    }

    package struct Question: Sendable, Hashable {
        package let kind: Kind
        /// The request, or the connection with a service.
        package let request: RequestIdentifier
        package let party: Party
        /// The asker's own number for the question, if it has one.
        package let name: Int?
        /// The highest progress that the responder reported.
        package fileprivate(set) var progress = 0

        package init(_ kind: Kind, of request: RequestIdentifier, to party: Party, name: Int? = nil) {
            (self.kind, self.request, self.party, self.name) = (kind, request, party, name)
        }
    }

    /// The reason why a question is refused.
    package enum Refusal: Error, Sendable, Hashable {
        /// The request has reached its limit of open questions.
        case open(limit: Int)
        /// The request has reached its limit of unanswered questions. The asker gave most of them up.
        case unanswered(limit: Int)
        /// The responder has reached its limit of unanswered questions.
        case unansweredByParty(limit: Int)
        /// The request has an open question of this name.
        case nameTaken
    }

    /// A counter's key: one kind of question of one request or one responder.
    private struct Key<Owner: Hashable & Sendable>: Hashable, Sendable {
        let owner: Owner
        let kind: Kind
    }

    private struct Name: Hashable, Sendable {
        let request: RequestIdentifier
        let kind: Kind
        let name: Int
    }

    /// All unanswered questions, open or given up.
    private var questions: [Int: Question] = [:]
    /// The open questions, oldest first.
    private var open: [Key<RequestIdentifier>: [Int]] = [:]
    private var names: [Name: Int] = [:]
    private var unanswered: [Key<RequestIdentifier>: Int] = [:]
    private var unansweredByParty: [Key<Party>: Int] = [:]
    private var last = 0

    package init() {}

    /// Returns the limits of a kind. A host may leave as many loads unanswered as its default quota of 64 requests may
    /// have open.
    package static func limits(of kind: Kind) -> Limits {
        switch kind {
        case .load: Limits(open: 64, unanswered: 256, unansweredByParty: 4096)
        // The extension sends a view after the answer to the one before.
        case .view: Limits(open: 1)
        case .act: Limits(open: 16, unansweredByParty: 256)
        case .hostCall: Limits(open: 64, unanswered: 256, unansweredByParty: 256)
        // The limits of loads.
        case .extensionCall: Limits(open: 64, unanswered: 256, unansweredByParty: 4096)
        case .hostPart, .extensionPart: Limits(open: 8, unansweredByParty: 256)
        }
    }

    /// Whether all tables are empty.
    package var isEmpty: Bool {
        questions.isEmpty && open.isEmpty && names.isEmpty && unanswered.isEmpty && unansweredByParty.isEmpty
    }

    // MARK: Asking

    /// Adds a question.
    ///
    /// - Returns: a number that is never used again.
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

    /// Removes a question whose answer has come, or whose responder has disconnected.
    ///
    /// - Returns: the question, if its asker still waits for it.
    package mutating func answered(_ number: Int) -> Question? {
        let waited = giveUp(number)
        guard let question = questions.removeValue(forKey: number) else { return nil }
        Self.countDown(&unanswered, Key(owner: question.request, kind: question.kind))
        Self.countDown(&unansweredByParty, Key(owner: question.party, kind: question.kind))
        return waited
    }

    /// Closes a question for its asker. It still counts against its responder.
    ///
    /// - Returns: the question, if it was open until now.
    package mutating func giveUp(_ number: Int) -> Question? {
        guard let question = questions[number] else { return nil }
        let request = Key(owner: question.request, kind: question.kind)
        // The list has at most 64 entries.
        guard var list = open[request], let place = list.firstIndex(of: number) else { return nil }
        list.remove(at: place)
        open[request] = list.isEmpty ? nil : list
        if let name = Self.name(of: question) { names[name] = nil }
        return question
    }

    /// Closes all open questions of a request that has ended.
    ///
    /// - Returns: these questions with their numbers, oldest first.
    package mutating func giveUpAll(of request: RequestIdentifier) -> [(number: Int, question: Question)] {
        open(of: request).compactMap { number in giveUp(number).map { (number, $0) } }
    }

    // MARK: What is open

    /// Returns the number of the open question of this name.
    package func number(_ kind: Kind, of request: RequestIdentifier, name: Int) -> Int? {
        names[Name(request: request, kind: kind, name: name)]
    }

    /// The unanswered question of this number, open or given up.
    package subscript(number: Int) -> Question? { questions[number] }

    /// Returns the numbers of the open questions of one kind, oldest first.
    package func open(_ kind: Kind, of request: RequestIdentifier) -> [Int] {
        open[Key(owner: request, kind: kind)] ?? []
    }

    /// Returns the numbers of the open questions of all kinds, oldest first.
    package func open(of request: RequestIdentifier) -> [Int] {
        Kind.allCases.flatMap { open[Key(owner: request, kind: $0)] ?? [] }.sorted()
    }

    /// Returns the number of questions that this responder has not answered.
    package func unanswered(_ kind: Kind, by party: Party) -> Int {
        unansweredByParty[Key(owner: party, kind: kind)] ?? 0
    }

    /// Records the progress of a question.
    ///
    /// - Returns: whether it is higher than before.
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
