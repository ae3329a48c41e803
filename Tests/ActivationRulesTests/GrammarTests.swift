// GrammarTests: what a predicate's text may hold, and how an error names what it may not.

import ActivationRules
import Testing

@Suite struct GrammarTests {
    // spec: P-332, P-361, P-362
    @Test(
        arguments: [
            ("truepredicate", true), ("FalsePredicate", false), ("1 == 1 and 1 = 1", true), ("1 == 2 OR 1 == 1", true),
            ("1 == 2 || 1 == 1 && 1 == 2", false), ("(1 == 2 || 1 == 1) && 1 == 1", true),
            ("NOT 1 == 2 AND 1 == 1", true),
            ("!(1 == 1)", false), ("! 1 == 2", true), ("NOT NOT 1 == 1", true), ("!!(1 == 1)", true), ("1 <> 2", true),
            ("1 != 1", false), ("1 =< 1", true), ("1 => 2", false), ("-1 < 0", true),
            ("-9223372036854775808 < 0", true),
            ("  1\n==\t1\r\n", true), ("'a' == \"a\"", true), (#"'\u00e9' == "é""#, true),
            (#"'\ud83d\ude00' == "😀""#, true),
            (#"'\\\"\'\n\r\t' CONTAINS "\n""#, true), ("{1, 2}.@count == 2", true), ("{}.@count == 0", true),
            ("3 IN {1, {2}, 3}", true), ("TRUE == 1 AND NO == 0 AND nil == NULL", true),
            ("ANY {'public.jpeg', 'x'} uti-conforms-to 'public.image'", true), ("some {1, 2} == 2", true),
            ("all {1, 2} > 0", true),
            ("none {1, 2} == 3", true), ("SUBQUERY({1, 2, 3}, $x, $x > 1) . @count == 2", true),
            ("SUBQUERY(SUBQUERY({1, 2, 3}, $x, $x > 1), $x, $x < 3).@count == 1", true),
            ("SUBQUERY({1, 2}, $x, SUBQUERY({5}, $x, $x == 5).@count == 1 AND $x < 3).@count == 2", true),
            ("SUBQUERY({{1}, {2, 3}}, $x, $x.@count == 2).@count == 1", true),
            (
                "SUBQUERY({SUBQUERY({1, 2}, $x, TRUEPREDICATE)}, $y, SUBQUERY($y, $z, $z > 0).@count == $y.@count).@count == 1",
                true
            ),
            ("SUBQUERY({'public.jpeg'}, $x, ANY $x UTI-CONFORMS-TO 'public.image').@count == 0", true),
            ("SUBQUERY({{'public.jpeg'}}, $x, ANY $x UTI-CONFORMS-TO 'public.image').@count == 1", true),
            ("{1, 'a'} == {1, 'a'}", true), ("{1} == {1, 2}", false), ("SUBQUERY({1, 2}, $x, $x > 1) == {2}", true),
        ] as [(String, Bool)])
    func aPredicateHolds(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text) == expected)
        let written = try #require(ActivationRule(predicate: text).predicateText)
        #expect(try holds(written) == expected, "\(written)")
    }

    // spec: P-333, P-361, P-365
    @Test(
        arguments: [
            ("", 1, 1, "is empty"), ("\n  ", 2, 3, "is empty"), ("a", 1, 1, "alone is not a predicate"),
            ("a.b == ", 1, 8, "ends where"),
            ("== 1", 1, 1, "expected a value"), ("a == 1 b == 2", 1, 8, "AND, OR or the end"),
            ("a == 1)", 1, 7, "closes nothing"),
            ("(a == 1", 1, 8, "expected “)”"), ("a == 1 == 2", 1, 8, "after a comparison"),
            ("a === 1", 1, 3, "no operator"),
            ("a LIEK 'b'", 1, 3, "no operator “LIEK”"), ("a == 'b", 1, 6, "does not end"),
            (#"a == '\q'"#, 1, 7, "no escape"),
            (#"a == '\u12'"#, 1, 7, "four hexadecimal"), (#"a == '\ud83d'"#, 1, 7, "surrogate"),
            (#"a == '\ud83dx'"#, 1, 7, "surrogate"),
            (#"a == '\ud83d\u0041'"#, 1, 7, "surrogate"), (#"a == '\udc00'"#, 1, 7, "surrogate"),
            (#"a == '\"#, 1, 7, "backslash"),
            ("a == 1.5", 1, 6, "fraction"), ("a == 99999999999999999999", 1, 6, "64 bits"),
            ("a == 1x", 1, 7, "ends in"),
            ("a == $x", 1, 6, "not bound"), ("SUBQUERY(a, $x, TRUEPREDICATE).@count == $x", 1, 42, "not bound"),
            ("a == %@", 1, 6, "argument"), ("/* c */ a == 1", 1, 1, "comments"), ("a // b", 1, 3, "comments"),
            ("a & b", 1, 3, "one “&”"),
            ("a | b", 1, 3, "one “|”"), ("a == #", 1, 6, "is not valid in a predicate"),
            ("a.@sum == 1", 1, 3, "collection operator"),
            ("a.@count.b == 1", 1, 9, "follows .@count"), ("a. == 1", 1, 4, "a key or @count"),
            ("a.$b == 1", 1, 3, "expected a key"),
            ("SUBQUERY(a, $x, TRUEPREDICATE).b == 1", 1, 32, "has no key"), ("{1}.b == 1", 1, 5, "has no key"),
            ("SUBQUERY a", 1, 10, "expected “(”"),
            ("SUBQUERY(a $x, TRUEPREDICATE) == 1", 1, 12, "after the collection"),
            ("SUBQUERY(a, x, TRUEPREDICATE) == 1", 1, 13, "expected a variable"),
            ("SUBQUERY(a, $x) == 1", 1, 15, "after the variable"),
            ("{1, 2 == 3", 1, 7, "after a comparison"), ("{1 2} == 3", 1, 4, "expected “}”"),
            ("(a) == 1", 1, 2, "alone is not a predicate"),
            ("a == (1)", 1, 6, "found “(”"), ("a == @count", 1, 6, "found “@count”"),
            ("a == ANY b", 1, 6, "wrong place"),
            ("LIKE 'a'", 1, 1, "left side"), ("a == AND", 1, 6, "expected a value"), ("a ==[x] 'b'", 1, 6, "no option"),
            ("a ==[1] 'b'", 1, 6, "expected options"), ("a ==[c 'b'", 1, 8, "expected “]”"),
            ("a BETWEEN {1}", 1, 11, "1 bounds"),
            ("a BETWEEN 1", 1, 11, "one bound"), ("a MATCHES '('", 1, 11, "regular expression"),
            ("a IN [1]", 1, 7, "expected options"),
            ("a == ]", 1, 6, "expected a value"), ("a == }", 1, 6, "expected a value"), ("a==!b", 1, 2, "no operator"),
            ("a == !b", 1, 6, "found “NOT”"),
            ("a LIKE 'b' LIKE 'c'", 1, 12, "after a comparison"), ("a == 1 ]", 1, 8, "closes nothing"),
            ("UTI-FOO 'a'", 1, 4, "is not valid in a predicate"),
            ("a UTI-CONFORMS-TOO 'b'", 1, 3, "no operator"), ("a == ||", 1, 6, "expected a value"),
            ("a ! b", 1, 1, "alone is not"),
            ("ok == 1 AND\r\n\tb ==", 2, 6, "ends where"), ("a ==[", 1, 6, "expected options"),
            ("a == 1 $b", 1, 8, "AND, OR"),
        ] as [(String, Int, Int, String)])
    func anErrorHasItsPlaceAndItsCause(_ text: String, _ line: Int, _ column: Int, _ cause: String) throws {
        let error = try #require(fault(text), "“\(text)” was accepted")
        #expect(error.message.contains(cause), "\(error)")
        #expect((error.line, error.column) == (line, column), "\(error)")
        #expect(!error.hint.isEmpty && !error.message.hasSuffix("."))
    }

    @Test func aMistypedOperatorIsGuessed() {
        #expect(fault("a LIEK 'b'")?.hint == "Is LIKE meant?")
        #expect(fault("a UTI-CONFORM-TO 'b'") != nil)
    }
}
