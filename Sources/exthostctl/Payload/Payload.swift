// Payload: the items of a request, made of the parts that the command line names.

import ExtensionHost
import ExtensionItems
import Foundation
import PropertyListCoding
import Scenarios

/// A builder of items. Each part goes into the item that was started last.
struct Payload {
    private var items: [NSExtensionItem] = []
    private var isItemOpen = false
    /// The results of the page script, by the item's place. No script runs here, so they contain only given keys.
    private var pages: [Int: NSDictionary] = [:]

    /// The items, with the content that only some extensions get.
    var offered: [OfferedItem] {
        items.enumerated().map { place, item in
            let found = pages[place].map { ["\(NSExtensionJavaScriptPreprocessingResultsKey)": $0] as NSDictionary }
            return OfferedItem(
                item, webPage: found.map { NSItemProvider(item: $0, typeIdentifier: "com.apple.property-list") })
        }
    }

    init() {}

    /// Reads the named files. A file that is itself an attachment is read when it is loaded.
    init(_ parts: [PayloadPart]) throws(CommandError) {
        for part in parts { try add(part) }
    }

    /// Adds a part, and reads the file if it names one.
    mutating func add(_ part: PayloadPart) throws(CommandError) {
        switch part {
        case .nextItem: startItem()
        case .title(let text): currentItem().attributedTitle = NSAttributedString(string: text)
        case .text(let text): attach(NSItemProvider(item: text as NSString, typeIdentifier: "public.plain-text"))
        case .url(let text): attach(try Self.provider(url: text))
        case .file(let path): attach(try Self.provider(file: path))
        case .data(let text): attach(try Self.provider(data: text))
        case .plist(let path):
            let object = foundationObject(try InputFile(path).propertyList())
            attach(NSItemProvider(item: object as? any NSSecureCoding, typeIdentifier: "com.apple.property-list"))
        case .page(let text): try addPage(text)
        case .pageTitle(let text):
            guard isItemOpen, pages[items.count - 1] != nil else {
                throw .usage(
                    "--page-title “\(text)” has no --page before it in its item", remedy: "Write --page URL first")
            }
            items[items.count - 1].attributedContentText = NSAttributedString(string: text)
        case .pageResults(let path):
            guard isItemOpen, pages[items.count - 1] != nil else {
                throw .usage(
                    "--page-results \(path) has no --page before it in its item", remedy: "Write --page URL first")
            }
            guard let results = try InputFile(path).object() as? NSDictionary else {
                throw .usage(
                    "--page-results: \(path) contains no dictionary",
                    remedy: "Write what the script passes to its completionFunction"
                )
            }
            pages[items.count - 1] = results
        case .items(let path):
            items += try ItemsFile(path).items()
            isItemOpen = false
        }
    }

    /// Adds a page as a browser shares it.
    ///
    /// Every extension gets the address. An extension whose rule asks for a page also gets the script's results, which
    /// are empty until `--page-results` gives them.
    private mutating func addPage(_ text: String) throws(CommandError) {
        let item = currentItem()
        guard pages[items.count - 1] == nil else {
            throw .usage(
                "an item can have one web page, and --page “\(text)” is the second",
                remedy: "Start another item with --item")
        }
        let provider = try Self.provider(url: text)
        pages[items.count - 1] = [:]
        item.attachments = (item.attachments ?? []) + [provider]
    }

    private mutating func startItem() {
        items.append(NSExtensionItem())
        isItemOpen = true
    }

    private mutating func currentItem() -> NSExtensionItem {
        if !isItemOpen { startItem() }
        return items[items.count - 1]
    }

    private mutating func attach(_ provider: NSItemProvider) {
        let item = currentItem()
        item.attachments = (item.attachments ?? []) + [provider]
    }

    private static func provider(url text: String) throws(CommandError) -> NSItemProvider {
        guard let url = URL(string: text), url.scheme != nil else {
            throw .usage(
                "“\(text)” is not a URL",
                remedy: "Write it with its scheme, as https://example.org, or attach it with --text")
        }
        return NSItemProvider(item: url as NSURL, typeIdentifier: url.isFileURL ? "public.file-url" : "public.url")
    }

    private static func provider(file path: String) throws(CommandError) -> NSItemProvider {
        guard let provider = NSItemProvider(contentsOf: URL(fileURLWithPath: path)) else {
            throw .missing("there is no file \(path)", remedy: "--file takes a relative or an absolute path")
        }
        return provider
    }

    private static func provider(data text: String) throws(CommandError) -> NSItemProvider {
        let words = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard words.count == 2 else {
            throw .usage(
                "--data “\(text)” is not TYPE=PATH", remedy: "Write, for example, --data public.png=picture.png")
        }
        let provider = NSItemProvider(item: NSData(data: try InputFile(words[1]).data()), typeIdentifier: words[0])
        provider.suggestedName = URL(fileURLWithPath: words[1]).lastPathComponent
        return provider
    }
}
