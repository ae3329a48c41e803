// UIDocumentPickerViewController, UIActivityViewController: controllers of the system that no person answers.

public import Foundation
public import UniformTypeIdentifiers

/// The observer of a choice of files. Every method has a body, in place of Objective-C's optional ones.
@MainActor @preconcurrency public protocol UIDocumentPickerDelegate: NSObjectProtocol {
    func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentsAt urls: [URL])
    func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController)
}

extension UIDocumentPickerDelegate {
    public func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentsAt urls: [URL]) {}
    public func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController) {}
}

/// A choice of files. A shell: it can be presented, and no file is ever chosen.
@MainActor @preconcurrency open class UIDocumentPickerViewController: UIViewController {
    open weak var delegate: (any UIDocumentPickerDelegate)?
    open var allowsMultipleSelection = false
    open var directoryURL: URL?

    public convenience init(forOpeningContentTypes types: [UTType], asCopy: Bool = false) {
        self.init(nibName: nil, bundle: nil)
    }
    public convenience init(forExporting urls: [URL], asCopy: Bool = false) { self.init(nibName: nil, bundle: nil) }
}

/// A choice of activities for items. A shell: it can be presented, and no activity is ever chosen.
@MainActor @preconcurrency open class UIActivityViewController: UIViewController {
    public typealias CompletionWithItemsHandler = (UIActivity.ActivityType?, Bool, [Any]?, (any Error)?) -> Void
    open var completionWithItemsHandler: CompletionWithItemsHandler?
    open var excludedActivityTypes: [UIActivity.ActivityType]?

    public convenience init(activityItems: [Any], applicationActivities: [UIActivity]?) {
        self.init(nibName: nil, bundle: nil)
    }
}

/// An activity for items.
@MainActor @preconcurrency open class UIActivity: NSObject {
    public struct ActivityType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
        public static var copyToPasteboard: ActivityType { ActivityType("com.apple.UIKit.activity.CopyToPasteboard") }
        public static var mail: ActivityType { ActivityType("com.apple.UIKit.activity.Mail") }
        public static var message: ActivityType { ActivityType("com.apple.UIKit.activity.Message") }
        public static var print: ActivityType { ActivityType("com.apple.UIKit.activity.Print") }
    }
}

/// Controllers side by side. A shell: only the first counts.
@MainActor @preconcurrency open class UISplitViewController: UIViewController {
    public enum DisplayMode: Int, Sendable {
        case automatic, secondaryOnly, oneBesideSecondary, oneOverSecondary, twoBesideSecondary, twoOverSecondary
    }
    open var viewControllers: [UIViewController] = []
}
