// TodayHost+Values: the sizes of a Today view, and what it shows of a widget.

public import ExtensionHost
public import PointMessages

extension TodayHost {
    /// The sizes of a Today view.
    public struct Layout: Sendable, Hashable {
        /// The width in points.
        public var width: Double
        /// The height of the compact mode, in points; nil where widgets choose their height and there are no modes.
        public var compactHeight: Double?
        /// The largest height of a widget, in points.
        public var largestHeight: Double
        /// The proposed margins, where there are no modes.
        public var margins: TodayMargins?

        /// Makes a layout; each value is described at its property.
        public init(width: Double, compactHeight: Double?, largestHeight: Double, margins: TodayMargins? = nil) {
            (self.width, self.compactHeight) = (width, compactHeight)
            (self.largestHeight, self.margins) = (largestHeight, margins)
        }

        /// The layout from iOS 10 on: two display modes, the compact one 110 points high (from memory).
        public static let modes = Layout(width: 359, compactHeight: 110, largestHeight: 616)
        /// The layout before iOS 10, on the phone of 4.7 inch (observed): no modes.
        public static let free = Layout(
            width: 327, compactHeight: nil, largestHeight: 540.5,
            margins: TodayMargins(top: 0, left: 47, bottom: 39, right: 0))

        /// Returns the layout of a platform, such as `ios-8` or `ios-15`.
        public static func of(profile: String) -> Layout {
            let version = profile.split(separator: "-").last.flatMap { Int($0) } ?? .max
            return profile.hasPrefix("ios-") && version < 10 ? free : modes
        }
    }

    /// A picture of a widget, as the Today view keeps it.
    public struct Snapshot: Sendable, Hashable {
        /// The elements of the view.
        public let view: ViewElement
        /// The height in points at which the widget is shown.
        public let height: Double
        /// Whether a part of the content lies below that height.
        public let isClipped: Bool
        /// Whether the update after it has failed.
        public internal(set) var isStale = false
        /// A digest of the view and the height; equal pictures have equal digests.
        public let digest: String
    }

    /// The state of a widget in the Today view.
    public enum Shown: Sendable, Hashable {
        /// The widget's process has failed several times in a row, and the daemon does not launch it for a pause.
        case hidden
        /// The widget has no picture yet.
        case nothing
        /// The widget has said that it has no content.
        case withoutContent
        /// The widget's last picture.
        case snapshot(Snapshot)
        /// The widget's live view.
        case live
    }

    /// The result of an update.
    public struct Update: Sendable {
        /// The author's answer; nil if the widget was not asked, because it has no content.
        public let result: TodayUpdate.Result?
        /// The reason of a failure that the author has not chosen.
        public let error: ExtensionHostError?
        /// The picture after the update; nil if there is none.
        public let snapshot: Snapshot?
    }
}
