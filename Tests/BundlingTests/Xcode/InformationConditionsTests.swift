// InformationConditionsTests: conditions in an Info.plist, as the preprocessor of C reads them.

import Testing

@testable import Bundling

@Suite struct InformationConditionsTests {
    private func applied(_ text: String, _ definitions: String = "BETA LEVEL=2 OFF=0") -> String? {
        var conditions = InformationConditions(definitions: definitions)
        return conditions.apply(to: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a\n#ifdef BETA\nb\n#else\nc\n#endif\nd", "a\n\nb\n\n\n\nd"), ("\t#ifndef BETA\nb\n#endif\n", "\n\n\n"),
        ("#if 0\na\n#elif LEVEL\nb\n#else\nc\n#endif", "\n\n\nb\n\n\n"), ("#if OFF\na\n#endif", "\n\n"),
        ("#if !defined(OFF) \na\n#endif", "\n\n"), ("#if defined BETA\na\n#endif", "\na\n"),
        ("#if 0\n#if 1\na\n#endif\nb\n#endif\nc", "\n\n\n\n\n\nc"), ("#define NEW\n#ifdef NEW\na\n#endif", "\n\na\n"),
        ("\na", "\na"), ("", ""),
        ("#ifdef BETA // note\na\n#endif", "\na\n"), ("#ifndef BETA /* a */ // b\na\n#endif", "\n\n"),
        ("#if 0\n#if LEVEL > 1\na\n#endif\n#endif", "\n\n\n\n"),
        ("#if 1\na\n#elif LEVEL > 1\nb\n#endif", "\na\n\n\n"),
        ("#if !!!defined ( BETA )\na\n#endif", "\n\n"), ("#define A 2 // two\n#if A\na\n#endif", "\n\na\n"),
        ("#if 0\n#error no\n#endif", "\n\n"),
    ])
    func linesThatDoNotCountAreEmpty(text: String, expected: String) { #expect(applied(text) == expected) }

    @Test(arguments: [
        "#if LEVEL > 1\n#endif", "#endif", "#else", "#ifdef A", "#include \"a\"", "#elif 1", "#if\n#endif",
        "#ifdef\n#endif", "#ifdef A B\n#endif", "#if A B\n#endif", "#define EMPTY\n#if EMPTY\n#endif",
        "#define NO NO\n#if NO\n#endif", "#ifdef BETA /* open\n#endif", "#define F(x) x",
        String(repeating: "#if 1\n", count: 100),
    ])
    func otherDirectivesAreNotUnderstood(text: String) { #expect(applied(text) == nil) }

    @Test func aMillionNegationsCostTheirLength() {
        let signs = String(repeating: "!", count: 1_000_000)
        #expect(applied("#if \(signs)BETA\na\n#endif") == "\na\n")
        #expect(applied("#if !\(signs)BETA\na\n#endif") == "\n\n")
    }
}
