// UIWebView: the view of a web page before WebKit, which loads nothing.

import ExtensionWire
public import Foundation

/// The observer of a web view. Every method has a body, in place of Objective-C's optional ones.
///
/// The method that asks whether a request may start is not among them: this module does not link the request's type,
/// which is in Foundation's networking.
@MainActor @preconcurrency public protocol UIWebViewDelegate: NSObjectProtocol {
    func webViewDidStartLoad(_ webView: UIWebView)
    func webViewDidFinishLoad(_ webView: UIWebView)
    func webView(_ webView: UIWebView, didFailLoadWithError error: any Error)
}

extension UIWebViewDelegate {
    public func webViewDidStartLoad(_ webView: UIWebView) {}
    public func webViewDidFinishLoad(_ webView: UIWebView) {}
    public func webView(_ webView: UIWebView, didFailLoadWithError error: any Error) {}
}

/// A web view. It keeps what it is to load and loads nothing.
///
/// Its delegate gets the error `notSimulated` after the present work of the main queue.
@MainActor @preconcurrency open class UIWebView: UIView {
    public enum NavigationType: Int, Sendable {
        case linkClicked, formSubmitted, backForward, reload, formResubmitted, other
    }

    open weak var delegate: (any UIWebViewDelegate)?
    open private(set) lazy var scrollView = UIScrollView(frame: bounds)
    /// The last request, as it was given.
    open private(set) var request: Any?
    /// The last text of a page.
    package private(set) var page: String?
    open var scalesPageToFit = false
    open var allowsInlineMediaPlayback = false
    open var mediaPlaybackRequiresUserAction = true
    open var suppressesIncrementalRendering = false
    open var keyboardDisplayRequiresUserAction = true
    open var isLoading: Bool { false }
    open var canGoBack: Bool { false }
    open var canGoForward: Bool { false }

    /// Keeps a request, a `URLRequest`.
    open func loadRequest(_ request: Any) {
        self.request = request
        refuse()
    }

    /// Keeps the text of a page.
    open func loadHTMLString(_ string: String, baseURL: URL?) {
        page = string
        refuse()
    }

    /// Loads nothing.
    open func load(_ data: Data, mimeType: String, textEncodingName: String, baseURL: URL) { refuse() }

    open func reload() { refuse() }
    /// Has no effect: nothing loads.
    open func stopLoading() {}
    /// Has no effect: there is no other page.
    open func goBack() {}
    open func goForward() {}

    /// Returns nil: no script runs.
    open func stringByEvaluatingJavaScript(from script: String) -> String? { nil }

    private func refuse() {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self else { return }
                let error = ExtensionHostError(
                    .notSimulated, "UIWebView loads nothing", remedy: "Test the page in a browser")
                self.delegate?.webView(self, didFailLoadWithError: error)
            }
        }
    }
}

public typealias UIWebViewNavigationType = UIWebView.NavigationType
