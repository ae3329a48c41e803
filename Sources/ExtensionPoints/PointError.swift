// PointError: a fault in a point's property list: the key, what it should be, and the remedy.

/// The reason why a property list is no extension point. It disables that file only.
public struct PointError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key at fault, with those around it; nil if the file itself is at fault.
    public var key: String?
    public var problem: String
    public var remedy: String

    init(_ key: String?, _ problem: String, _ remedy: String) {
        self.key = key
        self.problem = problem
        self.remedy = remedy
    }

    public var description: String { (key.map { "\($0) " } ?? "") + "\(problem). \(remedy)" }
}
