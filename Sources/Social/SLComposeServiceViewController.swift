// SLComposeServiceViewController: the sheet of a Share extension: text, options, Post and Cancel (spec 4.2).

public import Foundation
public import UIKit

/// A compose sheet, for a Share extension to inherit from.
///
/// It is headless: the same calls come in the same order, and nothing is drawn.
///
/// The text is that of the first item at first. Once the view has appeared, the sheet calls
/// `presentationAnimationDidFinish()`, `isContentValid()` and `configurationItems()`. Every edit of the text calls
/// `isContentValid()` again.
@MainActor @preconcurrency open class SLComposeServiceViewController: UIViewController, UITextViewDelegate {
    private let editor = UITextView(frame: CGRect(x: 0, y: 0, width: 320, height: 120))

    /// The view of the text. The sheet is its delegate.
    open var textView: UITextView! { editor }
    /// The current text.
    open var contentText: String! { editor.text }
    /// The text that is shown while the text is empty.
    open var placeholder: String! { didSet { sheetChanged() } }
    /// The number that is shown beside the text. Nil hides it, and a number below zero is a warning (from memory).
    open var charactersRemaining: NSNumber! { didSet { sheetChanged() } }
    /// The controller that is shown below the text while a person completes a word. It is stored without effect.
    open var autoCompletionViewController: UIViewController! { didSet { sheetChanged() } }

    /// Whether Post can be tapped: the last result of `isContentValid()`.
    public private(set) var isPostEnabled = false
    /// The last result of `configurationItems()`.
    public private(set) var shownConfigurationItems: [SLComposeSheetConfigurationItem] = []
    /// The controller that an option has pushed; nil if there is none.
    public private(set) var configurationViewController: UIViewController?
    /// The view that `loadPreviewView()` returned.
    public private(set) var previewView: UIView?

    /// A stack with the sheet alone, whose bar holds Cancel and Post.
    ///
    /// A title that an author gives to them names them for a tap. An option's controller is pushed on it.
    open override var navigationController: UINavigationController? { super.navigationController ?? stack }
    private lazy var stack = {
        postItem.isEnabled = isPostEnabled
        if navigationItem.rightBarButtonItem == nil { navigationItem.rightBarButtonItem = postItem }
        if navigationItem.leftBarButtonItem == nil { navigationItem.leftBarButtonItem = cancelItem }
        return SheetStack(of: self)
    }()
    private lazy var postItem = UIBarButtonItem(
        title: "Post", primaryAction: UIAction { [weak self] _ in self?.post() })
    private lazy var cancelItem = UIBarButtonItem(
        title: "Cancel", primaryAction: UIAction { [weak self] _ in self?.cancel() })

    /// The buttons of the bar that the author added or named.
    var ownBarItems: [UIBarButtonItem] {
        let all = (navigationItem.leftBarButtonItems ?? []) + (navigationItem.rightBarButtonItems ?? [])
        return all.filter { !($0 === postItem && $0.title == "Post") && !($0 === cancelItem && $0.title == "Cancel") }
    }

    private func post() {
        if isPostEnabled { didSelectPost() }
    }

    open override func loadView() {
        super.loadView()
        editor.delegate = self
        view.addSubview(editor)
    }

    open override func viewDidLoad() {
        super.viewDidLoad()
        if !editor.hasText, let item = extensionContext?.inputItems.first as? NSExtensionItem {
            editor.text = item.attributedContentText?.string ?? ""
        }
        previewView = loadPreviewView()
    }

    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        presentationAnimationDidFinish()
        validateContent()
        reloadConfigurationItems()
    }

    /// Responds to the end of the sheet's appearance. An override begins slow work here.
    open func presentationAnimationDidFinish() {}

    // MARK: Text

    /// Whether the text and the rest of the post are valid. True by default.
    open func isContentValid() -> Bool { true }

    /// Calls `isContentValid()`, for changes of anything but the text.
    open func validateContent() {
        isPostEnabled = isContentValid()
        postItem.isEnabled = isPostEnabled
        sheetChanged()
    }

    /// Validates the content. An override that does not call `super` leaves Post as it was until `validateContent()`.
    open func textViewDidChange(_ textView: UITextView) {
        if textView === editor { validateContent() }
    }

    /// Returns the view to show beside the text; nil for none, as by default (ours: nothing is made of the
    /// attachments).
    open func loadPreviewView() -> UIView! { nil }

    // MARK: Answers

    /// Handles a tap on Post. By default it completes the request with the items that it came with.
    open func didSelectPost() {
        extensionContext?.completeRequest(returningItems: extensionContext?.inputItems, completionHandler: nil)
    }

    /// Handles a tap on Cancel. By default it cancels the request as its user's wish.
    open func didSelectCancel() { extensionContext?.cancelRequest(withError: CocoaError(.userCancelled)) }

    /// Cancels as a tap on Cancel does.
    open func cancel() { didSelectCancel() }

    // MARK: Options

    /// Returns the options below the text, as `SLComposeSheetConfigurationItem`; nil for none, as by default.
    ///
    /// The sheet calls it again for each reload.
    open func configurationItems() -> [Any]! { nil }

    /// Calls `configurationItems()` again. The sheet notices a change of an item's own properties without it.
    open func reloadConfigurationItems() {
        for item in shownConfigurationItems { item.changed = nil }
        shownConfigurationItems = (configurationItems() ?? []).compactMap { $0 as? SLComposeSheetConfigurationItem }
        for item in shownConfigurationItems {
            item.changed = { [weak self] in DispatchQueue.main.async { self?.sheetChanged() } }
        }
        sheetChanged()
    }

    /// Shows a controller in which an option is set.
    ///
    /// Only one controller is shown at a time: for a second one, a line in the log explains the refusal.
    open func pushConfigurationViewController(_ viewController: UIViewController!) {
        guard let viewController else { return }
        guard configurationViewController == nil else {
            return NSLog("%@", "a configuration controller is already shown: \(viewController) is not")
        }
        addChild(viewController)
        configurationViewController = viewController
        viewController.appear(true)
        viewController.didMove(toParent: self)
        sheetChanged()
    }

    /// Removes the pushed controller.
    open func popConfigurationViewController() {
        guard let controller = configurationViewController else { return }
        controller.disappear(true)
        configurationViewController = nil
        controller.willMove(toParent: nil)
        controller.removeFromParent()
        sheetChanged()
    }

    private func sheetChanged() { noteChange() }
}
