// ItemTests: one dictionary is the truth, and the properties are views of it.

import ExtensionItems
import Foundation
import LinuxSystem
import Testing
import UniformTypeIdentifiers

@Suite struct ItemTests {
    @Test func aNewItemIsEmpty() {
        let item = NSExtensionItem()
        #expect(
            item.userInfo == nil && item.attributedTitle == nil && item.attributedContentText == nil
                && item.attachments == nil)
    }

    @Test func aFileHasATypeAmongItsValues() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = URL(fileURLWithPath: folder.path + "/a.png")
        try Data().write(to: file)
        #expect(try file.resourceValues(forKeys: [.contentTypeKey, .nameKey]).contentType == .png)
        #expect(try file.resourceValues(forKeys: [.nameKey]).contentType == nil)
        let values = try URL(fileURLWithPath: folder.path).resourceValues(forKeys: [.contentTypeKey])
        #expect(values.contentType == .folder)
    }

    // spec: P-008
    @Test func theKeyOfItemsAndTheirErrorsIsItsOwnName() {
        #expect(NSExtensionItemsAndErrorsKey == "NSExtensionItemsAndErrorsKey")
    }

    // spec: P-084
    @Test func visibilityAndFileOptionsHaveTheirNumbers() {
        let visibilities: [NSItemProviderRepresentationVisibility] = [.all, .team, .group, .ownProcess]
        #expect(visibilities.map(\.rawValue) == [0, 1, 2, 3])
        #expect(NSItemProviderFileOptions.openInPlace.rawValue == 1)
    }

    // spec: P-053, P-054
    @Test func aPropertyAppearsUnderItsKeyAndNilRemovesIt() {
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "title")
        item.attributedContentText = NSAttributedString(string: "text")
        item.attachments = []
        #expect((item.userInfo?["NSExtensionItemAttributedTitleKey"] as? NSAttributedString)?.string == "title")
        #expect((item.userInfo?["NSExtensionItemAttributedContentTextKey"] as? NSAttributedString)?.string == "text")
        #expect((item.userInfo?["NSExtensionItemAttachmentsKey"] as? [NSItemProvider])?.isEmpty == true)
        item.attributedTitle = nil
        #expect(item.userInfo?.count == 2)
        item.attributedContentText = nil
        item.attachments = nil
        #expect(item.userInfo == nil)
    }

    // spec: P-054
    @Test func userInfoReplacesEverything() {
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "title")
        item.userInfo = [
            "message": "hello", NSExtensionItemAttributedContentTextKey: NSAttributedString(string: "text"),
        ]
        #expect(item.attributedTitle == nil)
        #expect(item.attributedContentText?.string == "text")
        #expect(item.userInfo?["message"] as? String == "hello")
        item.userInfo = nil
        #expect(item.attributedContentText == nil && item.userInfo == nil)
    }

    // spec: P-056
    @Test func attachmentsThatAreNoProvidersStayInUserInfo() {
        let item = NSExtensionItem()
        let provider = NSItemProvider()
        item.userInfo = [NSExtensionItemAttachmentsKey: ["raw" as NSString, provider] as [Any]]
        #expect(item.attachments == [provider])
        #expect((item.userInfo?[NSExtensionItemAttachmentsKey] as? [Any])?.count == 2)
    }

    // spec: P-050
    @Test func valuesAreCopiedIn() {
        let item = NSExtensionItem()
        let title = NSMutableAttributedString(string: "before")
        let list = NSMutableArray(array: [1])
        item.attributedTitle = title
        item.attributedContentText = title
        item.userInfo = (item.userInfo ?? [:]).merging(["list": list]) { $1 }
        title.mutableString.setString("after")
        list.add(2)
        #expect(item.attributedTitle?.string == "before")
        #expect(item.attributedContentText?.string == "before")
        #expect((item.userInfo?["list"] as? [Int]) == [1])
    }

    // spec: P-051
    @Test func aCopyIsItsOwnItemWithTheSameProviders() throws {
        let item = NSExtensionItem()
        item.attachments = [NSItemProvider()]
        item.attributedTitle = NSAttributedString(string: "one")
        let copy = try #require(item.copy() as? NSExtensionItem)
        copy.attributedTitle = NSAttributedString(string: "two")
        #expect(item.attributedTitle?.string == "one")
        #expect(copy.attachments?.first === item.attachments?.first)
    }

    // spec: P-058
    @Test func printsAsPeopleKnowItFromLogs() throws {
        let provider = NSItemProvider()
        for type in ["public.plain-text", "public.file-url"] {
            provider.registerItem(forTypeIdentifier: type) { answer, _, _ in answer?(nil, nil) }
        }
        let item = NSExtensionItem()
        item.attachments = [provider]
        let address = #"0x[0-9a-f]+"#
        let pattern =
            #"^<NSExtensionItem: \#(address)> - userInfo: \{ NSExtensionItemAttachmentsKey = \( "<NSItemProvider: \#(address)> "#
            + #"\{types = \( \\"public.plain-text\\", \\"public.file-url\\" \)\}" \); \}$"#
        #expect(try Regex(pattern).firstMatch(in: item.description) != nil, "\(item.description)")
        #expect(NSExtensionItem().description.hasSuffix("> - userInfo: { }"))
    }

    // spec: P-052
    @Test func archivesEverythingButAttachments() throws {
        var generator = ItemGenerator(seed: 7)
        for _ in 0..<50 {
            let item = NSExtensionItem()
            item.userInfo = generator.dictionary(depth: 4)
            item.attributedTitle = generator.attributedString()
            let archive = try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
            item.attachments = [NSItemProvider()]
            let withAttachments = try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
            for data in [archive, withAttachments] {
                let read = try #require(
                    try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExtensionItem.self, from: data))
                #expect(read.attachments == nil)
                var expected = item.userInfo
                expected?[NSExtensionItemAttachmentsKey] = nil
                #expect(same(read.userInfo, expected))
            }
        }
    }

    @Test func isSafeToUseFromSeveralThreads() {
        let item = NSExtensionItem()
        DispatchQueue.concurrentPerform(iterations: 200) { turn in
            item.attributedTitle = NSAttributedString(string: "\(turn)")
            item.userInfo = (item.userInfo ?? [:]).merging(["turn": turn]) { $1 }
            _ = item.attachments
        }
        #expect(item.userInfo?["turn"] != nil)
    }
}
