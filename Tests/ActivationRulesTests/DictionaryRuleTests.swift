// DictionaryRuleTests: the dictionary form beyond the known answers: counts, leniency, meanings.

import PropertyListCoding
import Testing
import UniformTypeIdentifiers

@testable import ActivationRules

private let image = "NSExtensionActivationSupportsImageWithMaxCount"
private let movie = "NSExtensionActivationSupportsMovieWithMaxCount"
private let file = "NSExtensionActivationSupportsFileWithMaxCount"
private let url = "NSExtensionActivationSupportsWebURLWithMaxCount"
private let page = "NSExtensionActivationSupportsWebPageWithMaxCount"
private let text = "NSExtensionActivationSupportsText"
private let least = "NSExtensionActivationSupportsAttachmentsWithMinCount"
private let most = "NSExtensionActivationSupportsAttachmentsWithMaxCount"
private let version = "NSExtensionActivationDictionaryVersion"
private let strict = "NSExtensionActivationUsesStrictMatching"

@Suite struct DictionaryRuleTests {
    private func matches(_ rule: PropertyListDictionary, _ attachments: [String]...) throws -> Bool {
        try ActivationRule(.dictionary(rule)).matches(RuleSubject(attachments: [attachments]))
    }

    private func codes(_ rule: PropertyListDictionary) throws -> [RuleWarning.Code] {
        try ActivationRule(.dictionary(rule)).warnings().map(\.code)
    }

    // spec: P-320, P-321
    @Test func theLeastCountHoldsOnItsOwnAndIsOneByDefault() throws {
        #expect(try matches([image: 2, least: 2], ["public.png"]) == false)
        #expect(try matches([image: 2, least: 2], ["public.png"], ["public.png"]))
        #expect(try matches([image: 2]) == false)
        #expect(try matches([image: 2, least: 0]))
        #expect(try matches([image: 2, least: 0, version: 2]) == false)
    }

    // spec: P-322
    @Test func theGreatestCountIsOfFilesImagesAndMoviesTogether() throws {
        let rule: PropertyListDictionary = [image: 5, movie: 5, text: true, most: 2]
        #expect(try matches(rule, ["public.png"], ["public.movie"], ["public.plain-text"]))
        #expect(try matches(rule, ["public.png"], ["public.movie"], ["public.png"]) == false)
        #expect(try matches([most: 5], ["public.png"]) == false, "it supports no type by itself")
    }

    // spec: P-323
    @Test func attachmentsOfAllItemsAreCountedTogether() throws {
        let rule = try ActivationRule([image: 1] as PropertyList)
        #expect(try rule.matches(RuleSubject(attachments: [[["public.png"]], [["public.png"]]])) == false)
        #expect(try rule.matches(RuleSubject(attachments: [[["public.png"]], []])))
    }

    // spec: P-324
    @Test func aFileIsNeitherImageNorMovieUnlessEveryFileIsMeant() throws {
        let picture = try item(["public.jpeg", "public.file-url"])
        let document = try item(["com.adobe.pdf", "public.file-url"])
        let memo = try item(["public.audio"])
        let rule: PropertyList = [file: 1]
        let guide = try ActivationRule(rule)
        #expect(try !guide.matches(picture) && guide.matches(document) && guide.matches(memo))
        let newer = try ActivationRule(rule, fileMeaning: .every)
        #expect(try newer.matches(picture) && newer.matches(document) && newer.matches(memo))
        #expect(try guide.matches(item(["public.url"])) == false, "a link is data, and in another class")
    }

    private static let classes: [([String], AttachmentClasses)] = [
        (["public.jpeg"], .image), (["public.mpeg-4"], .movie), (["public.url"], .webURL),
        (["public.url", "public.file-url"], [.otherFile, .anyFile]), (["com.apple.property-list"], .webPage),
        (["com.apple.xml-property-list"], [.webPage, .text]), (["public.html"], .text),
        (["public.jpeg", "public.file-url"], [.image, .anyFile]), (["public.jpeg", "public.url"], [.image, .webURL]),
        (["public.zip-archive"], [.otherFile, .anyFile]), (["org.example.own"], []), (["public.directory"], []),
        ([], []),
        (["PUBLIC.PNG"], .image), (["public.geojson"], .text),
    ]

    // spec: P-325, P-059, P-350
    @Test(arguments: classes)
    func anAttachmentIsOfAClass(_ types: [String], _ expected: AttachmentClasses) throws {
        #expect(try item(types).table.classes == [expected])
    }

    // spec: P-326
    @Test func countsAreReadLenientlyAndEachTimeWithAWarning() throws {
        for value: PropertyList in ["1", true, 1.0, " 1"] {
            #expect(try matches([url: value], ["public.url"]))
            #expect(try codes([url: value]) == [.lenientNumber])
        }
        for value: PropertyList in ["one", "1.5", -1, "-1", 1.5, [1], .data([1]), .real(.nan), .real(1e300), ""] {
            #expect(try matches([url: value], ["public.url"]) == false)
            #expect(try codes([url: value, image: 1]).contains(.invalidCount))
        }
        for value: PropertyList in [1, "YES", "true", "1", 2.0] {
            #expect(try matches([text: value], ["public.text"]))
            #expect(try codes([text: value]) == [.lenientNumber])
        }
        for value: PropertyList in [0, "NO", "false", "0", "maybe", [], -1] {
            #expect(try matches([text: value], ["public.text"]) == false)
        }
        #expect(try codes([text: "maybe", url: 1]) == [.invalidCount])
    }

    @Test func whatCannotBeMeantIsSaid() throws {
        #expect(try codes([:]) == [.nothingSupported])
        #expect(try codes([image: 0]) == [.nothingSupported])
        #expect(try codes([image: 1, "NSExtensionActivationSupportsImageWithMaxCont": 1]) == [.unknownActivationKey])
        let near = try ActivationRule([image: 1, "NSExtensionActivationSupportText": true] as PropertyList).warnings()
        #expect(near.first?.remedy == "Write \(text)")
        #expect(try codes([image: 1, version: 3]) == [.invalidVersion])
        #expect(try codes([image: 1, version: 2]).isEmpty)
        #expect(try codes([image: 1, strict: true]) == [.strictWithoutVersion2])
        #expect(try codes([image: 1, strict: true, version: 2]).isEmpty)
        #expect(try codes([image: 5, least: 3, most: 2]) == [.contradictoryCounts])
        for warning in try ActivationRule([image: "x", version: 7, strict: 1, "y": 1] as PropertyList).warnings() {
            #expect(!warning.message.isEmpty && !warning.remedy.isEmpty && warning.line == nil)
        }
    }

    @Test func errorsComeBeforeWarnings() throws {
        let severities = try ActivationRule([image: "1", movie: -1] as PropertyList).warnings().map(\.severity)
        #expect(severities == [.error, .warning])
    }

    // spec: P-327
    @Test func aWebPageIsAskedForByItsCountOrByTheTypeOfItsPropertyList() throws {
        #expect(try ActivationRule([page: 1] as PropertyList).asksForWebPage)
        #expect(try !ActivationRule([page: 0, url: 1] as PropertyList).asksForWebPage)
        #expect(try ActivationRule(predicate: "ANY a UTI-CONFORMS-TO 'com.apple.Property-List'").asksForWebPage)
        #expect(try !ActivationRule(predicate: "ANY a UTI-CONFORMS-TO 'public.url'").asksForWebPage)
    }

    @Test func aRuleOfAnotherKindIsAnError() {
        for value: PropertyList in [1, true, [], .data([])] {
            #expect(throws: RuleError.self) { try ActivationRule(value) }
        }
    }

    @Test func aCommonTypeComesWithAllItsSupertypes() {
        #expect(CommonTypes.names.count <= 64 && Set(CommonTypes.names).count == CommonTypes.names.count)
        for name in CommonTypes.names {
            let type = UTType(name)
            #expect(type != nil, "\(name)")
            for supertype in type?.supertypes ?? [] {
                #expect(CommonTypes.names.contains(supertype.identifier), "\(supertype) of \(name)")
            }
        }
    }
}
