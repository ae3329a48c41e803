// ErrorCodingTests: errors across the wire: only what may cross, and all of that.

import ExtensionItems
import Foundation
import PropertyListCoding
import Testing

@Suite struct ErrorCodingTests {
    private enum Local: LocalizedError {
        case refused
        var errorDescription: String? { "It was refused." }
    }

    // spec: P-034
    @Test func domainCodeDescriptionAndUserInfoArrive() {
        let error = NSError(
            domain: "org.example", code: -7,
            userInfo: [NSLocalizedDescriptionKey: "No.", "n": 1, "flag": true, "list": [1, ["$kind": "x"]] as [Any]])
        #expect(same(decodeError(encodeError(error)), error))
    }

    // spec: P-033
    @Test func aSwiftErrorKeepsItsNameAndItsText() {
        let read = decodeError(encodeError(Local.refused))
        #expect(read.domain == (Local.refused as NSError).domain && read.code == (Local.refused as NSError).code)
        #expect(read.localizedDescription == "It was refused.")
        let cancelled = decodeError(encodeError(CocoaError(.userCancelled)))
        #expect(cancelled.domain == NSCocoaErrorDomain && cancelled.code == 3072)
        #expect(cancelled.localizedDescription == CocoaError(.userCancelled).localizedDescription)
    }

    // spec: P-034
    @Test func underlyingErrorsArriveNested() {
        let inner = NSError(domain: "inner", code: 1, userInfo: [NSLocalizedDescriptionKey: "in"])
        let outer = NSError(
            domain: "outer", code: 2, userInfo: [NSLocalizedDescriptionKey: "out", NSUnderlyingErrorKey: inner])
        #expect(same(decodeError(encodeError(outer)).userInfo[NSUnderlyingErrorKey], inner))
    }

    /// Those below several are under a key of their own (`NSMultipleUnderlyingErrorsKey`), and authors have theirs.
    // spec: P-034
    @Test func errorsInAnErrorsValuesArriveWhereverTheyStand() {
        let inner = NSError(domain: "inner", code: 1, userInfo: [NSLocalizedDescriptionKey: "in", "n": 3])
        let below = NSError(
            domain: "below", code: 2, userInfo: [NSLocalizedDescriptionKey: "be", NSUnderlyingErrorKey: inner])
        let error = NSError(
            domain: "outer", code: 3,
            userInfo: [
                NSLocalizedDescriptionKey: "out", "NSMultipleUnderlyingErrorsKey": [inner, below],
                "byName": ["first": inner, "list": [below]] as [String: Any],
            ])
        #expect(same(decodeError(encodeError(error)), error))
    }

    @Test func anErrorThatIsWrittenWithoutEndIsCutOff() {
        var error = NSError(domain: "d", code: 0)
        // Each holds the one before it three times: 3 to the power of 40 in all.
        for code in 1...40 {
            error = NSError(domain: "d", code: code, userInfo: [NSUnderlyingErrorKey: error, "a": [error], "b": error])
        }
        let read = decodeError(encodeError(error))
        #expect(read.domain == "d" && read.code == 40)
        #expect((read.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 39)
    }

    // spec: P-034
    @Test func whatMayNotCrossIsLeftOutAndTheRestArrives() {
        let error = NSError(
            domain: "d", code: 1,
            userInfo: [
                "object": NSObject(), "url": URL(fileURLWithPath: "/"), "null": NSNull(), "kept": "yes", "map": [1: 2],
            ])
        let read = decodeError(encodeError(error))
        #expect(Set(read.userInfo.keys) == ["kept", NSLocalizedDescriptionKey])
    }

    // spec: P-004, P-034
    @Test func itemsAndTheirErrorsArriveInPairs() throws {
        let original = provider(of: "public.text")
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "host's")
        item.attachments = [original]
        let table = ProviderTable()
        let arrived = try #require(try sent([item], table: table).first)
        let own = NSExtensionItem()
        own.attributedTitle = NSAttributedString(string: "own")
        own.attachments = [provider(of: "public.url")]
        let failure = NSError(domain: "d", code: 5, userInfo: [NSLocalizedDescriptionKey: "bad"])
        let error = NSError(
            domain: NSCocoaErrorDomain, code: 3072,
            userInfo: [NSExtensionItemsAndErrorsKey: [arrived: failure, own: Local.refused as NSError]])
        let read = decodeError(encodeError(error), table: table)
        let pairs = try #require(read.userInfo[NSExtensionItemsAndErrorsKey] as? [NSExtensionItem: NSError])
        #expect(read.userInfo[NSExtensionItemsAndErrorsKey] is NSDictionary)
        #expect(pairs.count == 2)
        let hosts = try #require(pairs.first { $0.key.attributedTitle?.string == "host's" })
        #expect(hosts.value.code == 5 && hosts.key.attachments?.first === original)
        let extensions = try #require(pairs.first { $0.key.attributedTitle?.string == "own" })
        #expect(extensions.value.localizedDescription == "It was refused.")
        #expect(extensions.key.attachments?.first?.registeredTypeIdentifiers == ["public.url"])
        #expect(decodeError(encodeError(error)).code == 3072, "readable without the table")
    }

    @Test(arguments: [.max, .min, 1 << 31] as [Int64])
    func aCodeThatNoErrnoHasIsRefusedBeforeSomebodyAsksForItsText(_ code: Int64) {
        let plist: PropertyList = ["$kind": "error", "domain": .string(NSPOSIXErrorDomain), "code": .integer(code)]
        #expect(throws: ItemCodingError.malformed("a code that no errno has")) {
            try decodeValue(EncodedValue(plist: plist))
        }
        let read = decodeError(plist)
        #expect(read.domain == NSItemProvider.errorDomain && !read.localizedDescription.isEmpty)
        // Elsewhere a code is any integer.
        #expect(decodeError(["$kind": "error", "domain": "d", "code": .integer(code)]).code == Int(code))
    }

    @Test func anErrorWithoutEndIsCutOff() {
        var error = NSError(domain: "d", code: 0)
        for code in 1...200 { error = NSError(domain: "d", code: code, userInfo: [NSUnderlyingErrorKey: error]) }
        let read = decodeError(encodeError(error))
        #expect(read.domain == "d" && read.code == 200)
    }

    @Test func whatIsNoErrorIsReportedAsOne() {
        for plist in ["x", [:], ["$kind": "item", "userInfo": [:]]] as [PropertyList] {
            let read = decodeError(plist)
            #expect(code(of: read) == -1 && read.userInfo[NSUnderlyingErrorKey] != nil)
        }
    }
}
