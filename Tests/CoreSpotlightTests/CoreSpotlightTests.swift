// CoreSpotlightTests: the attributes of items, and the errors that apps get.

import ExtensionPointKit
import Foundation
import PointMessages
import PropertyListCoding
import Testing
import UniformTypeIdentifiers

@testable import CoreSpotlight

@Suite struct CoreSpotlightTests {
    @Test func anActivityKeepsItsAttributes() {
        let activity = NSUserActivity(activityType: "org.example.read")
        let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
        activity.contentAttributeSet = set
        activity.suggestedInvocationPhrase = "Read on"
        #expect(activity.contentAttributeSet === set && activity.suggestedInvocationPhrase == "Read on")
    }

    // spec: SI-13
    @Test func attributesTravelByTheirNames() throws {
        let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
        set.title = "Title"
        set.keywords = ["a", "b"]
        set.rating = 5
        set.allDay = NSNumber(value: true)
        set.contentCreationDate = Date(timeIntervalSinceReferenceDate: 7)
        set.importantDates = [Date(timeIntervalSinceReferenceDate: 8)]
        set.contentURL = URL(string: "https://example.org/")
        set.authors = [CSPerson(displayName: "Ada", handles: ["ada@example.org"], handleIdentifier: "email")]
        set.values["future"] = ["x": 1]
        let item = CSSearchableItem(uniqueIdentifier: "1", domainIdentifier: "a.b", attributeSet: set)
        let encoded = try PointEncoder.encode(item.message)
        let read = CSSearchableItem(try PointDecoder.decode(SpotlightItem.self, from: encoded))
        #expect(read.uniqueIdentifier == "1" && read.domainIdentifier == "a.b")
        let attributes = read.attributeSet
        #expect(attributes.values == set.values)
        #expect(attributes.contentType == "public.text" && attributes.title == "Title")
        #expect(attributes.keywords == ["a", "b"] && attributes.rating == 5 && attributes.allDay?.boolValue == true)
        #expect(attributes.contentCreationDate?.timeIntervalSinceReferenceDate == 7)
        #expect(attributes.importantDates?.count == 1)
        #expect(attributes.contentURL?.absoluteString == "https://example.org/")
        #expect(attributes.authors?.first?.displayName == "Ada" && attributes.authors?.first?.handles.count == 1)
        set.title = nil
        #expect(set.title == nil && set.values["title"] == nil)
    }

    // spec: SI-12, SI-13
    @Test func anAttributeOfTheAppHasAKey() throws {
        let set = CSSearchableItemAttributeSet(contentType: .text)
        let key = try #require(CSCustomAttributeKey(keyName: "org_example_flavour"))
        set.setValue("vanilla", forCustomKey: key)
        #expect(set.value(forCustomKey: key) as? String == "vanilla" && set.searchable == ["org_example_flavour"])
        let quiet = try #require(
            CSCustomAttributeKey(
                keyName: "quiet", searchable: true, searchableByDefault: false, unique: false, multiValued: true))
        set.setValue([1, 2], forCustomKey: quiet)
        #expect(set.values["quiet"] == [1, 2] && set.searchable == ["org_example_flavour"])
        set.setValue(NSObject(), forCustomKey: quiet)
        #expect(set.values["quiet"] == [1, 2])
        set.setValue(nil, forCustomKey: key)
        #expect(set.values["org_example_flavour"] == nil && set.searchable.isEmpty)
        for name in ["", "a.b", "ä", "a b"] { #expect(CSCustomAttributeKey(keyName: name) == nil) }
    }

    // spec: SI-3, SI-6
    @Test func anItemHasAnIdentifierAndADate() throws {
        let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
        let item = CSSearchableItem(uniqueIdentifier: nil, domainIdentifier: nil, attributeSet: set)
        #expect(UUID(uuidString: item.uniqueIdentifier) != nil)
        let days = item.expirationDate.timeIntervalSinceNow / (24 * 3600)
        #expect(days > 29 && days <= 30)
        #expect(item.message.expires == nil)
        item.expirationDate = .distantFuture
        #expect(item.message.expires == Date.distantFuture.timeIntervalSinceReferenceDate)
    }

    // spec: SI-14
    @Test func aThumbnailIsReadWithinItsBounds() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("CoreSpotlight-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
        let item = CSSearchableItem(uniqueIdentifier: "1", domainIdentifier: nil, attributeSet: set)
        let file = folder.appendingPathComponent("thumbnail")
        set.thumbnailURL = file
        #expect(throws: CSIndexError.self) { try item.message.withThumbnail() }
        for (count, isGood) in [(10 << 20, true), (10 << 20 + 1, false)] {
            try Data(count: count).write(to: file)
            let read = try? item.message.withThumbnail().thumbnail
            #expect((read?.count == count) == isGood, "\(count)")
        }
        // The data is there already.
        set.thumbnailData = Data([1, 2])
        #expect(try item.message.withThumbnail().thumbnail == [1, 2])
        set.thumbnailData = Data(count: 10 << 20 + 1)
        #expect(throws: CSIndexError.self) { try item.message.withThumbnail() }
    }

    // spec: SI-9
    @Test(
        arguments: [
            (ExtensionHostError(.serviceUnavailable, ""), -1000), (ExtensionHostError(.noDaemon, ""), -1000),
            (ExtensionHostError(.connectionLost, ""), -1003), (ExtensionHostError(.timedOut, ""), -1003),
            (ExtensionHostError(.quotaExceeded, ""), -1004), (ExtensionHostError(.payloadTooLarge, ""), -1004),
            (ExtensionHostError(.notPermitted, ""), -1005), (ExtensionHostError(.internalError, ""), -1),
        ])
    func theIndexsErrorsHaveApplesNumbers(_ error: ExtensionHostError, _ code: Int) {
        let made = CSIndexError(error) as NSError
        #expect(made.domain == "CSIndexErrorDomain" && made.code == code)
        #expect(CSIndexError(NSError(domain: "CSIndexErrorDomain", code: code)).code.rawValue == code)
    }

    // spec: SI-10
    @Test func queryErrorsHaveApplesNumbers() {
        let errors: [(any Error, Int)] = [
            (ExtensionHostError(.serviceUnavailable, ""), -2001), (ExtensionHostError(.connectionLost, ""), -2001),
            (NSError(domain: "CSSearchQueryErrorDomain", code: -2002), -2002), (CancellationError(), -2003),
            (CocoaError(.userCancelled), -2003), (ExtensionHostError(.internalError, ""), -2000),
        ]
        for (error, code) in errors {
            let made = CSSearchQueryError(error) as NSError
            #expect(made.domain == "CSSearchQueryErrorDomain" && made.code == code, "\(error)")
        }
    }

    @Test func aProcessWithoutADaemonHasNoIndex() async throws {
        #expect(!CSSearchableIndex.isIndexingAvailable())
        let error = await #expect(throws: CSIndexError.self) {
            try await CSSearchableIndex.default().deleteAllSearchableItems()
        }
        #expect(error?.code == .indexUnavailableError)
        #expect(CSSearchableIndex.default() === CSSearchableIndex.default())
    }
}
