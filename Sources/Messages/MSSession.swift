// MSSession: the bond between the messages that are one entry of a transcript.

public import Foundation

/// A session: a later message of the same session takes the place of the earlier one in the transcript.
public final class MSSession: NSObject, NSSecureCoding, Sendable {
    let identifier: UUID

    public static var supportsSecureCoding: Bool { true }

    /// Makes a session without messages.
    public override convenience init() { self.init(identifier: UUID()) }

    init(identifier: UUID) { self.identifier = identifier }

    public init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "identifier") as String?,
            let identifier = UUID(uuidString: text)
        else { return nil }
        self.identifier = identifier
    }

    public func encode(with coder: NSCoder) { coder.encode(identifier.uuidString as NSString, forKey: "identifier") }

    public override func isEqual(_ object: Any?) -> Bool { (object as? MSSession)?.identifier == identifier }
    public override var hash: Int { identifier.hashValue }
}
