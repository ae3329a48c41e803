// TodayMessages: the calls of a Today widget.

public import ExtensionPointKit

/// Gives the widget the sizes of the view that shows it, before any other call.
public struct TodaySettings: PointMessage {
    public static let name = "today.settings"

    public struct Reply: Codable, Sendable {
        /// The display modes once the view is loaded.
        public var modes: TodayModes
        /// The margins that the author wants; absent where display modes exist.
        public var margins: TodayMargins?
        public init(modes: TodayModes, margins: TodayMargins? = nil) { (self.modes, self.margins) = (modes, margins) }
    }

    /// The width in points.
    public var width: Double
    /// The height of the compact mode, in points. Absent: the widget's own height counts, and there are no modes.
    public var compactHeight: Double?
    /// The largest height, in points.
    public var largestHeight: Double
    /// The mode that the person chose last.
    public var mode: TodayMode
    /// The proposed margins, where there are no modes.
    public var margins: TodayMargins?

    public init(width: Double, compactHeight: Double?, largestHeight: Double, mode: TodayMode, margins: TodayMargins?) {
        (self.width, self.compactHeight, self.largestHeight) = (width, compactHeight, largestHeight)
        (self.mode, self.margins) = (mode, margins)
    }

    /// Returns the height in points at which a widget is shown.
    ///
    /// The author's preferred height has an effect without display modes, and in the expanded mode.
    public func height(preferred: Double, in mode: TodayMode) -> Double {
        let wanted = preferred.isFinite ? max(preferred, 0) : 0
        guard let compactHeight else { return min(wanted, largestHeight) }
        return mode == .expanded ? min(max(wanted, compactHeight), largestHeight) : compactHeight
    }
}

/// Margins in points.
public struct TodayMargins: Codable, Sendable, Hashable {
    public var top, left, bottom, right: Double
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
}

/// The display modes of a widget. Both sides treat an unrecognized mode as the compact one, which all widgets have.
public enum TodayMode: String, OpenEnumeration, Hashable {
    case compact, expanded, unrecognized
}

/// The display modes of a widget in one session. The widget's process changes them, and the host follows.
public struct TodayModes: Codable, Sendable, Hashable {
    /// The largest mode that the widget offers; `compact` at the beginning of each session.
    public private(set) var largest = TodayMode.compact
    /// The mode that the person chose last.
    public private(set) var chosen = TodayMode.compact
    /// The number of changes in this session: of two values the one with the higher number is the newer.
    public private(set) var number = 0

    /// Makes the modes of a widget that was never shown.
    public init() {}

    /// The active mode: the chosen one, as far as the widget offers it.
    public var active: TodayMode { largest == .expanded && chosen == .expanded ? .expanded : .compact }

    /// Changes what the widget offers. Without the expanded mode, the choice of the person is lost.
    public mutating func offer(_ largest: TodayMode) {
        self.largest = largest
        if largest == .compact { chosen = .compact }
        number += 1
    }

    /// Adopts the choice that the host remembers, before the widget offers anything.
    public mutating func begin(chosen mode: TodayMode) {
        chosen = mode
        number += 1
    }

    /// Changes the choice of the person, if the widget offers it.
    public mutating func choose(_ mode: TodayMode) {
        chosen = largest == .expanded ? mode : .compact
        number += 1
    }
}

/// Asks the widget for an update before a snapshot is taken.
public struct TodayUpdate: PointMessage {
    public static let name = "today.performUpdate"

    /// The result. A host counts an unrecognized one as failed.
    public enum Result: String, OpenEnumeration, Hashable {
        case newData, noData, failed
        /// The widget has no method for updates.
        case notWritten
        case unrecognized
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
    /// The active display mode.
    public var mode: TodayMode
    /// Whether a part of the content lies below the widget's height.
    public var isClipped: Bool

    public init(view: PointValue, height: Double, mode: TodayMode, isClipped: Bool) {
        (self.view, self.height, self.mode, self.isClipped) = (view, height, mode, isClipped)
    }
}

/// Shows the live view. `showView` follows.
public struct TodayAppear: PointMessage {
    public static let name = "today.appear"
    /// The modes after the appearance.
    public typealias Reply = TodayModes
    public init() {}
}

/// Changes the active display mode, if the widget offers the new one.
public struct TodayModeChange: PointMessage {
    public static let name = "today.displayMode"
    /// The modes after the change.
    public typealias Reply = TodayModes
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

/// The widget's call: it offers other display modes.
public struct TodayLargestMode: PointMessage {
    public static let name = "today.largestMode"
    public var modes: TodayModes
    public init(_ modes: TodayModes) { self.modes = modes }
}

/// The annotations of a Today widget.
public enum TodayAnnotation {
    /// Whether the widget has content: true or false; true without the annotation.
    public static let hasContent = "hasContent"
}
