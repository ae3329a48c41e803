// RuleTests: `exthostctl rule eval`, which needs no daemon.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite final class RuleTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    deinit { try? folder.remove() }

    private func file(_ name: String, _ contents: String) throws -> String {
        let path = folder.path + "/" + name
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func eval(_ rule: String, _ items: String, _ more: String...) async throws -> Program.Ending {
        try await Program.control(
            ["rule", "eval", "--rule", rule, "--items", items] + more, socket: folder.path + "/none"
        )
        .ending()
    }

    private let link = #"{"extensionItems": [{"attachments": [{"registeredTypeIdentifiers": ["public.url"]}]}]}"#
    private let pair =
        #"{"extensionItems": [{"attachments": [{"registeredTypeIdentifiers": ["public.url"]}, {"registeredTypeIdentifiers": ["public.plain-text"], "x": null}]}]}"#
    private let predicate =
        "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO \"public.url\").@count == $i.attachments.@count).@count == 1"

    private func plist(_ inner: String) -> String { "<?xml version=\"1.0\"?><plist version=\"1.0\">\(inner)</plist>" }

    private func object(_ ending: Program.Ending) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any] ?? [:]
    }

    // spec: P-339, P-205
    @Test func aPredicateIsAskedAboutItemsInJSON() async throws {
        let rule = try file("rule.txt", predicate)
        let matching = try await eval(rule, try file("one.json", link))
        #expect(matching.status == 0 && matching.output.hasPrefix("matches\n  ✓ SUBQUERY(extensionItems"))
        #expect(matching.errors.contains("warning urlMatchesFiles at line 1, column 108: "))
        let items = try file("two.json", pair)
        let other = try await eval(rule, items, "-q")
        #expect(other.status == 0 && other.output.hasPrefix("does not match\n") && other.errors.isEmpty)
        #expect(other.output.hasSuffix("It would match without attachment 2 (public.plain-text)\n"))
        let answer = try object(try await eval(rule, items, "--json"))
        #expect(
            answer["matches"] as? Bool == false && answer["form"] as? String == "predicate" && answer["error"] is NSNull
        )
        let clauses = try #require(answer["clauses"] as? [[String: Any]])
        #expect(clauses.count == 4 && Set(clauses[0].keys) == ["clause", "result", "detail"])
        #expect(clauses.map { $0["result"] as? Bool } == [false, false, true, false])
        #expect(answer["nearMiss"] as? String == "without attachment 2 (public.plain-text)")
        #expect((answer["warnings"] as? [[String: Any]])?.first?["code"] as? String == "emptyItemMatches")
    }

    // spec: P-339
    @Test func aDictionaryIsReadFromAPropertyListThatIsItOrHoldsIt() async throws {
        let counts = "<dict><key>NSExtensionActivationSupportsWebURLWithMaxCount</key><string>1</string></dict>"
        let items = try file(
            "items.plist",
            plist(
                "<dict><key>extensionItems</key><array><dict><key>attachments</key><array><dict>"
                    + "<key>registeredTypeIdentifiers</key><array><string>public.url</string></array>"
                    + "</dict></array></dict></array></dict>"))
        for contents in [counts, "<dict><key>NSExtensionActivationRule</key>\(counts)</dict>"] {
            let answer = try object(try await eval(try file("rule.plist", plist(contents)), items, "--json"))
            #expect(answer["matches"] as? Bool == true && answer["form"] as? String == "dictionary")
            let warning = try #require((answer["warnings"] as? [[String: Any]])?.first)
            #expect(warning["code"] as? String == "lenientNumber" && warning["line"] is NSNull)
        }
        let text = try await eval(try file("text.plist", plist("<string>extensionItems.@count == 1</string>")), items)
        #expect(text.status == 0 && text.output.hasPrefix("matches\n"))
    }

    // spec: P-333
    @Test func aRuleThatDoesNotParseIsAnErrorWithItsPlaceAndNeverAMatch() async throws {
        let items = try file("items.json", link)
        let rule = try file("rule.txt", "extensionItems.@count\n  === 1")
        let ending = try await eval(rule, items, "--json")
        #expect(ending.status == 1)
        let answer = try object(ending)
        #expect(answer["matches"] as? Bool == false)
        let error = try #require(answer["error"] as? [String: Any])
        #expect(Set(error.keys) == ["message", "line", "column", "hint"])
        #expect(error["line"] as? Int == 2 && error["column"] as? Int == 3)
        #expect(error["message"] as? String == "there is no operator “===”")
        let text = try await eval(rule, items)
        #expect(text.status == 1 && text.output.isEmpty)
        #expect(
            text.errors
                == "exthostctl: \(rule): line 2, column 3: there is no operator “===”. There are == != < > <= >=\n")
        for broken in ["", plist("<dict>"), plist("<true/>"), "a = $x"] {
            #expect(try await eval(try file("broken", broken), items).status == 1)
        }
    }

    @Test func filesThatAreMissingOrHoldNoItemsAreSaidSo() async throws {
        let rule = try file("rule.txt", predicate)
        let items = try file("items.json", link)
        #expect(try await eval(rule, folder.path + "/gone").status == 66)
        #expect(try await eval(folder.path + "/gone", items).status == 66)
        for contents in ["[]", "{", "hello", plist("<array/>"), #"{"a": [[[["x"]]]]"#] {
            let ending = try await eval(rule, try file("bad", contents))
            #expect(
                ending.status == 64 && ending.output.isEmpty && ending.errors.hasPrefix("exthostctl: "), "\(ending)")
        }
        #expect(try await Program.control(["rule", "eval"]).ending().status == 64)
    }

    @Test func theRulesOfAFileProvidersActionsAreAskedInTheSameWay() async throws {
        let rule = try file("rule.txt", "SUBQUERY(fileproviderItems, $f, $f.size > 1.0e0).@count > 0")
        #expect(try await eval(rule, try file("i.json", #"{"fileproviderItems": []}"#)).status == 1)
        let right = try file(
            "right.txt", "SUBQUERY(fileproviderItems, $f, $f.size > 1 AND $f.pinned == TRUE).@count == 1")
        let items = try file("items.json", #"{"fileproviderItems": [{"size": 1.5, "pinned": true}, {"size": 1}]}"#)
        let ending = try await eval(right, items)
        #expect(ending.output.hasPrefix("matches\n") && ending.errors.isEmpty)
    }
}
