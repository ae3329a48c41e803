// RegularExpression: the patterns of MATCHES, matched in time proportional to text times pattern.

/// A pattern compiled to steps that run over the text all at once (Thompson's method).
///
/// It never backtracks, so no pattern takes exponential time. Back references and lookaround are impossible this way,
/// and are refused by name.
struct RegularExpression: Sendable {
    enum Step: Sendable {
        case scalar(UInt32)
        /// Any character except a line end.
        case any
        case set(Int32)
        case split(Int32, Int32)
        case jump(Int32)
        case start, end, match
    }

    /// The maximum number of steps in one pattern; counted repetitions are expanded.
    static let greatestSize = 4096

    let steps: [Step]
    let sets: [ScalarSet]
    let options: FoldingOptions

    /// Compiles a pattern. The line and column of an error have no meaning.
    init(_ pattern: String, options: FoldingOptions) throws(RuleError) {
        var parser = RegularExpressionParser(pattern, options: options)
        let piece = try parser.parse()
        var emitter = Emitter()
        try emitter.emit(piece)
        emitter.steps.append(.match)
        steps = emitter.steps
        sets = parser.sets
        self.options = options
    }

    /// Whether the whole of a folded text matches.
    func matches(_ text: [UInt32], work: inout Int) -> Bool {
        var current = Threads(capacity: steps.count)
        var next = Threads(capacity: steps.count)
        let ignoresCase = options.contains(.caseInsensitive)
        follow(0, at: 0, of: text.count, into: &current)
        for (place, scalar) in text.enumerated() {
            work -= current.list.count + 1
            if work < 0 || current.list.isEmpty { return false }
            next.clear()
            for thread in current.list {
                let isMet =
                    switch steps[Int(thread)] {
                    case .scalar(let wanted): wanted == scalar
                    case .any: !Self.endsLine(scalar)
                    case .set(let set): sets[Int(set)].contains(scalar, ignoringCase: ignoresCase)
                    default: false
                    }
                if isMet { follow(thread + 1, at: place + 1, of: text.count, into: &next) }
            }
            swap(&current, &next)
        }
        work -= current.list.count
        return current.list.contains { if case .match = steps[Int($0)] { true } else { false } }
    }

    private static func endsLine(_ scalar: UInt32) -> Bool { [0x0A, 0x0D, 0x85, 0x2028, 0x2029].contains(scalar) }

    /// Adds a step and all steps that it reaches without a character, once each.
    private func follow(_ step: Int32, at place: Int, of count: Int, into threads: inout Threads) {
        threads.pending.append(step)
        while let step = threads.pending.popLast() {
            guard threads.insert(step) else { continue }
            switch steps[Int(step)] {
            case .jump(let target): threads.pending.append(target)
            case .split(let first, let second):
                threads.pending.append(second)
                threads.pending.append(first)
            case .start: if place == 0 { threads.pending.append(step + 1) }
            case .end: if place == count { threads.pending.append(step + 1) }
            default: break
            }
        }
    }

    /// The steps that wait for the next character.
    private struct Threads {
        var list: [Int32] = []
        var pending: [Int32] = []
        private var isIn: [Bool]

        init(capacity: Int) { isIn = Array(repeating: false, count: capacity) }

        mutating func insert(_ step: Int32) -> Bool {
            if isIn[Int(step)] { return false }
            isIn[Int(step)] = true
            list.append(step)
            return true
        }

        mutating func clear() {
            for step in list { isIn[Int(step)] = false }
            list.removeAll(keepingCapacity: true)
        }
    }

    private struct Emitter {
        var steps: [Step] = []
        /// The number of visited pieces: the repetition of nothing adds no steps but still takes time.
        private var visits = 0

        mutating func emit(_ piece: RegularExpressionPiece) throws(RuleError) {
            visits += 1
            guard visits <= 4 * RegularExpression.greatestSize, steps.count < RegularExpression.greatestSize else {
                throw RuleError(
                    "the regular expression has more than \(RegularExpression.greatestSize) steps",
                    hint: "Repeat fewer times: {m,n} is written out")
            }
            switch piece {
            case .scalars(let scalars): steps += scalars.map(Step.scalar)
            case .any: steps.append(.any)
            case .set(let set): steps.append(.set(Int32(set)))
            case .start: steps.append(.start)
            case .end: steps.append(.end)
            case .sequence(let pieces): for piece in pieces { try emit(piece) }
            case .alternatives(let pieces): try emit(alternatives: pieces)
            case .repeated(let piece, let least, let most): try emit(piece, least: least, most: most)
            }
        }

        private var here: Int32 { Int32(steps.count) }

        private mutating func emit(alternatives pieces: [RegularExpressionPiece]) throws(RuleError) {
            var jumps: [Int] = []
            for piece in pieces.dropLast() {
                let split = steps.count
                steps.append(.match)
                try emit(piece)
                jumps.append(steps.count)
                steps.append(.match)
                steps[split] = .split(Int32(split + 1), here)
            }
            if let last = pieces.last { try emit(last) }
            for jump in jumps { steps[jump] = .jump(here) }
        }

        private mutating func emit(_ piece: RegularExpressionPiece, least: Int, most: Int?) throws(RuleError) {
            for _ in 0..<least { try emit(piece) }
            guard let most else {
                let split = steps.count
                steps.append(.match)
                try emit(piece)
                steps.append(.jump(Int32(split)))
                steps[split] = .split(Int32(split + 1), here)
                return
            }
            var splits: [Int] = []
            for _ in 0..<(most - least) {
                splits.append(steps.count)
                steps.append(.match)
                try emit(piece)
            }
            for split in splits { steps[split] = .split(Int32(split + 1), here) }
        }
    }
}
