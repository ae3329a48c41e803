// MSMessagesAppViewController: the principal class of an iMessage app.

public import Foundation
import PointFrameworkKit
import PointMessages
public import UIKit

/// The ways in which Messages shows an extension.
public enum MSMessagesAppPresentationStyle: UInt, Sendable {
    /// The view takes the place of the keyboard.
    case compact
    /// The view takes most of the screen.
    case expanded
    /// The view is that of one message in the transcript.
    case transcript

    init(_ style: PayloadStyle) {
        switch style {
        case .compact, .unrecognized: self = .compact
        case .expanded: self = .expanded
        case .transcript: self = .transcript
        }
    }
}

/// The places at which Messages shows an extension.
public enum MSMessagesAppPresentationContext: UInt, Sendable {
    /// A conversation.
    case messages
    /// The view lies over a photo or the camera.
    case media
}

/// The methods of a view in the transcript.
@MainActor @preconcurrency public protocol MSMessagesAppTranscriptPresentation {
    /// Returns the size of the view.
    ///
    /// - Parameter size: the largest size.
    func contentSizeThatFits(_ size: CGSize) -> CGSize
}

/// The principal class of an iMessage app. All methods are called on the main queue.
@MainActor @preconcurrency
open class MSMessagesAppViewController: UIViewController,
    MSMessagesAppTranscriptPresentation
{
    /// The conversation; nil before the extension becomes active.
    open internal(set) var activeConversation: MSConversation?
    open internal(set) var presentationStyle = MSMessagesAppPresentationStyle.compact
    open internal(set) var presentationContext = MSMessagesAppPresentationContext.messages

    private var session: PointSession? { extensionContext.flatMap { PointSession.of($0) } }

    /// Asks Messages for another style. From the transcript another object of this class is shown so.
    ///
    /// A request for `transcript` has no effect, and is reported.
    ///
    /// - Parameter presentationStyle: `compact` or `expanded`.
    open func requestPresentationStyle(_ presentationStyle: MSMessagesAppPresentationStyle) {
        switch presentationStyle {
        case .compact: session?.send(RequestPayloadStyle(.compact))
        case .expanded: session?.send(RequestPayloadStyle(.expanded))
        case .transcript: session?.report("the style transcript cannot be requested")
        }
    }

    /// Asks Messages to show the system's keyboard in place of the extension. In the transcript it has no effect.
    open func dismiss() {
        guard presentationStyle != .transcript else { return }
        session?.send(DismissPayloadApp())
    }

    /// Returns the size of the view in the transcript: all of `size`, unless a subclass overrides it (ours).
    ///
    /// - Parameter size: the largest size.
    open func contentSizeThatFits(_ size: CGSize) -> CGSize { size }

    // MARK: Its life

    /// The extension is about to become active: the view is loaded, and has not appeared.
    open func willBecomeActive(with conversation: MSConversation) {}
    /// The extension has become active, and its view has appeared.
    open func didBecomeActive(with conversation: MSConversation) {}
    /// The extension is about to become inactive.
    open func willResignActive(with conversation: MSConversation) {}
    /// The extension has become inactive, and its view has gone.
    open func didResignActive(with conversation: MSConversation) {}

    // MARK: Its messages: not called in the transcript, or over a photo or the camera

    /// The person selects a message. `selectedMessage` is still the earlier one.
    open func willSelect(_ message: MSMessage, conversation: MSConversation) {}
    /// The person has selected a message, which `selectedMessage` is now.
    open func didSelect(_ message: MSMessage, conversation: MSConversation) {}
    /// A message has come from another participant.
    open func didReceive(_ message: MSMessage, conversation: MSConversation) {}
    /// A message is being sent. It may still fail.
    open func didStartSending(_ message: MSMessage, conversation: MSConversation) {}
    /// The person has removed the message from the input field.
    open func didCancelSending(_ message: MSMessage, conversation: MSConversation) {}

    // MARK: Its style: not called in the transcript

    /// The view is about to get another style.
    open func willTransition(to presentationStyle: MSMessagesAppPresentationStyle) {}
    /// The view has another style.
    open func didTransition(to presentationStyle: MSMessagesAppPresentationStyle) {}
}
