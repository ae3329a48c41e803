// CMTime: a time as a fraction, and its arithmetic.

import Glibc

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMTimeEpoch = Int64
public typealias CMItemCount = Int

public struct CMTimeFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let valid = CMTimeFlags(rawValue: 1)
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    public static let indefinite = CMTimeFlags(rawValue: 16)
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// The rounding of a conversion. The numbers are Apple's (header).
public enum CMTimeRoundingMethod: UInt32, Sendable {
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6
    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

/// A time: `value` divided by `timescale` seconds.
///
/// Invalid, infinite and indefinite times follow the rules of Apple's header: an invalid operand makes the result
/// invalid, an indefinite one indefinite, and an infinite one infinite.
public struct CMTime: Sendable {
    public var value: CMTimeValue
    public var timescale: CMTimeScale
    public var flags: CMTimeFlags
    public var epoch: CMTimeEpoch

    public init() { (value, timescale, flags, epoch) = (0, 0, [], 0) }

    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        (self.value, self.timescale, self.flags, self.epoch) = (value, timescale, flags, epoch)
    }

    /// Makes a valid time. A timescale of 0 or less makes an invalid one.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self = timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: 0) : .invalid
    }

    /// Makes the nearest time with a timescale. A smaller timescale is used if the value has no room.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        guard seconds.isFinite else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        var timescale = preferredTimescale
        while (seconds * Double(timescale)).magnitude >= 9.2e18, timescale > 1 { timescale /= 2 }
        let exact = seconds * Double(timescale)
        guard exact.magnitude < 9.2e18 else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        let rounded = exact.rounded(.toNearestOrAwayFromZero)
        self.init(
            value: CMTimeValue(rounded), timescale: timescale,
            flags: rounded == exact ? .valid : [.valid, .hasBeenRounded], epoch: 0)
    }

    public static let zero = CMTime(value: 0, timescale: 1)
    public static let invalid = CMTime()
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

    public var isValid: Bool { flags.contains(.valid) }
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) && timescale > 0 }
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// The time in seconds; not a number for a time that is none.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if isPositiveInfinity { return .infinity }
        return isNegativeInfinity ? -.infinity : .nan
    }

    /// Returns the time with another timescale.
    public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric else { return self }
        guard newTimescale > 0 else { return .invalid }
        guard newTimescale != timescale else { return self }
        let infinity = value < 0 ? CMTime.negativeInfinity : .positiveInfinity
        let divisor = UInt64(timescale)
        let product = value.magnitude.multipliedFullWidth(by: UInt64(newTimescale))
        guard product.high < divisor else { return infinity }
        var (magnitude, remainder) = divisor.dividingFullWidth(product)
        var flags = flags
        if remainder != 0 {
            flags.insert(.hasBeenRounded)
            let isAway =
                switch method {
                case .roundHalfAwayFromZero: remainder * 2 >= divisor
                case .roundTowardZero: false
                case .roundAwayFromZero: true
                // Toward zero to a coarser timescale, away from zero to a finer one. A negative time is never
                // rounded to zero (header).
                case .quickTime: newTimescale > timescale || (value < 0 && magnitude == 0)
                case .roundTowardPositiveInfinity: value > 0
                case .roundTowardNegativeInfinity: value < 0
                }
            if isAway {
                let (next, overflow) = magnitude.addingReportingOverflow(1)
                guard !overflow else { return infinity }
                magnitude = next
            }
        }
        guard let result = CMTimeValue(exactly: magnitude) else { return infinity }
        return CMTime(value: value < 0 ? -result : result, timescale: newTimescale, flags: flags, epoch: epoch)
    }

    /// The result of an operation with an operand that is no number; nil if both are numbers.
    private static func special(_ left: CMTime, _ right: CMTime) -> CMTime? {
        if !left.isValid || !right.isValid { return .invalid }
        if left.isIndefinite || right.isIndefinite { return .indefinite }
        let infinities = [left, right].filter { $0.isPositiveInfinity || $0.isNegativeInfinity }
        guard let first = infinities.first else { return left.isNumeric && right.isNumeric ? nil : .invalid }
        return infinities.allSatisfy { $0.isPositiveInfinity == first.isPositiveInfinity } ? first : .indefinite
    }

    /// Returns both values at one timescale: the least common multiple, or else the greatest that there is.
    private static func aligned(_ left: CMTime, _ right: CMTime) -> (CMTime, CMTime) {
        guard left.timescale != right.timescale else { return (left, right) }
        var (a, b) = (CMTimeValue(left.timescale), CMTimeValue(right.timescale))
        while b != 0 { (a, b) = (b, a % b) }
        let multiple = CMTimeValue(left.timescale) / a * CMTimeValue(right.timescale)
        let timescale = CMTimeScale(exactly: multiple) ?? max(left.timescale, right.timescale)
        return (
            left.convertScale(timescale, method: .roundHalfAwayFromZero),
            right.convertScale(timescale, method: .roundHalfAwayFromZero)
        )
    }

    public static func + (left: CMTime, right: CMTime) -> CMTime {
        if let special = special(left, right) { return special }
        guard left.epoch == right.epoch else { return .invalid }
        let (a, b) = aligned(left, right)
        guard a.isNumeric, b.isNumeric else { return special(a, b) ?? .invalid }
        let (sum, overflow) = a.value.addingReportingOverflow(b.value)
        guard !overflow else { return a.value > 0 ? .positiveInfinity : .negativeInfinity }
        return CMTime(value: sum, timescale: a.timescale, flags: a.flags.union(b.flags), epoch: a.epoch)
    }

    public static prefix func - (time: CMTime) -> CMTime {
        if time.isPositiveInfinity { return .negativeInfinity }
        if time.isNegativeInfinity { return .positiveInfinity }
        guard time.isNumeric else { return time }
        guard time.value != .min else { return .positiveInfinity }
        return CMTime(value: -time.value, timescale: time.timescale, flags: time.flags, epoch: time.epoch)
    }

    public static func - (left: CMTime, right: CMTime) -> CMTime { left + -right }
    public static func += (left: inout CMTime, right: CMTime) { left = left + right }
    public static func -= (left: inout CMTime, right: CMTime) { left = left - right }
}

extension CMTime: Comparable, Hashable {
    /// The order of times: negative infinity, numbers, positive infinity, indefinite, invalid (header).
    ///
    /// A valid time without a timescale is no number, and comes before the invalid ones (ours).
    private var rank: Int {
        if !isValid { return 5 }
        if isIndefinite { return 3 }
        if isPositiveInfinity { return 2 }
        if isNegativeInfinity { return 0 }
        return isNumeric ? 1 : 4
    }

    fileprivate func compare(_ other: CMTime) -> Int32 {
        if rank != other.rank { return rank < other.rank ? -1 : 1 }
        guard rank == 1 else { return 0 }
        guard epoch == other.epoch else { return epoch < other.epoch ? -1 : 1 }
        let left = value.multipliedFullWidth(by: CMTimeValue(other.timescale))
        let right = other.value.multipliedFullWidth(by: CMTimeValue(timescale))
        if left.high != right.high { return left.high < right.high ? -1 : 1 }
        return left.low == right.low ? 0 : left.low < right.low ? -1 : 1
    }

    public static func == (left: CMTime, right: CMTime) -> Bool { left.compare(right) == 0 }
    public static func < (left: CMTime, right: CMTime) -> Bool { left.compare(right) < 0 }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard rank == 1 else { return }
        // Equal times have the same lowest terms.
        var (divisor, rest) = (value.magnitude, UInt64(timescale))
        let scale = rest
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        hasher.combine(value / CMTimeValue(divisor))
        hasher.combine(scale / divisor)
        hasher.combine(epoch)
    }
}

extension CMTime: CustomStringConvertible {
    public var description: String {
        isNumeric ? "{\(value)/\(timescale) = \(seconds)}" : isValid ? "{\(seconds)}" : "{invalid}"
    }
}

public let kCMTimeZero = CMTime.zero
public let kCMTimeInvalid = CMTime.invalid

public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }
/// Returns −1, 0 or 1.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compare(time2) }
public func CMTimeConvertScale(
    _ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod
) -> CMTime { time.convertScale(newTimescale, method: method) }
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
    guard time.isNumeric else { return time }
    let (product, overflow) = time.value.multipliedReportingOverflow(by: CMTimeValue(multiplier))
    guard !overflow else { return (time.value > 0) == (multiplier > 0) ? .positiveInfinity : .negativeInfinity }
    return CMTime(value: product, timescale: time.timescale, flags: time.flags, epoch: time.epoch)
}
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
    guard time.isNumeric else { return time }
    return CMTime(seconds: time.seconds * multiplier, preferredTimescale: max(time.timescale, 1_000_000_000))
}
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time < .zero ? -time : time }
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { max(time1, time2) }
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { min(time1, time2) }

/// A clock. Only that of the machine is here.
public final class CMClock: Sendable {
    static let host = CMClock()
    private init() {}

    /// The clock of the machine, whose times the samples of a broadcast have.
    public static var hostTimeClock: CMClock { host }

    /// The time since the machine's start, without sleep.
    public var time: CMTime {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return CMTime(value: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec), timescale: 1_000_000_000)
    }
}

public func CMClockGetHostTimeClock() -> CMClock { CMClock.host }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }
