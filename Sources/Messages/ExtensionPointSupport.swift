// ExtensionPointSupport: the calls of a host that plays Messages, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.message-payload-provider`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears between `willBecomeActive(with:)` and `didBecomeActive(with:)`.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is MSMessagesAppViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not an MSMessagesAppViewController",
                remedy: "Derive it from that class, or name another one in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let app = ShownApp(session: session, state: MessagesState.of(session))
        switch call.name {
        case OpenPayloadApp.name:
            return try PointEncoder.encode(try await app.open(try call.decode(OpenPayloadApp.self)))
        case TransitPayloadApp.name:
            return try PointEncoder.encode(try await app.transit(try call.decode(TransitPayloadApp.self).view))
        case LookAtPayloadApp.name: return try PointEncoder.encode(try await app.view())
        case SelectPayload.name: try await app.select(try call.decode(SelectPayload.self).message)
        case ReceivePayload.name:
            try await app.tell(try call.decode(ReceivePayload.self).message, isOwn: false) { $0.didReceive }
        case StartSendingPayload.name:
            try await app.tell(try call.decode(StartSendingPayload.self).message, isOwn: true) { $0.didStartSending }
        case CancelSendingPayload.name:
            try await app.tell(try call.decode(CancelSendingPayload.self).message, isOwn: true) { $0.didCancelSending }
        case ClosePayloadApp.name: try await app.close()
        default: throw ExtensionHostError(.notImplemented, "Messages has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }
}

/// The principal object of one view, which lives on the main actor, with its state.
private struct ShownApp: Sendable {
    let session: PointSession
    let state: MessagesState

    @MainActor private func controller() throws -> MSMessagesAppViewController {
        guard let controller = session.principal as? MSMessagesAppViewController else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        return controller
    }

    /// Returns the conversation of an open view.
    @MainActor private func conversation() throws -> MSConversation {
        guard let conversation = try controller().activeConversation else {
            throw ExtensionHostError(.protocolViolation, "the extension is not active")
        }
        return conversation
    }

    /// Makes a message of the host's one of the author's, whose files stay as long as the request.
    @MainActor private func made(_ message: PayloadMessage) -> MSMessage {
        MSMessage(message) { try session.lend($0, named: $1) }
    }

    func open(_ message: OpenPayloadApp) async throws -> PayloadView {
        try await session.onMain {
            let controller = try controller()
            guard controller.activeConversation == nil else {
                throw ExtensionHostError(.protocolViolation, "the extension is active already")
            }
            controller.presentationStyle = MSMessagesAppPresentationStyle(message.view.style)
            controller.presentationContext = message.isMedia ? .media : .messages
            controller.loadViewIfNeeded()
            let conversation = MSConversation(session, message)
            conversation.selectedMessage = message.selected.map(made)
            controller.activeConversation = conversation
            controller.willBecomeActive(with: conversation)
            layOut(message.view, isShown: false)
        }
        await session.showView()
        try await session.onMain { try controller().didBecomeActive(with: try conversation()) }
        return try await view()
    }

    /// Gives the view its size. In the transcript the author's code chooses it, within that size.
    ///
    /// - Parameters:
    ///   - wanted: the style and size.
    ///   - isShown: whether the view has appeared. Its appearance lays it out otherwise.
    @MainActor private func layOut(_ wanted: PayloadView, isShown: Bool = true) {
        guard let controller = try? controller() else { return }
        var size = CGSize(width: wanted.width, height: wanted.height)
        if controller.presentationStyle == .transcript {
            let fitting = controller.contentSizeThatFits(size)
            func side(_ value: CGFloat, _ most: CGFloat) -> CGFloat { value.isFinite ? min(max(value, 0), most) : most }
            size = CGSize(width: side(fitting.width, size.width), height: side(fitting.height, size.height))
        }
        state.view.withLock { $0 = PayloadView(style: wanted.style, width: size.width, height: size.height) }
        guard let view = controller.viewIfLoaded, view.frame.size != size else { return }
        view.frame = CGRect(origin: .zero, size: size)
        guard isShown else { return }
        controller.viewWillLayoutSubviews()
        view.layoutIfNeeded()
        controller.viewDidLayoutSubviews()
    }

    func transit(_ wanted: PayloadView) async throws -> PayloadView {
        try await session.onMain {
            let controller = try controller()
            _ = try conversation()
            let style = MSMessagesAppPresentationStyle(wanted.style)
            guard controller.presentationStyle != .transcript, style != .transcript else {
                throw ExtensionHostError(.invalidArgument, "a view in the transcript keeps its style")
            }
            controller.willTransition(to: style)
            controller.presentationStyle = style
            layOut(wanted)
            controller.didTransition(to: style)
            controller.noteChange()
        }
        return try await view()
    }

    func view() async throws -> PayloadView {
        try await session.onMain {
            _ = try conversation()
            return state.view.withLock { $0 }
        }
    }

    func select(_ message: PayloadMessage) async throws {
        try await session.onMain {
            let (controller, conversation) = (try controller(), try conversation())
            let message = made(message)
            controller.willSelect(message, conversation: conversation)
            conversation.selectedMessage = message
            controller.didSelect(message, conversation: conversation)
            controller.noteChange()
        }
    }

    /// Tells the author's code about a message.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - isOwn: whether the message is in the input field, or leaves it.
    ///   - method: the method.
    func tell(
        _ message: PayloadMessage, isOwn: Bool,
        _ method: @MainActor @Sendable (MSMessagesAppViewController) -> (MSMessage, MSConversation) -> Void
    ) async throws {
        try await session.onMain {
            let (controller, conversation) = (try controller(), try conversation())
            let known = isOwn ? state.take(message.identifier) : nil
            known?.isPending = message.isPending
            method(controller)(known ?? made(message), conversation)
            controller.noteChange()
        }
    }

    func close() async throws {
        try await session.onMain { try controller().willResignActive(with: try conversation()) }
        await session.hideView()
        try await session.onMain {
            let (controller, conversation) = (try controller(), try conversation())
            controller.didResignActive(with: conversation)
            controller.activeConversation = nil
        }
    }
}
