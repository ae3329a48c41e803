// PayloadMessages: the calls of iMessage apps, in both directions.

public import ExtensionPointKit

// MARK: - Values

/// The look of a message in the transcript: a template's texts, and an image or a media file.
public struct PayloadLayout: Codable, Sendable {
    /// Whether the extension draws the message itself where it is installed. The rest is the alternate layout then.
    public var isLive: Bool
    public var caption: String?
    public var subcaption: String?
    public var trailingCaption: String?
    public var trailingSubcaption: String?
    public var imageTitle: String?
    public var imageSubtitle: String?
    /// The file of the image, or the media file.
    public var media: PointFile?
    /// The name of the media file; absent: the media is an image of the extension's memory.
    public var mediaName: String?

    /// Makes a layout without texts and media.
    public init(isLive: Bool = false) { self.isLive = isLive }
}

/// A message of an iMessage app.
public struct PayloadMessage: Codable, Sendable {
    /// The identifier, which its maker has chosen.
    public var identifier: String
    /// The identifier of the session; absent: the message is in none.
    public var session: String?
    public var url: String?
    public var summary: String?
    public var label: String?
    /// The participant who has made it, a UUID.
    public var sender: String
    /// Whether it has not been sent.
    public var isPending: Bool
    public var shouldExpire: Bool
    public var layout: PayloadLayout?

    /// Makes a message with neither a URL nor a layout.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the message.
    ///   - sender: the participant who has made it, a UUID.
    ///   - isPending: whether it has not been sent.
    public init(identifier: String, sender: String, isPending: Bool) {
        (self.identifier, self.sender, self.isPending, shouldExpire) = (identifier, sender, isPending, false)
    }
}

/// A thing that an extension puts into the input field, or sends.
public struct PayloadItem: Codable, Sendable {
    /// The kinds of items. A host refuses an unrecognized one.
    public enum Kind: String, OpenEnumeration, Hashable { case message, sticker, text, attachment, unrecognized }

    public var kind: Kind
    public var message: PayloadMessage?
    /// The text, or the description of the sticker.
    public var text: String?
    /// The file of the sticker or the attachment.
    public var file: PointFile?
    /// The name of the file.
    public var fileName: String?

    /// Makes an item without content.
    public init(_ kind: Kind) { self.kind = kind }
}

/// The ways in which Messages shows an extension. A receiver treats an unrecognized one as compact.
public enum PayloadStyle: String, OpenEnumeration, Hashable { case compact, expanded, transcript, unrecognized }

/// The view of an iMessage app, as it is now.
public struct PayloadView: Codable, Sendable, Equatable {
    public var style: PayloadStyle
    /// The size in points.
    public var width: Double
    public var height: Double

    /// Makes a value; each is described at its property.
    public init(style: PayloadStyle, width: Double, height: Double) {
        (self.style, self.width, self.height) = (style, width, height)
    }
}

// MARK: - Calls of the host

/// Makes the extension active in a conversation, and shows its view.
public struct OpenPayloadApp: PointMessage {
    public static let name = "imessage.open"
    public typealias Reply = PayloadView

    /// The style and size of the view; for a transcript the largest size.
    public var view: PayloadView
    /// Whether the extension is shown over a photo or the camera.
    public var isMedia: Bool
    /// The participant of this device, a UUID.
    public var local: String
    /// The other participants, UUIDs.
    public var remotes: [String]
    /// The message that the person has selected.
    public var selected: PayloadMessage?

    /// Makes the call; each value is described at its property.
    public init(
        view: PayloadView, isMedia: Bool, local: String, remotes: [String], selected: PayloadMessage? = nil
    ) {
        (self.view, self.isMedia, self.local, self.remotes) = (view, isMedia, local, remotes)
        self.selected = selected
    }
}

/// Says that the person has selected a message of the transcript.
public struct SelectPayload: PointMessage {
    public static let name = "imessage.select"
    public var message: PayloadMessage
    /// - Parameter message: the message.
    public init(_ message: PayloadMessage) { self.message = message }
}

/// Says that a message of the extension has come from another participant.
public struct ReceivePayload: PointMessage {
    public static let name = "imessage.receive"
    public var message: PayloadMessage
    /// - Parameter message: the message.
    public init(_ message: PayloadMessage) { self.message = message }
}

/// Says that a message of the extension is being sent.
public struct StartSendingPayload: PointMessage {
    public static let name = "imessage.startSending"
    public var message: PayloadMessage
    /// - Parameter message: the message, which the extension knows by its identifier.
    public init(_ message: PayloadMessage) { self.message = message }
}

/// Says that the person has removed the extension's message from the input field.
public struct CancelSendingPayload: PointMessage {
    public static let name = "imessage.cancelSending"
    public var message: PayloadMessage
    /// - Parameter message: the message, which the extension knows by its identifier.
    public init(_ message: PayloadMessage) { self.message = message }
}

/// Gives the view another style and size.
public struct TransitPayloadApp: PointMessage {
    public static let name = "imessage.transition"
    public typealias Reply = PayloadView
    public var view: PayloadView
    /// - Parameter view: the style and size.
    public init(_ view: PayloadView) { self.view = view }
}

/// Asks for the style and size of the view.
public struct LookAtPayloadApp: PointMessage {
    public static let name = "imessage.look"
    public typealias Reply = PayloadView
    public init() {}
}

/// Makes the extension inactive, and takes its view down: the last call.
public struct ClosePayloadApp: PointMessage {
    public static let name = "imessage.close"
    public init() {}
}

// MARK: - Calls of the extension

/// The answer to an item.
public struct PayloadItemReply: Codable, Sendable, Equatable {
    /// The number of `MSMessageErrorCode`; absent: it is done.
    public var code: Int?
    /// - Parameter code: the number of the error; nil: none.
    public init(code: Int? = nil) { self.code = code }
}

/// Puts an item into the input field: a call of the extension.
public struct InsertPayload: PointMessage {
    public static let name = "imessage.insert"
    public typealias Reply = PayloadItemReply
    public var item: PayloadItem
    /// - Parameter item: the item.
    public init(_ item: PayloadItem) { self.item = item }
}

/// Sends an item without the input field: a call of the extension.
public struct SendPayload: PointMessage {
    public static let name = "imessage.send"
    public typealias Reply = PayloadItemReply
    public var item: PayloadItem
    /// - Parameter item: the item.
    public init(_ item: PayloadItem) { self.item = item }
}

/// Asks for another style: a call of the extension.
public struct RequestPayloadStyle: PointMessage {
    public static let name = "imessage.requestStyle"
    public var style: PayloadStyle
    /// - Parameter style: the style.
    public init(_ style: PayloadStyle) { self.style = style }
}

/// Asks Messages to show the system's keyboard in place of the extension: a call of the extension.
public struct DismissPayloadApp: PointMessage {
    public static let name = "imessage.dismiss"
    public init() {}
}
