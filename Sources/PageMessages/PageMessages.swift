// PageMessages: the values that a host and its page host exchange.

/// A page, and the circumstances in which it is shown.
package struct PageSource: Codable, Sendable, Equatable {
    package var html: String
    /// The absolute URL of the page.
    package var url: String
    /// The size of the viewport in CSS pixels.
    package var width = 1024
    package var height = 768
    /// The time that scripts see, in milliseconds since 1970; it does not advance.
    package var clock: Double

    /// The clock as JavaScript takes it: at most 8.64e15 (ECMA-262, 21.4.1.1).
    package var time: Double { clock.isFinite ? max(-8.64e15, min(8.64e15, clock)).rounded(.down) : 0 }

    package init(html: String, url: String, width: Int = 1024, height: Int = 768, clock: Double) {
        (self.html, self.url, self.width, self.height, self.clock) = (html, url, width, height, clock)
    }
}

/// A script with the name that its errors have.
package struct PageScript: Codable, Sendable, Equatable {
    package var text: String
    package var name: String

    package init(_ text: String, name: String) { (self.text, self.name) = (text, name) }
}

/// The abilities of a web engine.
public struct PageFacts: Codable, Sendable, Equatable {
    /// The engine's short name: `wpe`, `chromium` or `jsc`.
    public var engine: String
    /// The version of the engine, as it reports it.
    public var version: String
    /// Whether the page's own scripts run.
    public var scripts: Bool
    /// Whether the extension's script has globals of its own.
    public var isolatedWorld: Bool
    /// Whether elements have sizes and computed styles.
    public var layout: Bool
    /// Whether frames have documents of their own.
    public var frames: Bool

    /// Makes the facts of an engine.
    public init(
        engine: String, version: String, scripts: Bool, isolatedWorld: Bool, layout: Bool, frames: Bool
    ) {
        (self.engine, self.version, self.scripts) = (engine, version, scripts)
        (self.isolatedWorld, self.layout, self.frames) = (isolatedWorld, layout, frames)
    }
}

/// The failure of a page host.
package enum PageFault: Error, Codable, Sendable, Equatable {
    /// A file, program or symbol that the engine needs is absent.
    case missing(what: String, package: String)
    /// A script threw an exception. Line and column count from one; zero is unknown.
    case script(message: String, file: String, line: Int, column: Int, stack: String)
    /// A page, script or value exceeds a bound.
    case tooLarge(String)
    /// The engine failed otherwise, with its own words.
    case engine(String)
}
