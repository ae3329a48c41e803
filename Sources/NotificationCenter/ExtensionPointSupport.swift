// ExtensionPointSupport: the calls of a Today widget, as calls of the author's code on the main queue.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.widget-extension`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
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
        // The kit makes objects with a view on the main queue.
        MainActor.assumeIsolated { TextEntry.isPossible = false }
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
            await widget.layOut()
            await session.showView()
            return try PointEncoder.encode(await widget.appeared())
        case TodayModeChange.name:
            return try PointEncoder.encode(await widget.change(to: try call.decode(TodayModeChange.self).mode))
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
            values.modes.begin(chosen: settings.mode)
        }
        return await session.onMain {
            controller?.loadViewIfNeeded()
            layOutView()
            guard let proposed = settings.margins, let controller else {
                return TodaySettings.Reply(modes: state.modes)
            }
            let insets = UIEdgeInsets(
                top: proposed.top, left: proposed.left, bottom: proposed.bottom, right: proposed.right)
            let wanted =
                session.ifWritten { controller.widgetMarginInsets(forProposedMarginInsets: insets) } ?? insets
            return TodaySettings.Reply(
                modes: state.modes,
                margins: TodayMargins(top: wanted.top, left: wanted.left, bottom: wanted.bottom, right: wanted.right))
        }
    }

    func layOut() async { await session.onMain { layOutView() } }

    /// Gives the view the width of the host, and the height at which the host shows it.
    @MainActor private func layOutView() {
        guard let view = controller?.viewIfLoaded, let size = shownSize, view.frame.size != size else { return }
        view.frame = CGRect(origin: .zero, size: size)
        guard state.values.withLock({ $0.told != nil }) else { return }
        controller?.viewWillLayoutSubviews()
        view.layoutIfNeeded()
        controller?.viewDidLayoutSubviews()
    }

    @MainActor private var shownSize: CGSize? {
        let preferred = controller?.preferredContentSize.height ?? 0
        return state.values.withLock { values in
            values.settings.map {
                CGSize(width: $0.width, height: $0.height(preferred: preferred, in: values.modes.active))
            }
        }
    }

    func update() async throws -> TodayUpdate.Result {
        let widget = await session.onMain { controller.map { "\(type(of: $0))" } ?? "" }
        do {
            let result: NCUpdateResult = try await session.eitherForm(
                of: "\(widget).widgetPerformUpdate(completionHandler:)",
                handler: { handler in
                    await session.onMain { controller?.widgetPerformUpdate(completionHandler: handler) }
                },
                async: { await updateAsync() })
            return TodayUpdate.Result(result)
        } catch let error as ExtensionHostError where error.code == .notImplemented {
            return .notWritten
        }
    }

    @MainActor private func updateAsync() async -> NCUpdateResult {
        await controller?.widgetPerformUpdate() ?? .failed
    }

    /// Tells the mode at the first appearance.
    func appeared() async -> TodayModes {
        state.values.withLock { if $0.modes.largest == .compact { $0.modes.choose(.compact) } }
        await tellMode()
        return state.modes
    }

    func change(to mode: TodayMode) async -> TodayModes {
        let hasAppeared = state.values.withLock { values in
            values.modes.choose(mode)
            return values.told != nil
        }
        if hasAppeared { await tellMode() }
        return state.modes
    }

    /// Calls `widgetActiveDisplayModeDidChange` if the author's code does not know the active mode.
    private func tellMode() async {
        let mode = state.values.withLock { values -> TodayMode? in
            guard values.settings?.compactHeight != nil, values.told != values.modes.active else { return nil }
            values.told = values.modes.active
            return values.told
        }
        guard let mode else { return }
        await session.onMain {
            layOutView()
            let (mode, size) = (NCWidgetDisplayMode(mode), state.maximumSize(mode))
            session.ifWritten { controller?.widgetActiveDisplayModeDidChange(mode, withMaximumSize: size) }
            // The author's code may prefer another height now.
            layOutView()
        }
    }

    func picture() async -> TodayPicture {
        await layOut()
        let view = await session.describeView()
        return await session.onMain {
            let preferred = controller?.preferredContentSize.height ?? 0
            let bottom = controller?.viewIfLoaded.map(Self.bottom) ?? 0
            return TodayPicture(
                view: PointValue(view?.plist ?? [:]), height: preferred, mode: state.modes.active,
                isClipped: max(bottom, preferred) > shownSize?.height ?? 0)
        }
    }

    /// Returns the lowest place of a view's content, in points below its top edge.
    ///
    /// A content's place is that of its frame, if the author has set one: constraints are not solved. No person scrolls,
    /// so the content of a scroll view counts as a whole.
    @MainActor private static func bottom(of view: UIView) -> Double {
        let inner = view.subviews.filter { !$0.isHidden && $0.alpha > 0 }
            .map { $0.frame.minY + max($0.frame.height, bottom(of: $0)) }
        return max(inner.max() ?? 0, (view as? UIScrollView)?.contentSize.height ?? 0)
    }
}

extension TodayUpdate.Result {
    fileprivate init(_ result: NCUpdateResult) {
        switch result {
        case .newData: self = .newData
        case .noData: self = .noData
        case .failed: self = .failed
        }
    }
}
