// NCWidgetController: the switch by which a widget, or its app, says whether it has anything to show.

import ExtensionPointKit
public import Foundation
import PointMessages

/// A controller of the widgets of one app. Objects have no state, and are safe to use from any thread.
open class NCWidgetController: NSObject {
    /// Says whether a widget has content (documented). Without content the host does not show the widget, and asks it
    /// for no update; it does at first.
    ///
    /// The daemon stores the value, so it outlives this process. A widget and its containing app may set it; for another
    /// app's widget one line on standard error says that it was refused.
    ///
    /// - Parameters:
    ///   - flag: whether the widget has content.
    ///   - bundleID: the identifier of the widget's bundle.
    open func setHasContent(_ flag: Bool, forWidgetWithBundleIdentifier bundleID: String) {
        ExtensionAnnotation.set(flag, named: TodayAnnotation.hasContent, of: bundleID)
    }
}
