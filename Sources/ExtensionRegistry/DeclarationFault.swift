// DeclarationFault: a fault in one value of an Info.plist, with its remedy.

/// A fault, with its place, message and remedy.
public struct DeclarationFault: Sendable, Hashable {
    /// The key path from the top of the property list, joined by dots, as far as it is known.
    public let key: String
    /// One sentence without its full stop.
    public let message: String
    public let remedy: String

    init(_ key: String, _ message: String, remedy: String) {
        self.key = key
        self.message = message
        self.remedy = remedy
    }

    /// The fault in one line.
    public var text: String { "\(message). \(remedy)" }
}
