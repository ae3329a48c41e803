// PredicateTests: conditions that are written as texts, and transforms of texts.

import ExtensionFoundation
import Foundation
import Testing

@Suite struct PredicateTests {
    private static let people: [[String: any Sendable]] = [
        ["name": "Ångström", "age": 31, "tags": ["a", "b"], "home": ["city": "Lund"]],
        ["name": "bob", "age": 5, "tags": [String](), "isNew": true, "born": Date(timeIntervalSince1970: 5)],
    ]

    @Test(arguments: [
        ("age >= 31", [true, false]), ("age IN {5, 6}", [false, true]), ("NOT age BETWEEN {1, 10}", [true, false]),
        ("home.city == 'Lund' OR age < -1", [true, false]), ("home == nil && age != 31", [false, true]),
        ("name CONTAINS[cd] \"angs\"", [true, false]), ("name contains 'angs'", [false, false]),
        ("name BEGINSWITH 'b' and name ENDSWITH 'b'", [false, true]), ("name LIKE '*o?'", [false, true]),
        ("name MATCHES[c] 'B.+'", [false, true]), ("name MATCHES 'bo'", [false, false]),
        ("isNew == YES", [false, true]),
        ("ANY tags == 'b'", [true, false]), ("NONE tags == 'b'", [false, true]), ("ALL tags == 'b'", [false, true]),
        ("tags.@count > 0", [true, false]), ("'a' IN tags", [true, false]),
        ("!(age == 5) || FALSEPREDICATE", [true, false]),
        ("name.length == 3", [false, true]), ("TRUEPREDICATE", [true, true]),
        ("#name == 'bob'", [false, true]), ("infinity == nil", [true, true]), ("tags == {'a', 'b'}", [true, false]),
        ("'Lund' IN home", [true, false]), ("name LIKE[cd] 'ang*m*'", [true, false]),
        ("name LIKE '*o'", [false, false]), ("name LIKE 'b**'", [false, true]),
    ])
    func formatsAreRead(format: String, expected: [Bool]) {
        let condition = NSPredicate(format: format)
        #expect(Self.people.map { condition.evaluate(with: $0) } == expected)
    }

    @Test func argumentsTakeTheirPlaces() {
        let named = NSPredicate(format: "%K ==[c] %@ AND born < %@", "name", "BOB", Date() as NSDate)
        #expect(Self.people.map { named.evaluate(with: $0) } == [false, true])
        #expect(NSPredicate(format: "SELF MATCHES %@", "[a-z]{3}").evaluate(with: "abc"))
        #expect(!NSPredicate(format: "SELF MATCHES %@", "[a-z]{3}").evaluate(with: "abcd"))
        #expect(NSPredicate(format: "SELF.age > %d", argumentArray: [30]).evaluate(with: Self.people[0]))
        #expect(NSPredicate(format: "SELF IN %@", ["x", "y"]).evaluate(with: "y"))
        #expect(NSPredicate(format: "SELF IN %@", NSOrderedSet(array: ["x"])).evaluate(with: "x"))
        #expect(
            NSPredicate(format: "home == %@", argumentArray: [Optional<String>.none as Any]).evaluate(
                with: Self.people[1]))
        #expect(!NSPredicate(format: "SELF MATCHES %@", "a.*").evaluate(with: "a\nb"))
        #expect(NSPredicate(format: "SELF LIKE %@", "a*").evaluate(with: "a\nb"))
        let long = repeatElement("SELF == 'a'", count: 20_000).joined(separator: " OR ")
        #expect(!NSPredicate(format: long).evaluate(with: "b"))
        #expect(NSPredicate(format: "SELF == 'it\\'s'").evaluate(with: "it's"))
    }

    // not simulated: N-292
    @Test func aFormatThatIsNotReadEndsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "SUBQUERY(tags, $t, $t == 'a').@count > 0")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("unable to parse the format string “SUBQUERY"))
    }

    // not simulated: N-292
    @Test(arguments: [
        "a == $x", "scores.@sum == 3", "3x == 1", "-infinity < a", String(repeating: "{", count: 20_000),
        String(repeating: "(", count: 20_000),
    ])
    func whatIsNotReadEndsTheProcess(format: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [format] in
            _ = NSPredicate(format: format)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("unable to parse the format string “\(format.prefix(200))”"))
    }

    @Test(arguments: ["SELF LIKE '5'", "SELF MATCHES '5'", "SELF CONTAINS '5'", "'a' IN SELF", "ANY SELF == 5"])
    func aValueThatDoesNotFitEndsTheProcess(format: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [format] in
            _ = NSPredicate(format: format).evaluate(with: 5)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("cannot use “5”"))
    }

    // not simulated: N-293
    @Test func marksAreRemovedAndNoScriptIsChanged() {
        #expect("Crème Ångström".applyingTransform(.stripCombiningMarks, reverse: false) == "Creme Angstrom")
        #expect("É^".applyingTransform(.stripDiacritics, reverse: false) == "E")
        #expect("Ａ1！\u{3000}カｶ".applyingTransform(.fullwidthToHalfwidth, reverse: false) == "A1! カｶ")
        #expect("東京".applyingTransform(.mandarinToLatin, reverse: false) == nil)
    }

    @Test func namesOfFoundationHaveTheirOldForms() {
        #expect(NSError().code == 0)
        let scanner = Scanner(string: "ab c")
        var text: NSString?
        #expect(scanner.scanUpToCharacters(from: .whitespaces, into: &text) && text == "ab")
        #expect(NSExtensionItem.classForCoder() == NSExtensionItem.self)
    }
}
