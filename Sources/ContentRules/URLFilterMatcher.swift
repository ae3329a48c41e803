// URLFilterMatcher: runs the steps of a pattern over a URL.

/// The state of matching, which one decision uses for all its patterns.
struct URLFilterMatcher {
    /// The number of steps that may still be taken.
    private(set) var budget: Int
    private var current: [Int32] = []
    private var next: [Int32] = []
    private var pending: [Int32] = []
    /// The round in which each step was last added.
    private var marks: [UInt32]
    private var round: UInt32 = 0

    /// - Parameter longest: the number of steps of the longest pattern.
    init(budget: Int, longest: Int) {
        self.budget = budget
        marks = Array(repeating: 0, count: longest)
    }

    mutating func spend(_ steps: Int) { budget -= steps }

    /// Whether a part of a text matches. Without a budget the answer has no meaning.
    ///
    /// - Parameters:
    ///   - steps: the steps of all patterns.
    ///   - range: those of this pattern.
    mutating func matches(
        _ steps: [FilterStep], _ range: Range<Int>, _ sets: [ByteSet], isAnchored: Bool, _ text: [UInt8]
    ) -> Bool {
        current.removeAll(keepingCapacity: true)
        round &+= 1
        if follow(0, steps, range, isAtEnd: text.isEmpty, intoNext: false) { return true }
        for place in text.indices {
            budget -= 1
            if budget < 0 || current.isEmpty { return false }
            let byte = text[place]
            let isAtEnd = place + 1 == text.count
            next.removeAll(keepingCapacity: true)
            round &+= 1
            for thread in current {
                let step = steps[range.lowerBound + Int(thread)]
                let isMet =
                    switch step.operation {
                    case .byte: byte == UInt8(truncatingIfNeeded: step.argument)
                    case .set: sets[step.argument].contains(byte)
                    case .any: true
                    default: false
                    }
                if isMet, follow(thread + 1, steps, range, isAtEnd: isAtEnd, intoNext: true) { return true }
            }
            if !isAnchored, follow(0, steps, range, isAtEnd: isAtEnd, intoNext: true) { return true }
            swap(&current, &next)
        }
        return false
    }

    /// Adds a step and all steps that it reaches without a character. Returns whether the match is one of them.
    private mutating func follow(
        _ start: Int32, _ steps: [FilterStep], _ range: Range<Int>, isAtEnd: Bool, intoNext: Bool
    ) -> Bool {
        pending.append(start)
        while let place = pending.popLast() {
            guard marks[Int(place)] != round else { continue }
            budget -= 1
            guard budget >= 0 else { break }
            marks[Int(place)] = round
            let step = steps[range.lowerBound + Int(place)]
            switch step.operation {
            case .jump: pending.append(place + Int32(step.argument))
            case .split:
                pending.append(place + Int32(step.argument))
                pending.append(place + 1)
            case .end: if isAtEnd { pending.append(place + 1) }
            case .match:
                pending.removeAll(keepingCapacity: true)
                return true
            default:
                if intoNext { next.append(place) } else { current.append(place) }
            }
        }
        pending.removeAll(keepingCapacity: true)
        return false
    }
}
