// PageEngine: the interface of a web engine to the page host.

package import PageMessages

/// A web engine with at most one page.
///
/// All functions are called on the thread that made the engine, and may block it. A script that never ends is ended by
/// the host, which kills the page host with all processes of its engine; so no engine has a limit of its own.
package protocol PageEngine: AnyObject {
    /// The name by which hosts ask for the engine.
    static var kind: PageEngineKind { get }

    /// The abilities of the engine.
    var facts: PageFacts { get }

    /// Starts the engine.
    ///
    /// - Throws: `PageFault.missing` with the file, program or symbol that is absent.
    init() throws(PageFault)

    /// Shows a page in place of the former one, and returns when its DOM is complete and its own scripts have run.
    /// Nothing but `source.html` is loaded; every other load fails and is counted in `failedLoads`.
    func load(_ source: PageSource) throws(PageFault)

    /// Evaluates a script.
    ///
    /// - Returns: the value of the script, which is a string; nil for any other value.
    /// - Throws: `PageFault.script` for an exception.
    func evaluate(_ script: PageScript, in world: PageWorld) throws(PageFault) -> String?

    /// Runs timers, promises and events of the page until a script of the extension's world has called
    /// `exthostPost(text)`.
    ///
    /// - Returns: the oldest text that was not yet returned; nil at the deadline.
    func message(until deadline: ContinuousClock.Instant) throws(PageFault) -> String?

    /// Returns the document as HTML: `document.documentElement.outerHTML`, with the document type.
    func html() throws(PageFault) -> String

    /// The number of loads beside the page that failed, since `load`.
    var failedLoads: Int { get }
}

/// The globals that a script has.
package enum PageWorld: Sendable {
    /// The page's own, where its scripts run.
    case page
    /// The globals of the extension's script, with the same DOM, and with the function `exthostPost`.
    case `extension`
}
