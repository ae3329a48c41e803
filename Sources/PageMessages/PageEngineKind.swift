// PageEngineKind: the names of the engines, and the packages that they need.

/// A kind of web engine. The order of the cases is the order in which `auto` tries them.
public enum PageEngineKind: String, Codable, Sendable, CaseIterable {
    case wpe, chromium, jsc

    /// The Debian packages that the engine needs.
    package var packages: [String] {
        switch self {
        case .wpe: ["libwpewebkit-1.1-0", "libwpebackend-fdo-1.0-1"]
        case .chromium: ["chromium-headless-shell"]
        case .jsc: ["libjavascriptcoregtk-4.1-0", "node-domino"]
        }
    }
}
