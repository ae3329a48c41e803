// SLComposeServiceViewController: the sheet of a Share extension: text, options, Post and Cancel (spec 4.2).

public import Foundation
public import UIKit

/// A compose sheet, for a Share extension to inherit from. Headless: the same calls come in the same order, and nothing
/// is drawn.
///
/// The text is that of the first item at first. Once the view has appeared come `presentationAnimationDidFinish()`,
/// `isContentValid()` and
/// `configurationItems()`; every edit of the text asks `isContentValid()` again.
@MainActor @preconcurrency open class SLComposeServiceViewController: UIViewController, UITextViewDelegate {
    private let editor = UITextView(frame: CGRect(x: 0, y: 0, width: 320, height: 120))

    /// The text's view. The sheet is its delegate.
    open var textView: UITextView! { editor }
    /// The text as it is now.
    open var contentText: String! { editor.text }
    /// Shown while the text is empty.
    open var placeholder: String! { didSet { sheetChanged() } }
    /// Shown beside the text; nil hides it, and one below zero is a warning (from memory).
    open var charactersRemaining: NSNumber! { didSet { sheetChanged() } }
    /// Shown below the text while a person completes a word. Carried only.
    open var autoCompletionViewController: UIViewController! { didSet { sheetChanged() } }

    /// Whether Post can be tapped: what `isContentValid()` answered last.
    public private(set) var isPostEnabled = false
    /// What `configurationItems()` returned last.
    public private(set) var shownConfigurationItems: [SLComposeSheetConfigurationItem] = []
    /// The controller that an option has pushed; nil when none is.
    public private(set) var configurationViewController: UIViewController?
    /// What `loadPreviewView()` made.
    public private(set) var previewView: UIView?

    /// A stack with the sheet alone, whose bar holds Cancel and Post: a title that is given to them names them for a
    /// tap. An option's controller is
    /// pushed on it.
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

    /// The bar's buttons that the author added or named.
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

    /// Called when the sheet has come in: what takes time is begun here.
    open func presentationAnimationDidFinish() {}

    // MARK: Text

    /// Whether the text, and what else counts, can be posted. True by default.
    open func isContentValid() -> Bool { true }

    /// Asks `isContentValid()`, for what else than the text has changed.
    open func validateContent() {
        isPostEnabled = isContentValid()
        postItem.isEnabled = isPostEnabled
        sheetChanged()
    }

    /// An override that does not call it leaves Post as it was until `validateContent()`.
    open func textViewDidChange(_ textView: UITextView) {
        if textView === editor { validateContent() }
    }

    /// The view to show beside the text; nil for none, as by default (ours: nothing is made of the attachments).
    open func loadPreviewView() -> UIView! { nil }

    // MARK: Answers

    /// Post was tapped. By default completes the request with the items that it came with.
    open func didSelectPost() {
        extensionContext?.completeRequest(returningItems: extensionContext?.inputItems, completionHandler: nil)
    }

    /// Cancel was tapped. By default cancels the request as its user's wish.
    open func didSelectCancel() { extensionContext?.cancelRequest(withError: CocoaError(.userCancelled)) }

    /// Does what a tap on Cancel does.
    open func cancel() { didSelectCancel() }

    // MARK: Options

    /// The options below the text, as `SLComposeSheetConfigurationItem`; nil for none, as by default. Called again for
    /// each reload.
    open func configurationItems() -> [Any]! { nil }

    /// Asks `configurationItems()` again. A change of an item's own properties is noticed without it.
    open func reloadConfigurationItems() {
        for item in shownConfigurationItems { item.changed = nil }
        shownConfigurationItems = (configurationItems() ?? []).compactMap { $0 as? SLComposeSheetConfigurationItem }
        for item in shownConfigurationItems {
            item.changed = { [weak self] in DispatchQueue.main.async { self?.sheetChanged() } }
        }
        sheetChanged()
    }

    /// Shows a controller in which an option is set. One at a time: another is not shown, and a line of the log says
    /// so.
    open func pushConfigurationViewController(_ viewController: UIViewController!) {
        guard let viewController else { return }
        guard configurationViewController == nil else {
            return NSLog("%@", "a configuration controller is shown already: \(viewController) is not")
        }
        addChild(viewController)
        configurationViewController = viewController
        viewController.appear(true)
        viewController.didMove(toParent: self)
        sheetChanged()
    }

    /// Takes the pushed controller away.
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
