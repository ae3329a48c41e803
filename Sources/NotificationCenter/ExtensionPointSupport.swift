// ExtensionPointSupport: the calls of a Today widget, as calls of the author's code on the main queue.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointMessages
import UIKit

/// The framework's half of `com.apple.widget-extension`.
final class ExtensionPointSupport: ExtensionFoundation.ExtensionPointSupport {
    init() {}

    /// The host shows a picture until it opens the widget.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is any UIViewController & NCWidgetProviding else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not a UIViewController that adopts NCWidgetProviding",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    /// Widgets have no keyboard and do not scroll (documented).
    func refusal(of action: String) -> ExtensionHostError? {
        switch action {
        case "setText":
            ExtensionHostError(.notPermitted, "a Today widget has no keyboard", remedy: "Open the app to edit text")
        case "scroll": ExtensionHostError(.notPermitted, "a Today widget does not scroll", remedy: "Show less at once")
        default: nil
        }
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let widget = Widget(session)
        switch call.name {
        case TodaySettings.name:
            return try PointEncoder.encode(await widget.take(try call.decode(TodaySettings.self)))
        case TodayUpdate.name: return try PointEncoder.encode(TodayUpdate.Reply(try await widget.update()))
        case TodaySnapshot.name: return try PointEncoder.encode(await widget.picture())
        case TodayAppear.name:
            await session.showView()
            await widget.appeared()
        case TodayModeChange.name: await widget.change(to: try call.decode(TodayModeChange.self).mode)
        case TodayDisappear.name:
            await session.hideView()
            return try PointEncoder.encode(await widget.picture())
        case TodayEnd.name: break
        default: throw ExtensionHostError(.notImplemented, "NotificationCenter has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }
}

/// The principal object of a widget, which lives on the main actor, with its state.
private struct Widget: Sendable {
    let session: PointSession
    let state: WidgetState

    init(_ session: PointSession) {
        self.session = session
        state = WidgetState.of(session)
    }

    @MainActor private var controller: (any UIViewController & NCWidgetProviding)? {
        session.principal as? any UIViewController & NCWidgetProviding
    }

    func take(_ settings: TodaySettings) async -> TodaySettings.Reply {
        state.values.withLock { values in
            values.settings = settings
            values.active = settings.mode
        }
        return await session.onMain {
            controller?.loadViewIfNeeded()
            let largest = state.values.withLock { values in
                if values.largest == .compact { values.active = .compact }
                return values.largest
            }
            guard let proposed = settings.margins, let controller else { return TodaySettings.Reply(largest: largest) }
            let wanted = controller.widgetMarginInsets(
                forProposedMarginInsets: UIEdgeInsets(
                    top: proposed.top, left: proposed.left, bottom: proposed.bottom, right: proposed.right))
            return TodaySettings.Reply(
                largest: largest,
                margins: TodayMargins(top: wanted.top, left: wanted.left, bottom: wanted.bottom, right: wanted.right))
        }
    }

    func update() async throws -> TodayUpdate.Result {
        let result: TodayUpdate.Result = try await session.completion(
            of:
                "\(await session.onMain { controller.map { "\(type(of: $0))" } ?? "" }).widgetPerformUpdate(completionHandler:)"
        ) { handler in
            await session.onMain {
                WidgetDefaults.isUsed = false
                controller?.widgetPerformUpdate { result in
                    switch result {
                    case .newData: handler(.newData)
                    case .noData: handler(.noData)
                    case .failed: handler(.failed)
                    }
                }
            }
        }
        return await session.onMain { WidgetDefaults.isUsed } ? .notWritten : result
    }

    /// The mode is told at the first appearance.
    func appeared() async {
        let mode = state.values.withLock { values in
            defer { values.hasAppeared = true }
            return values.hasAppeared || values.settings?.compactHeight == nil ? nil : values.active
        }
        if let mode { await tell(mode) }
    }

    func change(to mode: TodayMode) async {
        let isChanged = state.values.withLock { values in
            defer { values.active = mode }
            return values.active != mode && values.hasAppeared
        }
        if isChanged { await tell(mode) }
    }

    private func tell(_ mode: TodayMode) async {
        await session.onMain {
            controller?.widgetActiveDisplayModeDidChange(
                NCWidgetDisplayMode(mode), withMaximumSize: state.maximumSize(mode))
        }
    }

    func picture() async -> TodayPicture {
        let view = await session.describeView()
        let largest = state.maximumSize(state.values.withLock { $0.active }).height
        return await session.onMain {
            let preferred = controller?.preferredContentSize.height ?? 0
            // Nothing is laid out: a content's place is that of its frame, if the author has set one.
            let bottom = controller?.viewIfLoaded?.subviews.map(\.frame.maxY).max() ?? 0
            return TodayPicture(
                view: PointValue(view?.plist ?? [:]), height: preferred, isClipped: max(bottom, preferred) > largest)
        }
    }
}
