// DataDetectorTests: links in texts, as sources of Apple's systems look for them.

import ExtensionFoundation
import Foundation
import Testing

@Suite struct DataDetectorTests {
    @Test(arguments: [
        ("See https://example.org/a?b=c#d.", ["https://example.org/a?b=c#d"]),
        ("(www.example.org), or example.com/path!", ["http://www.example.org", "http://example.com/path"]),
        ("Mail ann@example.org", ["mailto:ann@example.org"]),
        ("https://en.wikipedia.org/wiki/Swift_(language)", ["https://en.wikipedia.org/wiki/Swift_(language)"]),
        ("“http://a.b/c” and tel:123", ["http://a.b/c", "tel:123"]),
        ("no link. None", []),
        ("", []),
    ])
    func linksAreFound(text: String, links: [String]) throws {
        let detector = try NSDataDetector(types: 1 << 5)
        let range = NSRange(location: 0, length: text.utf16.count)
        #expect(detector.matches(in: text, options: [], range: range).compactMap { $0.url?.absoluteString } == links)
        #expect(detector.numberOfMatches(in: text, range: range) == links.count)
        var seen: [String] = []
        detector.enumerateMatches(in: text, options: [], range: range) { match, _, stop in
            if let url = match?.url { seen.append(url.absoluteString) }
            stop.pointee = true
        }
        #expect(seen == Array(links.prefix(1)))
    }

    @Test func aRangeIsThatOfTheTextInUTF16() throws {
        let text = "🎈 https://example.org."
        let match = try NSDataDetector(types: 1 << 5).firstMatch(
            in: text, range: NSRange(location: 0, length: text.utf16.count))
        #expect(match?.range == NSRange(location: 3, length: 19))
    }

    @Test func typesWithoutLinksFindNoneAndNoTypesAreRefused() throws {
        #expect(throws: CocoaError.self) { try NSDataDetector(types: 0) }
        let dates = try NSDataDetector(types: 1 << 3)
        #expect(dates.firstMatch(in: "https://a.b", range: NSRange(location: 0, length: 11)) == nil)
    }

    @Test func aCoordinatorsAccessorsAreCalledAtOnce() {
        var error: NSError?
        var urls: [URL] = []
        let url = URL(fileURLWithPath: "/tmp/a")
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, options: .forReplacing, error: &error) {
            urls.append($0)
        }
        NSFileCoordinator().coordinate(readingItemAt: url, options: [], error: nil) { urls.append($0) }
        #expect(urls == [url, url])
        #expect(error == nil)
    }
}
