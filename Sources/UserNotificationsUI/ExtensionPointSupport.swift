// ExtensionPointSupport: the calls of a host that shows a notification, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import UIKit
import UserNotifications

/// The framework's half of `com.apple.usernotifications.content-extension`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears after `didReceive(_:)` (documented).
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is any UIViewController & UNNotificationContentExtension else {
            throw ExtensionHostError(
                .principalUnsuitable,
                "\(Swift.type(of: made)) is not a UIViewController that adopts UNNotificationContentExtension",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    /// A person uses the view only if the extension declares so (documented).
    func refusal(of action: String) -> ExtensionHostError? {
        let declaration = Bundle.main.object(forInfoDictionaryKey: "NSExtension") as? [String: Any]
        let attributes = declaration?["NSExtensionAttributes"] as? [String: Any]
        switch attributes?["UNNotificationExtensionUserInteractionEnabled"] {
        case let flag as Bool where flag: return nil
        case let word as String where ["YES", "yes", "true"].contains(word): return nil
        default: break
        }
        return ExtensionHostError(
            .notPermitted, "the view of this notification takes no actions of a person",
            remedy: "Set UNNotificationExtensionUserInteractionEnabled in NSExtensionAttributes")
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let shown = ShownNotification(session: session, state: NotificationState.of(session))
        switch call.name {
        case ShowNotification.name:
            try await shown.receive(try call.decode(ShowNotification.self))
        case LookAtNotification.name: break
        case RespondToNotification.name:
            let answer = try await shown.respond(try call.decode(RespondToNotification.self))
            return try PointEncoder.encode(RespondToNotification.Reply(answer, await shown.view()))
        case PressMediaButton.name:
            await shown.press(try call.decode(PressMediaButton.self).plays)
        case CloseNotification.name:
            await session.hideView()
            return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "UserNotificationsUI has no call \(call.name)")
        }
        return try PointEncoder.encode(await shown.view())
    }
}

/// The principal object of a notification's view, which lives on the main actor, with its state.
private struct ShownNotification: Sendable {
    let session: PointSession
    let state: NotificationState

    @MainActor private var controller: (any UIViewController & UNNotificationContentExtension)? {
        session.principal as? any UIViewController & UNNotificationContentExtension
    }

    func receive(_ message: ShowNotification) async throws {
        // The files are there for as long as the view.
        let files = try message.content.attachments.map { try session.lend($0.file, named: $0.fileName) }
        let isFirst = state.values.withLock { values in
            defer { (values.width, values.height) = (message.width, message.height) }
            // The author's code may have set buttons before.
            if values.width == 0, !values.hasOwnActions { values.actions = message.actions }
            return values.width == 0
        }
        await session.onMain {
            guard let controller else { return }
            let content = UNNotificationContent(message.content, files: files)
            let request = UNNotificationRequest(
                identifier: message.identifier, content: content, trigger: UNPushNotificationTrigger())
            let notification = UNNotification(request, date: Date(timeIntervalSince1970: message.date))
            state.notifications[message.identifier] = notification
            controller.loadViewIfNeeded()
            layOut()
            controller.didReceive(notification)
            layOut()
        }
        guard isFirst else { return }
        await session.showView()
        state.values.withLock { $0.hasAppeared = true }
    }

    /// Gives the view the width of the host, and the height that the extension prefers.
    @MainActor private func layOut() {
        guard let view = controller?.viewIfLoaded, view.frame.size != size else { return }
        view.frame = CGRect(origin: .zero, size: size)
        guard state.values.withLock({ $0.hasAppeared }) else { return }
        controller?.viewWillLayoutSubviews()
        view.layoutIfNeeded()
        controller?.viewDidLayoutSubviews()
    }

    @MainActor private var size: CGSize {
        let preferred = controller?.preferredContentSize.height ?? 0
        return state.values.withLock { CGSize(width: $0.width, height: preferred > 0 ? preferred : $0.height) }
    }

    func respond(_ message: RespondToNotification) async throws -> RespondToNotification.Answer {
        let controllerName = await session.onMain { controller.map { "\(type(of: $0))" } ?? "" }
        do {
            let option: UNNotificationContentExtensionResponseOption = try await session.eitherForm(
                of: "\(controllerName).didReceive(_:completionHandler:)",
                handler: { handler in
                    try await session.onMain {
                        controller?.didReceive(try response(message), completionHandler: handler)
                    }
                },
                async: { try await respondAsync(message) })
            return RespondToNotification.Answer(option)
        } catch let error as ExtensionHostError where error.code == .notImplemented {
            return .notWritten
        }
    }

    @MainActor private func respondAsync(
        _ message: RespondToNotification
    ) async throws -> UNNotificationContentExtensionResponseOption {
        await controller?.didReceive(try response(message)) ?? .dismissAndForwardAction
    }

    @MainActor private func response(_ message: RespondToNotification) throws -> UNNotificationResponse {
        guard let notification = state.notifications[message.notification] else {
            throw ExtensionHostError(.invalidArgument, "the extension has no notification \(message.notification)")
        }
        guard let text = message.text else { return UNNotificationResponse(notification, action: message.action) }
        return UNTextInputNotificationResponse(notification, action: message.action, text: text)
    }

    func press(_ plays: Bool) async {
        await session.onMain {
            session.ifWritten { plays ? controller?.mediaPlay() : controller?.mediaPause() }
        }
    }

    func view() async -> NotificationView {
        await session.onMain {
            layOut()
            let frame = controller?.mediaPlayPauseButtonFrame ?? .zero
            return NotificationView(
                height: size.height, media: NotificationMediaButton(controller?.mediaPlayPauseButtonType ?? .none),
                mediaFrame: [frame.minX, frame.minY, frame.width, frame.height].map(Double.init))
        }
    }
}

extension NotificationMediaButton {
    fileprivate init(_ type: UNNotificationContentExtensionMediaPlayPauseButtonType) {
        switch type {
        case .none: self = .none
        case .default: self = .default
        case .overlay: self = .overlay
        }
    }
}

extension RespondToNotification.Answer {
    fileprivate init(_ option: UNNotificationContentExtensionResponseOption) {
        switch option {
        case .doNotDismiss: self = .stay
        case .dismiss: self = .dismiss
        case .dismissAndForwardAction: self = .forward
        }
    }
}
