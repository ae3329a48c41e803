// DeclarationFault: what is wrong with one value of an Info.plist, and what to write instead.

/// A fault by its place, its message and its remedy.
public struct DeclarationFault: Sendable, Hashable {
    /// The way from the top of the property list, with dots between, as far as it is known.
    public let key: String
    /// One sentence without its full stop.
    public let message: String
    public let remedy: String

    init(_ key: String, _ message: String, remedy: String) {
        self.key = key
        self.message = message
        self.remedy = remedy
    }

    /// In one line.
    public var text: String { "\(message). \(remedy)" }
}
