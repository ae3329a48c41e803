// GKRandomSource: random numbers of the system.

@_exported public import Foundation

/// A source of random numbers: the system's. Safe to use from any thread.
open class GKRandomSource: NSObject, @unchecked Sendable {  // has no state
    private static let shared = GKRandomSource()

    public override init() {}
    open class func sharedRandom() -> GKRandomSource { shared }

    open func nextInt() -> Int { Int(Int32.random(in: .min ... .max)) }
    /// Returns a number from 0 to below a bound, which is above 0.
    open func nextInt(upperBound: Int) -> Int { Int.random(in: 0..<upperBound) }
    /// Returns a number from 0 to 1.
    open func nextUniform() -> Float { Float.random(in: 0...1) }
    open func nextBool() -> Bool { Bool.random() }
    open func arrayByShufflingObjects(in array: [Any]) -> [Any] { array.shuffled() }
}
