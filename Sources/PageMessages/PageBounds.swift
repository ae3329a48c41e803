// PageBounds: the greatest sizes of what a host and a page host exchange.

/// The bounds of pages, scripts and values (ours). `harness.js` has those of values, too.
package enum PageBounds {
    /// The longest page, in bytes of UTF-8.
    package static let page = 16 << 20
    /// The longest script, in bytes of UTF-8.
    package static let script = 1 << 20
    /// The longest results or arguments, in UTF-16 units of their `PageValueText`.
    package static let value = 16 << 20
    /// The most texts, numbers, lists and other values in results.
    package static let nodes = 1 << 19
    /// The deepest nesting of results and arguments.
    package static let depth = 32
    /// The longest document or other text of an engine, in bytes of UTF-8. Its frame may have twice as many.
    package static let text = 32 << 20

    /// Returns a bound in bytes for people.
    package static func written(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
}
