// SwiftTemplate+Pages: the templates for web pages and their loads.

extension SwiftTemplate {
    /// A handler with a script for web pages.
    var page: Parts {
        var parts = Parts(
            "a handler and a script that count the words of a web page",
            className: "RequestHandler", modules: ["ExtensionFoundation", "UniformTypeIdentifiers"],
            run: "exthostctl run . --page https://example.org/ --page-html page.html")
        parts.source = """
            // RequestHandler: counts the words of a web page, whose text the script Action.js passes.

            import ExtensionFoundation
            import Foundation
            import UniformTypeIdentifiers

            final class RequestHandler: NSObject, NSExtensionRequestHandling {
                func beginRequest(with context: NSExtensionContext) {
                    let type = UTType.propertyList.identifier
                    let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
                    let provider = items.flatMap { $0.attachments ?? [] }
                        .first { $0.hasItemConformingToTypeIdentifier(type) }
                    guard let provider else { return context.cancelRequest(withError: CocoaError(.featureUnsupported)) }
                    provider.loadItem(forTypeIdentifier: type, options: nil) { value, error in
                        let results = (value as? [String: Any])?[NSExtensionJavaScriptPreprocessingResultsKey]
                        guard let text = (results as? [String: Any])?["text"] as? String else {
                            return context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported))
                        }
                        let words = text.split(whereSeparator: \\.isWhitespace).count
                        UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                        // The script's function finalize gets these arguments.
                        let answer: [String: Any] = [NSExtensionJavaScriptFinalizeArgumentKey: ["words": words]]
                        let result = NSExtensionItem()
                        result.attachments = [NSItemProvider(item: answer, typeIdentifier: type)]
                        context.completeRequest(returningItems: [result])
                    }
                }
            }

            """
        parts.test = "wordsAreCounted"
        parts.session = """
                        let url = try #require(URL(string: "https://example.org/"))
                        let page = try await WebPage.open(html: "<p>hello brave world</p>", url: url)
                        let share = try await host.application.begin(
                            "\(project.extensionIdentifier)", page: page)
                        let ending = await share.ending
                        #expect(ending.finalized == 1 && ending.failures.isEmpty)
                        #expect(try await page.html.contains("<p>3 words</p>"))
            """
        parts.resources = [("Action.js", Self.pageScript)]
        return parts
    }

    /// A content blocker.
    var blocker: Parts {
        var parts = Parts(
            "a content blocker with a list of two rules",
            className: "ContentBlockerRequestHandler", modules: ["ExtensionFoundation", "SafariServices"],
            run: "exthostctl run . --load https://ads.example.com/banner.png --page https://example.org/")
        parts.source = """
            // ContentBlockerRequestHandler: gives the list of the bundle to the browser.

            import SafariServices

            final class ContentBlockerRequestHandler: NSObject, NSExtensionRequestHandling {
                func beginRequest(with context: NSExtensionContext) {
                    let attachment = NSItemProvider(
                        contentsOf: Bundle.main.url(forResource: "blockerList", withExtension: "json"))!

                    let item = NSExtensionItem()
                    item.attachments = [attachment]

                    context.completeRequest(returningItems: [item], completionHandler: nil)
                }
            }

            """
        parts.test = "bannersAreBlocked"
        parts.session = """
                        let rules = try await ContentBlockerHost(host.application).reload(
                            "\(project.extensionIdentifier)")
                        let banner = try ContentLoad(
                            url: "https://ads.example.com/banner.png", page: "https://example.org/", type: .image)
                        #expect(try rules.decision(for: banner).blocked == 1)
                        let page = try ContentLoad(url: "https://example.org/")
                        #expect(try rules.decision(for: page).hidden.map(\\.selector) == [".banner"])
            """
        parts.resources = [("blockerList.json", Self.blockerList)]
        return parts
    }

    /// A handler of shared links.
    var links: Parts {
        var parts = Parts(
            "a handler that shares a link",
            className: "RequestHandler", modules: ["ExtensionFoundation", "SafariServices"], run: "exthostctl run .")
        parts.source = """
            // RequestHandler: shares a link. A browser shows the links of all extensions by their dates.

            import SafariServices

            final class RequestHandler: NSObject, NSExtensionRequestHandling {
                func beginRequest(with context: NSExtensionContext) {
                    let item = NSExtensionItem()
                    item.userInfo = [
                        "uniqueIdentifier": "sample", "urlString": "https://example.org/", "date": Date(),
                        "displayName": "\(name)",
                    ]
                    item.attributedTitle = NSAttributedString(string: "Sample title")
                    item.attributedContentText = NSAttributedString(string: "Sample description")
                    context.completeRequest(returningItems: [item], completionHandler: nil)
                }
            }

            """
        parts.test = "aLinkIsShared"
        parts.session = """
                        let links = try await SharedLinksHost(host.application).links(
                            of: "\(project.extensionIdentifier)")
                        #expect(links.links.map(\\.title) == ["Sample title"])
            """
        return parts
    }

    /// The rules of the blocker.
    private static let blockerList = """
        [
            {
                "trigger": {"url-filter": "^https?://ads\\\\.", "resource-type": ["image", "script"]},
                "action": {"type": "block"}
            },
            {
                "trigger": {"url-filter": ".*"},
                "action": {"type": "css-display-none", "selector": ".banner"}
            }
        ]

        """

    /// The page of the scenario.
    static let webPage = """
        <!DOCTYPE html>
        <html>
        <head><title>Greeting</title></head>
        <body><p>hello brave world</p></body>
        </html>

        """

    /// The script that runs in the page.
    private static let pageScript = """
        // Action: the script that a browser runs in a shared page, before the request and after it.

        var Action = function () {};

        Action.prototype = {
            run: function (parameters) {
                parameters.completionFunction({"address": document.baseURI, "text": document.body.textContent});
            },
            finalize: function (parameters) {
                var line = document.createElement("p");
                line.textContent = parameters["words"] + " words";
                document.body.insertBefore(line, document.body.firstChild);
            }
        };

        var ExtensionPreprocessingJS = new Action();

        """
}
