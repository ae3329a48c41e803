// FinePointTests: what operators mean between values of every kind.

import ActivationRules
import PropertyListCoding
import Testing
import UniformTypeIdentifiers

@Suite struct FinePointTests {
    private let value: PropertyList = [
        "n": 3, "r": 2.5, "t": true, "s": "Größe", "a": [1, 2, 3], "words": ["alpha", "Beta"], "empty": [],
        "d": ["k": 1, "l": ["x"]], "e": ["l": ["x"], "k": 1], "date": .date(10), "later": .date(20),
        "bytes": .data([1, 2]),
        "same": .data([1, 2]), "big": .integer(9_007_199_254_740_993), "bigReal": .real(9_007_199_254_740_992),
        "huge": .real(1e300), "tiny": .real(-1e300), "nan": .real(.nan), "type": "Public.JPEG",
        "types": ["public.jpeg", "x.y"],
        "deep": [["a": ["b", 1]], ["a": ["b", 1]]], "pattern": "[a", "dots": ".*", "long": "aaa",
    ]

    // spec: P-336, P-331, P-360, P-363, P-364
    @Test(
        arguments: [
            // nil
            ("gone == nil", true), ("gone == alsoGone", true), ("gone != 1", true), ("gone == 0", false),
            ("gone.@count == nil", true),
            ("gone < 1", false), ("gone >= nil", false), ("gone CONTAINS 1", false), ("a CONTAINS gone", false),
            ("gone IN {nil, 1}", false), ("gone LIKE '*'", false), ("gone BETWEEN {0, 9}", false),
            ("2 BETWEEN gone", false),
            ("gone UTI-CONFORMS-TO 'public.data'", false), ("type UTI-CONFORMS-TO gone", false),
            ("ANY gone == 1", false),
            ("ALL gone == 1", true), ("NONE gone == 1", true), ("SUBQUERY(gone, $x, TRUEPREDICATE).@count == 0", true),
            ("n.x.y == nil", true), ("n.@count == nil", true), ("s.@count == nil", true), ("d.@count == nil", true),
            ("a.k == nil", true),
            // modifiers
            ("ANY a == 2", true), ("ALL a > 0", true), ("ALL a > 1", false), ("NONE a == 9", true),
            ("NONE a == 2", false),
            ("SOME empty == 1", false), ("ALL empty == 1", true), ("NONE empty == 1", true), ("NOT ANY a == 2", false),
            ("ANY n == 3", false), ("ALL n == 4", true), ("ANY words BEGINSWITH 'B'", true),
            // kinds
            ("n == '3'", false), ("n != '3'", true), ("t == 1", true), ("t == TRUE", true), ("r > 2", true),
            ("r == 2", false),
            ("n > r", true), ("r < n", true), ("r >= r", true), ("n == 3 AND 3 == n", true), ("big > bigReal", true),
            ("big == bigReal", false),
            ("n < huge", true), ("n > tiny", true), ("huge > n", true), ("nan == nan", false), ("n < nan", false),
            ("n >= nan", false),
            ("s < 'H'", true), ("s > 'G'", true), ("s < 1", false), ("date < later", true), ("date == date", true),
            ("date != later", true),
            ("date < 1", false), ("bytes == same", true), ("bytes == date", false), ("d == e", true), ("d == a", false),
            ("a == {1, 2, 3}", true),
            ("{1, 2, 3} == a", true), ("a == {1, 2}", false), ("a == d", false), ("d == {1}", false), ("a == 1", false),
            ("a < 4", false),
            ("deep == deep", true), ("words == a", false), ("empty == {}", true), ("r == 5 OR huge == huge", true),
            // texts
            ("s CONTAINS 'röß'", true), ("s CONTAINS 'RÖSS'", false), ("s CONTAINS[c] 'RÖSS'", true),
            ("s ==[c] 'grÖSSE'", true),
            ("s ==[cd] 'GROSSE'", true), ("s ==[d] 'Große'", true), ("s ==[d] 'groSSe'", false),
            ("s BEGINSWITH 'Gr'", true),
            ("s BEGINSWITH[c] 'gR'", true), ("s ENDSWITH 'ße'", true), ("s ENDSWITH[cd] 'OSSE'", true),
            ("s ENDSWITH 'x'", false),
            ("s BEGINSWITH 1", false), ("s CONTAINS ''", true), ("'' CONTAINS 'a'", false),
            ("'aab' CONTAINS 'ab'", true),
            ("s <[c] 'h'", true), ("s >=[cd] 'GROSSE'", true), ("'Σ' ==[c] 'ς'", true), ("'e\u{301}' ==[d] 'é'", true),
            ("'e\u{301}' == 'é'", false), ("'a' IN 'abc'", false), ("words CONTAINS 'beta'", false),
            ("words CONTAINS[c] 'beta'", true),
            // membership
            ("a CONTAINS 2", true), ("a CONTAINS '2'", false), ("2 IN a", true), ("n IN {1, n}", true),
            ("'x' IN d.l", true),
            ("n CONTAINS 3", false), ("d CONTAINS 1", false), ("ANY a IN {3, 4}", true), ("ALL a IN {3, 4}", false),
            // patterns
            ("s LIKE 'G*e'", true), ("s LIKE 'Gr??e'", true), ("s LIKE 'g*'", false), ("s LIKE[c] 'g*'", true),
            ("s LIKE '*r*ß*'", true),
            ("s LIKE 'Gr'", false), ("'' LIKE '*'", true), ("'' LIKE '?'", false), ("'😀' LIKE '?'", true),
            ("s LIKE '*x*'", false),
            ("s MATCHES 'Gr.+e'", true), ("s MATCHES 'Gr'", false), ("s MATCHES[cd] 'GRO(SS|z)E'", true),
            ("s MATCHES 1", false),
            ("s MATCHES dots", true), ("n BETWEEN {1, 3}", true), ("n BETWEEN {4, 9}", false),
            ("n BETWEEN {'a', 'z'}", false),
            ("'m' BETWEEN {'a', 'z'}", true), ("r BETWEEN {2, n}", true), ("n BETWEEN a", false),
            ("n BETWEEN[cd] {1, 3}", true),
            ("2 BETWEEN words", false), ("n BETWEEN n", false),
            // types
            ("type UTI-CONFORMS-TO 'public.image'", true), ("type UTI-EQUALS 'public.jpeg'", true),
            ("type UTI-EQUALS 'public.image'", false),
            ("'no.such' UTI-CONFORMS-TO 'No.Such'", true), ("'no.such' UTI-CONFORMS-TO 'public.data'", false),
            ("types UTI-CONFORMS-TO 'public.jpeg'", false), ("ANY types UTI-CONFORMS-TO 'public.jpeg'", true),
            ("ANY types UTI-CONFORMS-TO 'X.Y'", true), ("ALL types UTI-CONFORMS-TO 'public.image'", false),
            ("n UTI-EQUALS 3", false),
            ("ANY types UTI-CONFORMS-TO 'q.r' || ANY types UTI-CONFORMS-TO 'x.y' || n == 9", true),
            ("ANY a UTI-CONFORMS-TO 'x.y' || ANY words UTI-CONFORMS-TO 'beta' || ANY types UTI-CONFORMS-TO 'zz'", true),
            (
                "ANY words UTI-CONFORMS-TO 'a' || (ANY types UTI-CONFORMS-TO 'public.text' || ANY types UTI-CONFORMS-TO 'b')",
                false
            ),
            ("words LIKE 'alpha'", false), ("ANY gone UTI-CONFORMS-TO 'public.data'", false),
            ("ANY types UTI-CONFORMS-TO 'public.item' AND NOT ANY types UTI-CONFORMS-TO 'public.text'", true),
        ] as [(String, Bool)])
    func anOperatorMeans(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text, value) == expected)
        #expect(try ActivationRule(predicate: text).explain(RuleSubject(value)).matches == expected)
    }

    // spec: P-360
    @Test func aDynamicTypeConformsToWhatItWasMadeFrom() throws {
        let subject = try item(["dyn.ah62d4qmuhk2x445ftb4a"])
        let rule = try ActivationRule(
            predicate: """
                SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO \
                "dyn.AH62d4qmuhk2x445ftb4a").@count == 1).@count == 1
                """)
        #expect(try rule.matches(subject))
    }

    @Test func aTypeThatABundleDeclaresConformsAsItSays() throws {
        let note = DeclaredType(
            identifier: "org.example.Note", origin: .exported, supertypes: ["org.example.paper", "public.plain-text"])
        let paper = DeclaredType(identifier: "org.example.paper", origin: .exported, supertypes: ["public.image"])
        let table = TypeTable(declaring: [note, paper])
        func asks(_ type: String) throws -> ActivationRule {
            try ActivationRule(
                predicate: """
                    SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO \
                    "\(type)").@count == 1).@count == 1
                    """)
        }
        let known = try RuleSubject(attachments: [[["org.example.note"]]], types: table)
        let unknown = try RuleSubject(attachments: [[["org.example.note"]]])
        for (type, holds) in [
            ("org.example.NOTE", true), ("org.example.paper", true), ("public.image", true), ("public.text", true),
            ("public.movie", false), ("org.example.other", false),
        ] {
            #expect(try asks(type).matches(known) == holds, "\(type)")
            #expect(try asks(type).matches(unknown) == (type == "org.example.NOTE"))
        }
        let text = try ActivationRule(["NSExtensionActivationSupportsText": true] as PropertyList)
        #expect(try text.matches(known) && !text.matches(unknown))
        #expect(
            try text.explain(RuleSubject(attachments: [[["org.example.note"], ["x.y"]]], types: table)).nearMiss?
                .hasPrefix(
                    "without attachment 2") == true)
    }

    @Test func aPatternThatIsNoConstantIsReadWhenItIsAskedAndItsFaultIsAnError() throws {
        #expect(throws: RuleError.self) { try holds("s MATCHES pattern", value) }
        #expect(try holds("gone MATCHES pattern", value) == false)
    }

    // spec: P-337
    @Test func theRulesOfAFileProvidersActionsWalkAnyTree() throws {
        let items: PropertyList = [
            "fileproviderItems": [
                [
                    "typeIdentifier": "public.jpeg", "fileSize": 2000, "userInfo": ["pinned": true],
                    "tags": ["red", "Blue"],
                ],
                ["typeIdentifier": "public.plain-text", "fileSize": 10],
            ]
        ]
        #expect(try holds("SUBQUERY(fileproviderItems, $f, $f.fileSize > 100).@count == 1", items))
        #expect(try holds("SUBQUERY(fileproviderItems, $f, $f.userInfo.pinned == TRUE).@count > 0", items))
        #expect(try holds("SUBQUERY(fileproviderItems, $f, $f.tags CONTAINS[c] 'BLUE').@count > 0", items))
        #expect(
            try holds(
                "SUBQUERY(fileproviderItems, $f, $f.typeIdentifier UTI-CONFORMS-TO 'public.image').@count < fileproviderItems.@count",
                items))
        #expect(
            try holds("SUBQUERY(fileProviderItems, $f, TRUEPREDICATE).@count > 0", items) == false,
            "a misspelt key is nil")
    }
}
