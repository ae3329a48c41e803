// MSSession: the bond between the messages that are one entry of a transcript.

public import Foundation

/// A session: a later message of the same session takes the place of the earlier one in the transcript.
open class MSSession: NSObject, NSSecureCoding, @unchecked Sendable {
    // Unchecked: a subclass of the author's answers for its own state.
    let identifier: UUID

    open class var supportsSecureCoding: Bool { true }

    /// Makes a session without messages.
    public override convenience init() { self.init(identifier: UUID()) }

    init(identifier: UUID) { self.identifier = identifier }

    public required init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "identifier") as String?,
            let identifier = UUID(uuidString: text)
        else { return nil }
        self.identifier = identifier
    }

    open func encode(with coder: NSCoder) { coder.encode(identifier.uuidString as NSString, forKey: "identifier") }

    open override func isEqual(_ object: Any?) -> Bool { (object as? MSSession)?.identifier == identifier }
    open override var hash: Int { identifier.hashValue }
}
