// ResumeRule, RetryRule: the decisions about an answer and about the time of the next attempt, without effects.

internal import TransferMessages

/// The state of a download when an answer comes.
struct DownloadState: Hashable {
    /// The bytes that the attempt has asked to follow; 0: it has asked for all.
    var offset = 0
    /// The strong entity tag of these bytes.
    var validator: String?
    /// The size of the whole file.
    var expected: Int?
    /// Whether the author's request has a `Range` of its own. Then nothing is resumed.
    var hasOwnRange = false
    /// Whether a 416 has made the download start anew.
    var hasStartedAnew = false
    /// Whether answers such as 503 are still tried again.
    var retriesStatus = true
    /// The present time, in seconds since 1970.
    var now = 0
}

/// The reaction to an answer.
enum AnswerDecision: Hashable {
    /// The body follows the bytes that are there.
    case goOn(expected: Int?)
    /// The body replaces what is there.
    case store(validator: String?, expected: Int?)
    /// All bytes are there already.
    case complete
    /// The part is dropped, and the file asked for from its start.
    case startAnew
    /// The part is kept, and the same asked for again, after so many seconds at least.
    case tryAgain(after: Int?)
}

/// The rule by which an interrupted download goes on (RFC 9110, sections 13.1.5, 15.3.7 and 15.5.17).
enum ResumeRule {
    /// The answers that another attempt may change.
    static let transientStatus: Set<Int> = [408, 429, 502, 503, 504]

    static func decide(_ answer: TransferResponse, _ state: DownloadState) -> AnswerDecision {
        if transientStatus.contains(answer.status), state.retriesStatus {
            return .tryAgain(after: answer.retryAfter(now: state.now))
        }
        let isResumption = state.offset > 0
        switch (answer.status, answer.contentRange) {
        case (206, .part(let first, _, let total)) where isResumption:
            let isSame = answer.strongTag != nil && answer.strongTag == state.validator && first == state.offset
            guard isSame, total == nil || state.expected == nil || total == state.expected else { return .startAnew }
            return .goOn(expected: total ?? state.expected)
        case (206, _) where isResumption: return .startAnew
        case (206, _) where !state.hasOwnRange:
            // Nobody has asked for a part.
            return .tryAgain(after: nil)
        case (416, .unsatisfied(let total)) where isResumption && total == state.offset:
            let isOther = answer.strongTag.map { $0 != state.validator } ?? false
            if !isOther, state.expected ?? total == total { return .complete }
            return state.hasStartedAnew ? .store(validator: nil, expected: answer.bodySize) : .startAnew
        case (416, _) where isResumption && !state.hasStartedAnew: return .startAnew
        default:
            let keepsTag = answer.status == 200 && !state.hasOwnRange
            return .store(validator: keepsTag ? answer.strongTag : nil, expected: answer.bodySize)
        }
    }
}

/// The time between two attempts.
enum RetryRule {
    /// The longest time, in seconds, without jitter.
    static let most = 300.0

    /// Returns seconds: 1, 2, 4 … 300, each changed by up to a fifth. The same arguments give the same time.
    ///
    /// - Parameters:
    ///   - attempt: the number of failed attempts, from 1.
    ///   - task: the number of the task.
    ///   - seed: the seed of the jitter.
    static func delay(attempt: Int, task: Int, seed: UInt64) -> Double {
        let base = attempt > 9 ? most : min(most, Double(1 << max(0, attempt - 1)))
        // SplitMix64.
        var bits = seed &+ UInt64(truncatingIfNeeded: task) &* 0x9e37_79b9_7f4a_7c15
        bits = bits &+ UInt64(truncatingIfNeeded: attempt) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        bits ^= bits >> 31
        return base * (0.8 + 0.4 * Double(bits >> 11) / Double(1 << 53))
    }
}
