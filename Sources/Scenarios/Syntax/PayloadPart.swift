// PayloadPart: the content that a host shares, one option each: the grammar that the command line and scenario files
// have in common.

/// One option of a payload. Each applies to the item started last.
public enum PayloadPart: Sendable, Hashable {
    case text(String)
    case url(String)
    case file(String)
    case data(String)
    case plist(String)
    case title(String)
    case nextItem
    case items(String)
    case page(String)
    case pageTitle(String)
    /// The results of the script for the page before it: the path of a JSON file or a property list.
    case pageResults(String)

    /// The option that starts the next item; it takes no value.
    public static let nextItemOption = "--item"

    /// Returns the function that makes a part of an option's value. Nil if this is no option of a payload.
    public static func valued(_ option: String) -> (@Sendable (String) -> PayloadPart)? { makers[option] }

    private static let makers: [String: @Sendable (String) -> PayloadPart] = [
        "--text": { .text($0) }, "--url": { .url($0) }, "--file": { .file($0) }, "--data": { .data($0) },
        "--plist": { .plist($0) }, "--title": { .title($0) }, "--items": { .items($0) },
        "--page": { .page($0) }, "--page-title": { .pageTitle($0) },
        "--page-results": { .pageResults($0) },
    ]

    /// The names of all options, for an error message.
    public static let options = (Array(makers.keys) + [nextItemOption]).sorted()

    /// Returns the part with the path of its file, if it names one, below `folder` unless that path is absolute.
    public func located(in folder: String) -> PayloadPart {
        func below(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
        switch self {
        case .file(let path): return .file(below(path))
        case .plist(let path): return .plist(below(path))
        case .items(let path): return .items(below(path))
        case .pageResults(let path): return .pageResults(below(path))
        case .data(let text):
            guard let sign = text.firstIndex(of: "=") else { return self }
            return .data(text[...sign] + below(String(text[text.index(after: sign)...])))
        case .text, .url, .title, .nextItem, .page, .pageTitle: return self
        }
    }
}
