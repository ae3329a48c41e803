// PropertyListLimits: the limits of a reader for one input.

/// The budgets of one reading. Every field is a maximum that is still allowed.
///
/// The readers check before they spend, so an input over budget costs neither its time nor its memory.
///
/// A binary property list may refer to one object many times, so a few hundred bytes can stand for billions of values.
/// `expandedNodes` and `expandedBytes` count what a traversal of the result would visit, shared objects each time anew.
public struct PropertyListLimits: Sendable, Hashable {
    /// The maximum nesting of any reader or writer, whatever `depth` says: both recurse, and a thread's stack is
    /// finite.
    ///
    /// Optimised, a level takes up to 1.4 KiB of it: 128 levels (a packet) fit 192 KiB, 512 fit 768 KiB.
    public static let greatestDepth = 512

    /// The length of the input, in bytes.
    public var bytes: Int
    /// The objects in the offset table (binary), or elements and keys (XML).
    public var objects: Int
    /// The arrays and dictionaries around a value, the outermost included. A larger value counts as `greatestDepth`.
    public var depth: Int
    /// The values and keys that a traversal of the result would visit.
    public var expandedNodes: Int
    /// The bytes of strings (as UTF-8), keys and data that such a traversal would visit.
    public var expandedBytes: Int

    public init(bytes: Int, objects: Int, depth: Int, expandedNodes: Int, expandedBytes: Int) {
        self.bytes = bytes
        self.objects = objects
        self.depth = depth
        self.expandedNodes = expandedNodes
        self.expandedBytes = expandedBytes
    }

    /// The limits of the body of one packet. Nothing that an honest writer puts into 64 KiB exceeds the other budgets.
    public static let packet = PropertyListLimits(
        bytes: 64 << 10, objects: 32 << 10, depth: 128, expandedNodes: 128 << 10, expandedBytes: 1 << 20)

    /// The limits of a body that travels out of line, in a sealed memory file.
    public static let payload = PropertyListLimits(
        bytes: 64 << 20, objects: 2 << 20, depth: 256, expandedNodes: 4 << 20, expandedBytes: 256 << 20)

    /// The limits of an `Info.plist` or another file on disk.
    public static let file = PropertyListLimits(
        bytes: 16 << 20, objects: 256 << 10, depth: 256, expandedNodes: 512 << 10, expandedBytes: 32 << 20)

    var effectiveDepth: Int { min(depth, Self.greatestDepth) }
}
