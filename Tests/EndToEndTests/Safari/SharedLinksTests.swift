// SharedLinksTests: shared links of real processes.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import Testing

@Suite struct SharedLinksTests {
    private static func link(_ identifier: String, _ date: Double, _ more: String = "") -> String {
        #"{"uniqueIdentifier": "\#(identifier)", "urlString": "https://a.com/\#(identifier)", "date": \#(date)\#(more)}"#
    }

    // spec: SL-1, SL-3, SL-5
    @Test("SL-1: links have identifier, URL, date, name, title, text and image, the newest first")
    func linksHaveTheirValues() async throws {
        try await SafariStage.with(["links"]) { stage in
            try stage.write("links", to: "act", of: "links")
            let more = #", "displayName": "Ada", "title": "T", "text": "C", "image": "png""#
            try stage.write("[\(Self.link("old", 10)), \(Self.link("new", 20, more))]", to: "links.json", of: "links")
            let found = try await SharedLinksHost(stage.host).links()
            #expect(found.remarks.isEmpty && found.links.map(\.identifier) == ["new", "old"])
            let new = try #require(found.links.first)
            #expect(new.url.absoluteString == "https://a.com/new" && new.date == Date(timeIntervalSince1970: 20))
            #expect(new.displayName == "Ada" && new.title == "T" && new.text == "C" && new.source == SafariStage.links)
            let image = try await new.image?.loadDataRepresentation(forTypeIdentifier: "public.png")
            #expect(image == Data("png".utf8))
            #expect(found.links[1].displayName == nil && found.links[1].image == nil)
        }
    }

    // spec: SL-2, SL-3
    @Test(
        "SL-2: an item without identifier, URL or date is left out, and told; of two of one identifier the later counts"
    )
    func incompleteItemsAreLeftOut() async throws {
        try await SafariStage.with(["links"]) { stage in
            try stage.write("links", to: "act", of: "links")
            let incomplete = [
                #"{"urlString": "https://a.com/", "date": 1}"#,
                #"{"uniqueIdentifier": "", "urlString": "https://a.com/", "date": 1}"#,
                #"{"uniqueIdentifier": "a", "date": 1}"#, #"{"uniqueIdentifier": "a", "urlString": "a b", "date": 1}"#,
                #"{"uniqueIdentifier": "a", "urlString": "/path", "date": 1}"#,
                #"{"uniqueIdentifier": "a", "urlString": "https://a.com/"}"#,
            ]
            let items = incomplete + [Self.link("x", 2), Self.link("x", 5, #", "title": "later""#), Self.link("x", 3)]
            try stage.write("[\(items.joined(separator: ", "))]", to: "links.json", of: "links")
            let found = try await SharedLinksHost(stage.host).links(of: SafariStage.links)
            #expect(found.links.map(\.title) == ["later"])
            #expect(found.remarks.count == incomplete.count + 2)
            for (number, reason) in [
                (1, "uniqueIdentifier"), (3, "urlString"), (4, "no URL"), (5, "no URL"), (6, "date"),
            ] {
                #expect(
                    found.remarks[number - 1].contains("item \(number)") && found.remarks[number - 1].contains(reason))
            }
        }
    }

    // spec: SL-5
    @Test("SL-5: an extension that fails is told, and the links of the others are there") func aFailureIsTold()
        async throws
    {
        try await SafariStage.with(["links", "links2"]) { stage in
            try stage.write("crash", to: "act", of: "links")
            try stage.write("links", to: "act", of: "links2")
            let link = #"{"uniqueIdentifier": "a", "urlString": "https://example.org/", "date": 1}"#
            try stage.write("[\(link)]", to: "links.json", of: "links2")
            let found = try await SharedLinksHost(stage.host).links()
            #expect(found.links.map(\.source) == [SafariStage.links + "2"])
            #expect(found.remarks.count == 1 && found.remarks[0].hasPrefix(SafariStage.links + " "))
            await #expect(throws: ExtensionHostError.self) {
                try await SharedLinksHost(stage.host).links(of: SafariStage.links)
            }
            try stage.write("cancel", to: "act", of: "links")
            await #expect(throws: CocoaError.self) {
                try await SharedLinksHost(stage.host).links(of: SafariStage.links)
            }
        }
    }

    // spec: SL-5
    @Test("SL-5: extensions are asked at one time, and not one after the other") func extensionsAreAskedAtOneTime()
        async throws
    {
        try await SafariStage.with(["links", "links2"]) { stage in
            try stage.write("hang", to: "act", of: "links")
            try stage.write("hang", to: "act", of: "links2")
            let found = Task { try await SharedLinksHost(stage.host).links() }
            for name in [SafariStage.links, SafariStage.links + "2"] {
                try await stage.daemon.event {
                    $0.event == EventName.requestDelivered.rawValue && $0.extensionIdentifier == name
                }
            }
            try await stage.daemon.clock.advance(by: .seconds(30))
            let remarks = try await found.value.remarks
            #expect(remarks.count == 2 && remarks[0].hasPrefix(SafariStage.links + " "), "\(remarks)")
        }
    }

    // spec: SL-4
    @Test("SL-4: an extension keeps in its container what it has shown, and each look is a new request")
    func eachLookIsNew() async throws {
        try await withTestDaemon(applications: [samples()]) { daemon in
            let host = try await daemon.host("safari")
            let safari = SharedLinksHost(host.application)
            for count in [1, 2, 3, 3] {
                let links = try await safari.links(of: "org.exthost.samples.releases").links
                #expect(links.count == count)
                #expect(links.last?.title == "Release 1.0")
            }
        }
    }
}
