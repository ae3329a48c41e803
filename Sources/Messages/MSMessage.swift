// MSMessage: a message of an iMessage app.

import ExtensionPointKit
public import Foundation
import PointMessages

/// A message that an extension makes, or that the person has selected or received.
open class MSMessage: NSObject, NSCopying, NSSecureCoding {
    /// The most characters of a URL (documented).
    static let longestURL = 5000

    /// The identifier under which the host knows the message.
    private(set) var identifier = UUID().uuidString
    /// The session; nil: the message is in none.
    open var session: MSSession? { bond }
    private let bond: MSSession?
    /// Whether the message has not been sent. It becomes false before `didStartSending(_:conversation:)`.
    open internal(set) var isPending = true
    /// The sender. It is different on each device. A new message has no sender, and zeros in the place of one (ours).
    open internal(set) var senderParticipantIdentifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    private var ownLayout: MSMessageLayout?
    /// The look in the transcript, which is copied.
    open var layout: MSMessageLayout? {
        get { ownLayout }
        set { ownLayout = newValue?.copy() as? MSMessageLayout }
    }
    /// The data of the message, as an HTTP(S) or data URL of at most 5,000 characters.
    open var url: URL?
    /// Whether the message goes some time after it was read. The host only notes it.
    open var shouldExpire = false
    open var accessibilityLabel: String?
    /// The words that stay in the transcript when a later message of the session takes this one's place.
    open var summaryText: String?
    /// The reason why the message was not sent. No host sets it.
    open var error: (any Error)?

    /// Makes a message without a session.
    public override init() { bond = nil }

    /// Makes a message of a session.
    ///
    /// - Parameter session: the session.
    public init(session: MSSession) { bond = session }

    private init(optional session: MSSession?) { bond = session }

    /// Returns a copy. The host takes it for the same message.
    ///
    /// - Parameter zone: has no meaning.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = MSMessage(optional: session)
        (copy.identifier, copy.isPending) = (identifier, isPending)
        copy.senderParticipantIdentifier = senderParticipantIdentifier
        copy.layout = layout
        (copy.url, copy.shouldExpire, copy.error) = (url, shouldExpire, error)
        (copy.accessibilityLabel, copy.summaryText) = (accessibilityLabel, summaryText)
        return copy
    }

    // MARK: Files

    open class var supportsSecureCoding: Bool { true }

    /// Reads a message from an archive. The layout is not in it (ours).
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        // A key that is not there would be an error of the archive.
        func text(_ key: String) -> String? {
            guard coder.containsValue(forKey: key) else { return nil }
            return coder.decodeObject(of: NSString.self, forKey: key) as String?
        }
        bond =
            coder.containsValue(forKey: "session") ? coder.decodeObject(of: MSSession.self, forKey: "session") : nil
        super.init()
        url = text("url").flatMap { URL(string: $0) }
        (accessibilityLabel, summaryText) = (text("accessibilityLabel"), text("summaryText"))
        identifier = text("identifier") ?? identifier
        senderParticipantIdentifier = text("sender").flatMap { UUID(uuidString: $0) } ?? senderParticipantIdentifier
        isPending = coder.decodeBool(forKey: "isPending")
        shouldExpire = coder.decodeBool(forKey: "shouldExpire")
    }

    open func encode(with coder: NSCoder) {
        if let session { coder.encode(session, forKey: "session") }
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(senderParticipantIdentifier.uuidString as NSString, forKey: "sender")
        for (text, key) in [
            (url?.absoluteString, "url"), (accessibilityLabel, "accessibilityLabel"), (summaryText, "summaryText"),
        ] where text != nil {
            coder.encode(text.map { $0 as NSString }, forKey: key)
        }
        coder.encode(isPending, forKey: "isPending")
        coder.encode(shouldExpire, forKey: "shouldExpire")
    }

    // MARK: The wire

    /// Makes a message of the host's.
    convenience init(_ message: PayloadMessage, place: @escaping (PointFile, String) throws -> URL) {
        self.init(optional: message.session.map { MSSession(identifier: UUID(uuidString: $0) ?? UUID()) })
        identifier = message.identifier
        url = message.url.flatMap { URL(string: $0) }
        (summaryText, accessibilityLabel) = (message.summary, message.label)
        senderParticipantIdentifier = UUID(uuidString: message.sender) ?? senderParticipantIdentifier
        (isPending, shouldExpire) = (message.isPending, message.shouldExpire)
        ownLayout = message.layout.map { MSMessageLayout.made($0, place: place) }
    }

    /// Returns the message in the form that travels, as it is now.
    ///
    /// - Throws: an error of `MSMessagesErrorDomain`.
    func travelling(from sender: UUID) throws -> PayloadMessage {
        if let url, url.absoluteString.utf8.count > Self.longestURL {
            throw MSMessageErrorCode.error(answered: MSMessageErrorCode.urlExceedsMaxSize.rawValue)
        }
        var message = PayloadMessage(identifier: identifier, sender: sender.uuidString, isPending: true)
        message.session = session?.identifier.uuidString
        (message.url, message.summary, message.label) = (url?.absoluteString, summaryText, accessibilityLabel)
        message.shouldExpire = shouldExpire
        message.layout = try layout?.travelling()
        return message
    }

    /// Gives a message that is inserted again after it was sent another identifier.
    func beNew() {
        guard !isPending else { return }
        (identifier, isPending) = (UUID().uuidString, true)
    }
}
