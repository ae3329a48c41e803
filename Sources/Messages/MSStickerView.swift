// MSStickerView: views of stickers. A tap puts the sticker into the input field.

public import Foundation
public import UIKit

/// A view of one sticker. In the host's eyes it is a button with the description of the sticker.
@MainActor @preconcurrency open class MSStickerView: UIView {
    private let button = UIButton(type: .custom)

    /// The sticker. A new one does not change the size of the view (documented).
    open var sticker: MSSticker? { didSet { show() } }

    /// Makes a view.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - sticker: the sticker; nil: none.
    public convenience init(frame: CGRect, sticker: MSSticker?) {
        self.init(frame: frame)
        self.sticker = sticker
        show()
    }

    public override init(frame: CGRect) {
        super.init(frame: frame)
        addButton()
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        addButton()
    }

    private func addButton() {
        button.isHidden = true
        button.addAction(UIAction { [weak self] _ in self?.insert() }, for: .touchUpInside)
        addSubview(button)
    }

    private func show() {
        button.isHidden = sticker == nil
        button.setTitle(sticker?.localizedDescription, for: .normal)
    }

    /// Puts the sticker into the input field of the conversation in which this view is.
    private func insert() {
        guard let sticker else { return }
        var responder: UIResponder? = self
        while let found = responder {
            if let controller = found as? MSMessagesAppViewController {
                controller.activeConversation?.insert(sticker, completionHandler: nil)
                return
            }
            responder = found.next
        }
    }

    /// Returns the size of the image in pixels.
    ///
    /// - Parameter size: has no effect.
    open override func sizeThatFits(_ size: CGSize) -> CGSize {
        sticker?.pixels ?? frame.size
    }

    // MARK: Animation: nothing is drawn

    /// Always 0: nothing is drawn.
    open var animationDuration: TimeInterval { 0 }
    private var animates = false
    open func startAnimating() { animates = true }
    open func stopAnimating() { animates = false }
    open func isAnimating() -> Bool { animates }
}

/// The sizes of the stickers in a browser. They have no effect.
public enum MSStickerSize: Int, Sendable { case small, regular, large }

/// The source of the stickers of a browser.
@MainActor @preconcurrency public protocol MSStickerBrowserViewDataSource: NSObjectProtocol {
    /// Returns the number of stickers.
    func numberOfStickers(in stickerBrowserView: MSStickerBrowserView) -> Int
    /// Returns a sticker.
    func stickerBrowserView(_ stickerBrowserView: MSStickerBrowserView, stickerAt index: Int) -> MSSticker
}

/// A view of many stickers.
///
/// It asks its data source when it appears, and at `reloadData()`. It shows the first 1,000 stickers (ours).
@MainActor @preconcurrency open class MSStickerBrowserView: UIView {
    private static let mostStickers = 1000

    public let stickerSize: MSStickerSize
    open weak var dataSource: (any MSStickerBrowserViewDataSource)? { didSet { isLoaded = false } }
    open var contentOffset = CGPoint.zero
    open var contentInset = UIEdgeInsets.zero
    private var isLoaded = false

    /// Makes a view.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - stickerSize: the size of the stickers.
    public init(frame: CGRect, stickerSize: MSStickerSize) {
        self.stickerSize = stickerSize
        super.init(frame: frame)
    }

    public override convenience init(frame: CGRect) { self.init(frame: frame, stickerSize: .regular) }

    public required init?(coder: NSCoder) {
        stickerSize = .regular
        super.init(coder: coder)
    }

    /// Sets the offset. Nothing is animated.
    open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) { self.contentOffset = contentOffset }

    /// Asks the data source for all stickers.
    open func reloadData() {
        isLoaded = true
        for view in subviews { view.removeFromSuperview() }
        guard let dataSource else { return }
        for index in 0..<min(max(dataSource.numberOfStickers(in: self), 0), Self.mostStickers) {
            let sticker = dataSource.stickerBrowserView(self, stickerAt: index)
            addSubview(MSStickerView(frame: CGRect(x: 0, y: 0, width: 100, height: 100), sticker: sticker))
        }
    }

    /// Loads the stickers before they are seen.
    func loadIfNeeded() { if !isLoaded { reloadData() } }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        loadIfNeeded()
    }
}

/// A controller of a browser of stickers, and its data source. Subclasses override both methods.
@MainActor @preconcurrency
open class MSStickerBrowserViewController: UIViewController,
    MSStickerBrowserViewDataSource
{
    public let stickerBrowserView: MSStickerBrowserView
    public var stickerSize: MSStickerSize { stickerBrowserView.stickerSize }

    /// Makes a controller.
    ///
    /// - Parameter stickerSize: the size of the stickers.
    public init(stickerSize: MSStickerSize) {
        stickerBrowserView = MSStickerBrowserView(frame: .zero, stickerSize: stickerSize)
        super.init(nibName: nil, bundle: nil)
        stickerBrowserView.dataSource = self
    }

    public override init(nibName: String?, bundle: Bundle?) {
        stickerBrowserView = MSStickerBrowserView(frame: .zero, stickerSize: .regular)
        super.init(nibName: nibName, bundle: bundle)
        stickerBrowserView.dataSource = self
    }

    public required init?(coder: NSCoder) {
        stickerBrowserView = MSStickerBrowserView(frame: .zero, stickerSize: .regular)
        super.init(coder: coder)
        stickerBrowserView.dataSource = self
    }

    open override func loadView() {
        super.loadView()
        stickerBrowserView.frame = view.bounds
        view.addSubview(stickerBrowserView)
    }

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        stickerBrowserView.loadIfNeeded()
    }

    open func numberOfStickers(in stickerBrowserView: MSStickerBrowserView) -> Int { 0 }

    /// Returns a sticker. A subclass that has stickers overrides the method.
    open func stickerBrowserView(_ stickerBrowserView: MSStickerBrowserView, stickerAt index: Int) -> MSSticker {
        preconditionFailure("\(type(of: self)) has no method for the sticker at \(index)")
    }
}
