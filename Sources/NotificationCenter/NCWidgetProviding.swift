// NCWidgetProviding: the methods of a Today widget, under Apple's names.

import ExtensionFoundation
import ExtensionPointKit
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages
public import UIKit

/// The result of a widget's update.
public enum NCUpdateResult: UInt, Sendable {
    case newData, noData, failed
}

/// The display modes of a widget.
public enum NCWidgetDisplayMode: Int, Sendable {
    case compact, expanded

    init(_ mode: TodayMode) { self = mode == .expanded ? .expanded : .compact }

    var message: TodayMode { self == .expanded ? .expanded : .compact }
}

/// The methods that the principal class of a widget may write. Each has a default, as all are optional on Apple's
/// systems.
///
/// A method that only a subclass of the adopting class writes is not called.
@MainActor @preconcurrency public protocol NCWidgetProviding: AnyObject {
    /// Updates the view before a picture of it is taken (documented).
    ///
    /// `completionHandler` counts once, and has 10 s (`CallLimits`). A widget without the method has no new data.
    func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void)

    /// The other form of `widgetPerformUpdate(completionHandler:)`; a widget needs one of them (documented).
    func widgetPerformUpdate() async -> NCUpdateResult

    /// The active display mode has changed, or the widget appears for the first time.
    func widgetActiveDisplayModeDidChange(_ activeDisplayMode: NCWidgetDisplayMode, withMaximumSize maxSize: CGSize)

    /// Returns the margins, in hosts without display modes.
    func widgetMarginInsets(forProposedMarginInsets defaultMarginInsets: UIEdgeInsets) -> UIEdgeInsets
}

extension NCWidgetProviding {
    public func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) { PointSession.notWritten() }

    public func widgetPerformUpdate() async -> NCUpdateResult {
        PointSession.notWritten()
        return .noData
    }

    public func widgetActiveDisplayModeDidChange(
        _ activeDisplayMode: NCWidgetDisplayMode, withMaximumSize maxSize: CGSize
    ) {
        PointSession.notWritten()
    }

    public func widgetMarginInsets(forProposedMarginInsets defaultMarginInsets: UIEdgeInsets) -> UIEdgeInsets {
        PointSession.notWritten()
        return defaultMarginInsets
    }
}

/// The framework's state of one widget. Safe to use from any thread.
final class WidgetState: Sendable {
    struct Values {
        var settings: TodaySettings?
        var modes = TodayModes()
        /// The mode that the author's code was told last.
        var told: TodayMode?
    }

    let values = Mutex(Values())

    static func of(_ session: PointSession) -> WidgetState { session.state(WidgetState.self) { WidgetState() } }

    static func of(_ context: NSExtensionContext) -> WidgetState? { PointSession.of(context).map(of) }

    var modes: TodayModes { values.withLock { $0.modes } }

    /// Returns the largest size in a mode. The width is always that of the host (observed).
    func maximumSize(_ mode: TodayMode) -> CGSize {
        values.withLock { values in
            guard let settings = values.settings else { return .zero }
            return CGSize(width: settings.width, height: settings.height(preferred: .greatestFiniteMagnitude, in: mode))
        }
    }
}

extension NSExtensionContext {
    /// The largest display mode of the widget. With `expanded` the host offers to toggle (observed).
    ///
    /// It is `compact` at the beginning of each session, so widgets set it in `viewDidLoad`. The host remembers the mode
    /// that the person chose. A widget that takes `expanded` back, or appears without it, loses that choice.
    public var widgetLargestAvailableDisplayMode: NCWidgetDisplayMode {
        get { NCWidgetDisplayMode(WidgetState.of(self)?.modes.largest ?? .compact) }
        set {
            guard let session = PointSession.of(self) else { return }
            let state = WidgetState.of(session)
            let changed = state.values.withLock { values -> TodayModes? in
                guard values.modes.largest != newValue.message else { return nil }
                values.modes.offer(newValue.message)
                return values.modes
            }
            if let changed { session.send(TodayLargestMode(changed)) }
        }
    }

    /// The active display mode of the widget.
    public var widgetActiveDisplayMode: NCWidgetDisplayMode {
        NCWidgetDisplayMode(WidgetState.of(self)?.modes.active ?? .compact)
    }

    /// Returns the largest size of the widget in a display mode, in points. Its width is that of the host.
    public func widgetMaximumSize(for displayMode: NCWidgetDisplayMode) -> CGSize {
        WidgetState.of(self)?.maximumSize(displayMode.message) ?? .zero
    }
}
