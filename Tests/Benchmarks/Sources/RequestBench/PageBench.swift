// PageBench: an article of 58 KB in a page host: opened, read by a script, changed by it, and closed.

import ExtensionHostTesting
import Foundation
import PageMessages
import PointHosts

struct PageBench {
    let engine: PageEngineKind
    let rounds: Int

    /// The length of the article in bytes.
    private static let bytes = 58 << 10

    private static let script = """
        var ExtensionPreprocessingJS = {
            run: function (given) {
                var parts = Array.from(document.querySelectorAll("p"), function (part) { return part.textContent; });
                given.completionFunction({address: document.baseURI, title: document.title, parts: parts});
            },
            finalize: function (given) {
                document.querySelectorAll("p").forEach(function (part) { part.style.color = given.colour; });
            }
        };
        """

    func run() async throws {
        let html = Self.article()
        guard let url = URL(string: "https://news.example/article.html"),
            let arguments = WebPageResults(["colour": "red"])
        else { throw BenchFailure(outcome: "the address is none") }
        var times: [Double] = []
        // The first page tries the engine, and reads its files.
        for round in 0...rounds {
            let start = ContinuousClock.now
            let page = try await WebPage.open(html: html, url: url, engine: engine, limit: .seconds(60))
            _ = try await page.run(Self.script, file: "Article.js", limit: .seconds(60))
            guard try await page.finalize(arguments, limit: .seconds(60)) else {
                throw BenchFailure(outcome: "finalize did not run")
            }
            let time = start.duration(to: .now)
            await page.close()
            if round > 0 { times.append(time / .microseconds(1)) }
        }
        printSamples("page", "us", times)
    }

    /// An article as news sites have it: a head with data, a navigation, paragraphs with links and images, a footer.
    private static func article() -> String {
        var html = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>An article</title>
            <meta property="og:title" content="An article"><meta name="description" content="Words about words">
            <script type="application/ld+json">{"@type": "NewsArticle", "headline": "An article"}</script>
            <style>body { font: 16px serif; max-width: 40em } .note { color: grey } figure { margin: 1em 0 }</style>
            </head><body><nav><ul>
            """
        for number in 0..<20 { html += "<li><a href=\"/section/\(number)\">Section \(number)</a></li>\n" }
        html += "</ul></nav><article><h1>An article</h1>\n"
        var number = 0
        while html.utf8.count < bytes - 200 {
            number += 1
            html += "<p id=\"p\(number)\" class=\"text\">Paragraph \(number) has a <a href=\"/a/\(number)\">link</a>"
            html += String(repeating: " and <em>some</em> words about its matter", count: 12) + ".</p>\n"
            if number % 8 == 0 {
                html += "<figure><img src=\"/i/\(number).jpg\" alt=\"\"><figcaption>A figure</figcaption></figure>"
            }
        }
        return html + "</article><footer><p class=\"note\">The end</p></footer></body></html>"
    }
}
