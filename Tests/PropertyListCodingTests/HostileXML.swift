// HostileXML: the XML half of the hostile inputs, and what is no property list at all.

extension HostileInput {
    private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private static let type =
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"

    private static func xml(_ name: String, _ error: String, _ body: String) -> HostileInput {
        HostileInput(
            name: name, bytes: Array((head + type + "<plist version=\"1.0\">" + body + "</plist>").utf8), error: error)
    }

    private static func document(_ name: String, _ error: String, _ text: String) -> HostileInput {
        HostileInput(name: name, bytes: Array(text.utf8), error: error)
    }

    private static func times(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    static let xmlBombs: [HostileInput] = [
        xml("arrays 10,000 deep", "tooDeep", times("<array>", 10_000) + times("</array>", 10_000)),
        xml("dictionaries 10,000 deep", "tooDeep", times("<dict><key>k</key>", 10_000) + times("</dict>", 10_000)),
        xml("arrays 10,000 deep, never closed", "tooDeep", times("<array>", 10_000)),
        document(
            "external entity", "internalSubset",
            head + "<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><plist><string>&x;</string></plist>"),
        document(
            "external entity behind a public identifier", "internalSubset",
            head + type.dropLast(2)
                + " [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><plist><string>&x;</string></plist>"),
        document(
            "internal entities, billions", "internalSubset",
            head + "<!DOCTYPE plist [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><plist><string>&b;</string></plist>"),
        document(
            "parameter entity", "internalSubset",
            head + "<!DOCTYPE plist SYSTEM \"x\" [<!ENTITY % p SYSTEM \"file:///x\">%p;]><plist><true/></plist>"),
        xml("undeclared entity", "unknownEntity", "<string>&nbsp;</string>"),
        xml("entity of a long name", "unknownEntity", "<string>&\(times("e", 5_000));</string>"),
        xml("an ampersand never ended", "unexpected", "<string>\(times("&amp", 2_000))</string>"),
    ]

    static let xmlSyntax: [HostileInput] = [
        document("nothing but the declaration", "unexpected", head),
        document("document type never ended", "unexpected", head + "<!DOCTYPE plist PUBLIC \"-//"),
        document("another document type", "unexpected", "<!DOCTYPE html><plist><true/></plist>"),
        document("comment never ended", "unexpected", "<!-- " + times("-", 5_000)),
        document("page of HTML", "unknownElement", "<html><body/></html>"),
        document("value without <plist>", "unexpected", "<dict/>"),
        document("empty <plist/>", "unexpected", "<plist/>"),
        document(
            "UTF-16 by declaration", "unsupportedEncoding",
            "<?xml version='1.0' encoding='UTF-16'?><plist><true/></plist>"),
        document(
            "Latin-1 by declaration", "unsupportedEncoding",
            "<?xml version='1.0' encoding='ISO-8859-1'?><plist><true/></plist>"),
        HostileInput(
            name: "UTF-16 by its bytes", bytes: Array("<plist>".utf16).flatMap { [UInt8($0 & 0xFF), 0] },
            error: "unsupportedEncoding"),
        HostileInput(name: "UTF-16 with a mark", bytes: [0xFE, 0xFF, 0, 0x3C, 0, 0x70], error: "unsupportedEncoding"),
        xml("no value", "unexpected", ""),
        xml("two values", "unexpected", "<true/><true/>"),
        xml("text around values", "unexpected", "<array>loose<true/></array>"),
        xml("unknown element", "unknownElement", "<array><null/></array>"),
        xml("element of a long name", "unknownElement", "<\(times("a", 50_000))/>"),
        xml("attribute", "unknownAttribute", "<string lang=\"en\">x</string>"),
        document("attribute without a value", "unexpected", "<plist version><true/></plist>"),
        document("attribute without quotes", "unexpected", "<plist version=1><true/></plist>"),
        document("attribute never ended", "unexpected", "<plist version=\"\(times("e", 50_000))><true/></plist>"),
        xml("wrong end tag", "unexpected", "<array><true/></dict>"),
        xml("overlapping elements", "unexpected", "<array><dict></array></dict>"),
        xml("element in a string", "unexpected", "<string>a<true/></string>"),
        xml("dictionary with a value first", "unexpected", "<dict><true/></dict>"),
        xml("dictionary with a key alone", "unexpected", "<dict><key>a</key></dict>"),
        xml("dictionary with two keys", "unexpected", "<dict><key>a</key><key>b</key></dict>"),
        xml("key outside a dictionary", "unexpected", "<array><key>a</key></array>"),
        xml("plist in plist", "unexpected", "<plist><true/></plist>"),
        xml("the same key twice", "duplicateKey", "<dict><key>a</key><true/><key>a</key><true/></dict>"),
        xml("CDATA never ended", "unexpected", "<string><![CDATA[ abc"),
        document("tag cut off", "unexpected", "<plist><array><string"),
        document("end tag cut off", "unexpected", "<plist><true/></plist"),
        document("something behind the end", "unexpected", "<plist><true/></plist><plist/>"),
    ]

    static let xmlContents: [HostileInput] = [
        xml("integer of words", "badContent", "<integer>twelve</integer>"),
        xml("integer of nothing", "badContent", "<integer/>"),
        xml("integer with two signs", "badContent", "<integer>+-1</integer>"),
        xml("integer of 2^63", "integerOutOfRange", "<integer>9223372036854775808</integer>"),
        xml("integer of 60,000 digits", "integerOutOfRange", "<integer>\(times("9", 60_000))</integer>"),
        xml("real in hexadecimal", "badContent", "<real>0x1p3</real>"),
        xml("real of nothing", "badContent", "<real></real>"),
        xml("real of two numbers", "badContent", "<real>1 2</real>"),
        xml("date of words", "badContent", "<date>yesterday</date>"),
        xml("30 February", "badContent", "<date>2026-02-30T00:00:00Z</date>"),
        xml("29 February 2100", "badContent", "<date>2100-02-29T00:00:00Z</date>"),
        xml("hour 24", "badContent", "<date>2026-02-03T24:00:00Z</date>"),
        xml("data with a letter of no meaning", "badContent", "<data>AA*A</data>"),
        xml("data cut short", "badContent", "<data>AAA</data>"),
        xml("data behind its padding", "badContent", "<data>AA==AAAA</data>"),
        xml("true with text", "unexpected", "<true>yes</true>"),
        xml("character number zero", "invalidCharacter", "<string>&#0;</string>"),
        xml("character number of a surrogate", "invalidCharacter", "<string>&#xD800;</string>"),
        xml("character number beyond Unicode", "invalidCharacter", "<string>&#x110000;</string>"),
        xml("character number beyond 32 bits", "unexpected", "<string>&#x100000000;</string>"),
        xml("character number of no digits", "unexpected", "<string>&#;</string>"),
        xml("control character", "invalidCharacter", "<string>a\u{1}b</string>"),
        xml("control character in CDATA", "invalidCharacter", "<string><![CDATA[\u{0}]]></string>"),
        HostileInput(
            name: "string that is not UTF-8",
            bytes: Array("<plist><string>a".utf8) + [0xFF] + Array("</string></plist>".utf8),
            error: "invalidText"),
        HostileInput(
            name: "UTF-8 cut inside a character by CDATA",
            bytes: Array("<plist><string>".utf8) + [0xC3] + Array("<![CDATA[x]]></string></plist>".utf8),
            error: "invalidText"),
    ]

    static let notPropertyLists: [HostileInput] = [
        document("the bare word hello", "notPropertyList", "hello"),
        document("nothing", "the property list is empty", ""),
        document("spaces", "the property list is empty", " \n\t "),
        document("old-style dictionary", "oldStyle", "{ a = b; }"),
        document("old-style array", "oldStyle", "( a, b )"),
        document("strings file", "oldStyle", "\"key\" = \"value\";"),
        document("strings file with a comment", "oldStyle", "/* words */ \"key\" = \"value\";"),
        document("JSON array", "notPropertyList", "[1, 2]"),
        HostileInput(name: "zeros", bytes: [UInt8](repeating: 0, count: 1_000), error: "notPropertyList"),
    ]
}
