// PropertyListLimits: what a reader may spend on one input before it refuses it.

/// Budgets of one reading. Every field is a ceiling that is still allowed; the readers check before they spend, so an
/// input over budget costs neither its time nor its memory.
///
/// A binary property list may refer to one object many times, so a few hundred bytes can stand for billions of values.
/// `expandedNodes` and `expandedBytes` count what a walk over the result would meet, shared objects each time anew.
public struct PropertyListLimits: Sendable, Hashable {
    /// The nesting no reader or writer goes beyond, whatever `depth` says: both recurse, and a thread's stack is finite.
    /// Optimised, a level takes up to 1.4 KiB of it: 128 levels (a packet) fit 192 KiB, 512 fit 768 KiB.
    public static let greatestDepth = 512

    /// Length of the input, in bytes.
    public var bytes: Int
    /// Objects in the offset table (binary), or elements and keys (XML).
    public var objects: Int
    /// Arrays and dictionaries around a value, the outermost included. Taken as `greatestDepth` when larger.
    public var depth: Int
    /// Values and keys a walk over the result would visit.
    public var expandedNodes: Int
    /// Bytes of strings (as UTF-8), keys and data such a walk would visit.
    public var expandedBytes: Int

    public init(bytes: Int, objects: Int, depth: Int, expandedNodes: Int, expandedBytes: Int) {
        self.bytes = bytes
        self.objects = objects
        self.depth = depth
        self.expandedNodes = expandedNodes
        self.expandedBytes = expandedBytes
    }

    /// The body of one packet. Nothing an honest writer puts into 64 KiB exceeds the other budgets.
    public static let packet = PropertyListLimits(
        bytes: 64 << 10, objects: 32 << 10, depth: 128, expandedNodes: 128 << 10, expandedBytes: 1 << 20)

    /// A body that travels out of line, in a sealed memory file.
    public static let payload = PropertyListLimits(
        bytes: 64 << 20, objects: 2 << 20, depth: 256, expandedNodes: 4 << 20, expandedBytes: 256 << 20)

    /// An `Info.plist` or another file on disk.
    public static let file = PropertyListLimits(
        bytes: 16 << 20, objects: 256 << 10, depth: 256, expandedNodes: 512 << 10, expandedBytes: 32 << 20)

    var effectiveDepth: Int { min(depth, Self.greatestDepth) }
}
