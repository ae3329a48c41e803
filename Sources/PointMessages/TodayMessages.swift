// TodayMessages: the calls of a Today widget.

public import ExtensionPointKit

/// Gives the widget the sizes of the view that shows it, before any other call.
public struct TodaySettings: PointMessage {
    public static let name = "today.settings"

    public struct Reply: Codable, Sendable {
        /// The largest display mode that the widget offers so far.
        public var largest: TodayMode
        /// The margins that the author wants; absent where display modes exist.
        public var margins: TodayMargins?
        public init(largest: TodayMode, margins: TodayMargins? = nil) {
            (self.largest, self.margins) = (largest, margins)
        }
    }

    /// The width in points.
    public var width: Double
    /// The height of the compact mode, in points. Absent: the widget's own height counts, and there are no modes.
    public var compactHeight: Double?
    /// The largest height, in points.
    public var largestHeight: Double
    /// The mode in which the host last showed the widget.
    public var mode: TodayMode
    /// The proposed margins, where there are no modes.
    public var margins: TodayMargins?

    public init(width: Double, compactHeight: Double?, largestHeight: Double, mode: TodayMode, margins: TodayMargins?) {
        (self.width, self.compactHeight, self.largestHeight) = (width, compactHeight, largestHeight)
        (self.mode, self.margins) = (mode, margins)
    }
}

/// Margins in points.
public struct TodayMargins: Codable, Sendable, Hashable {
    public var top, left, bottom, right: Double
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
}

/// The display modes of a widget.
public enum TodayMode: String, Codable, Sendable, Hashable {
    case compact, expanded
}

/// Asks the widget for an update before a snapshot is taken.
public struct TodayUpdate: PointMessage {
    public static let name = "today.performUpdate"

    public enum Result: String, Codable, Sendable, Hashable {
        case newData, noData, failed
        /// The widget has no method for updates.
        case notWritten
    }

    public struct Reply: Codable, Sendable {
        public var result: Result
        public init(_ result: Result) { self.result = result }
    }

    public init() {}
}

/// Takes a picture of the widget's view.
public struct TodaySnapshot: PointMessage {
    public static let name = "today.snapshot"
    public typealias Reply = TodayPicture
    public init() {}
}

/// The view of a widget at one moment.
public struct TodayPicture: Codable, Sendable, Equatable {
    /// The view, in the form of section 8.1 of the protocol's page.
    public var view: PointValue
    /// The author's preferred height, in points.
    public var height: Double
    /// Whether a part of the content lies below the widget's height.
    public var isClipped: Bool

    public init(view: PointValue, height: Double, isClipped: Bool) {
        (self.view, self.height, self.isClipped) = (view, height, isClipped)
    }
}

/// Shows the live view. `showView` follows.
public struct TodayAppear: PointMessage {
    public static let name = "today.appear"
    public init() {}
}

/// Changes the active display mode.
public struct TodayModeChange: PointMessage {
    public static let name = "today.displayMode"
    public var mode: TodayMode
    public init(_ mode: TodayMode) { self.mode = mode }
}

/// Removes the live view, and takes a picture afterwards.
public struct TodayDisappear: PointMessage {
    public static let name = "today.disappear"
    public typealias Reply = TodayPicture
    public init() {}
}

/// Ends the session of the widget. Its request completes without items.
public struct TodayEnd: PointMessage {
    public static let name = "today.end"
    public init() {}
}

/// The widget's call: the largest display mode that it can have.
public struct TodayLargestMode: PointMessage {
    public static let name = "today.largestMode"
    public var mode: TodayMode
    public init(_ mode: TodayMode) { self.mode = mode }
}

/// The annotations of a Today widget.
public enum TodayAnnotation {
    /// Whether the widget has content: true or false; true without the annotation.
    public static let hasContent = "hasContent"
}
