// BuildSettingsTests: settings in texts, in files, and in property lists of both forms.

import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@testable import Bundling

@Suite struct BuildSettingsTests {
    private let settings = BuildSettings([
        "NAME": "My App", "VERSION": "$(MAJOR).2", "MAJOR": "1", "LOOP": "$(LOOP)", "EMPTY": "", "LETTERS": "AJOR",
        "PATH": "a/b.c", "MARK": "<&>", "DIGITS": "0850-sms", "PARTS": "a.b_c-1", "OTHERS": "oōo",
    ])

    @Test(arguments: [
        ("$(NAME)", "My App"), ("$(M$(EMPTY)X:default=x)", "x"), ("$(M$(LETTERS))", "1"), ("$(OTHER:default=no)", "no"),
        ("$(EMPTY:default=no)", "no"), ("$(PATH:file)", "b.c"), ("$(PATH:base)", "b"), ("${NAME}", "My App"),
        ("a$(MAJOR)b$(MAJOR)", "a1b1"), ("$(VERSION)", "1.2"),
        ("$(NAME:rfc1034identifier)", "My-App"), ("$(NAME:c99extidentifier)", "My_App"), ("$(NAME:lower)", "my app"),
        ("$(DIGITS:c99extidentifier)", "_850_sms"), ("$(DIGITS:rfc1034identifier)", "-850-sms"),
        ("$(PARTS:identifier)", "a_b_c_1"), ("$(PARTS:rfc1034identifier)", "a-b-c-1"),
        ("$(OTHERS:c99extidentifier)", "o_o"), ("[$(EMPTY:c99extidentifier)]", "[]"),
        ("$(NAME:c99extidentifier:upper)", "MY_APP"), ("[$(EMPTY)]", "[]"),
        // What is not known, or is no reference, stays.
        ("$(OTHER)", "$(OTHER)"), ("$(NAME:backwards)", "$(NAME:backwards)"), ("$NAME", "$NAME"), ("$(NAME", "$(NAME"),
        ("$(NAME}", "$(NAME}"), ("$()", "$()"), ("$", "$"), ("", ""), ("$(LOOP)", "$(LOOP)"), ("$$(MAJOR)", "$1"),
    ])
    func referencesAreReplaced(text: String, expected: String) {
        #expect(settings.expanded(text) == expected)
    }

    @Test func aFileHasLinesAndComments() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/A.xcconfig"
        try Data("// all\nA = 1\n\n  B=two words // and why\nC =\n".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try BuildSettings.read(file: file).values == ["A": "1", "B": "two words", "C": ""])
        try Data("A = 1\n#include \"B.xcconfig\"\n".utf8).write(to: URL(fileURLWithPath: file))
        let error = try #require(throws: ProjectError.self) { try BuildSettings.read(file: file) }
        #expect(error.findings.map(\.code) == ["settingInvalid"] && error.findings.first?.line == 2)
    }

    /// What refers to itself many times over has an end, and soon.
    @Test func aSettingThatGrowsWithoutEndIsBounded() {
        let grows = BuildSettings(["A": String(repeating: "$(A)", count: 1000)])
        #expect(grows.expanded("$(A)").utf8.count < 5_000_000)
    }

    @Test(arguments: ["\n", "\r\n"]) func linesEndInEitherWay(_ end: String) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/a.xcconfig"
        try Data(["// a comment", "A = 1", "B = $(A)2", ""].joined(separator: end).utf8).write(
            to: URL(fileURLWithPath: file))
        #expect(try BuildSettings.read(file: file).expanded("$(B)") == "12")
    }

    /// The text form keeps its lines; a value is what it says also where it has characters of XML.
    @Test(arguments: [true, false])
    func bothFormsOfAPropertyListAreWritten(isBinary: Bool) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/Info.plist"
        let text =
            "<!-- <dict> -->\n<plist version=\"1.0\">\n<dict>\n<key>A</key><array><string>$(MARK)</string></array>\n</dict></plist>\n"
        let value: PropertyList = ["A": ["$(MARK)"]]
        let bytes = isBinary ? try value.encodeBinary() : Array(text.utf8)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let draft = try InformationDraft(file)
        let written = draft.written(settings, adding: [("B", "<new>"), ("A", "old")])
        #expect(try PropertyList(file: written, limits: .file) == ["A": ["<&>"], "B": "<new>"])
        if !isBinary { #expect(written.count { $0 == 0x0A } == text.utf8.count { $0 == 0x0A }) }
    }

    @Test func anEmptyDictionaryCanBeAddedTo() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/Info.plist"
        try Data("<plist version=\"1.0\"><dict/></plist>".utf8).write(to: URL(fileURLWithPath: file))
        let written = try InformationDraft(file).written(settings, adding: [("B", "new")])
        #expect(try PropertyList(file: written, limits: .file) == ["B": "new"])
    }

    /// The binary form has what the search in the text does not find.
    @Test(arguments: [
        "<plist version=\"1.0\"><dict note=\"a>b\"><key>A</key><true/></dict></plist>",
        "<plist version=\"1.0\"><dict note='/>'><key>A</key><true/></dict></plist>",
        "<?note <dict> ?><plist version=\"1.0\"><dict><key>A</key><true/></dict></plist>",
    ])
    func anAdditionLeavesAReadableFile(text: String) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/Info.plist"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let written = try InformationDraft(file).written(settings, adding: [("B", "new")])
        #expect(try PropertyList(file: written, limits: .file, form: .authored) == ["A": true, "B": "new"])
    }

    @Test func anEditChangesNoOtherEntry() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/Info.plist"
        let attributes =
            "<key>IntentsSupported</key><array/><key>Other</key><array><string>Order</string></array>"
        let text =
            "<plist version=\"1.0\"><dict><key>NSExtension</key><dict><key>NSExtensionAttributes</key>"
            + "<dict>\(attributes)</dict></dict></dict></plist>"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let draft = try InformationDraft(file)
        let written = draft.written(settings, adding: [], intents: ["Order": "Shop.Order"])
        #expect(try PropertyList(file: written, limits: .file) == .dictionary(draft.dictionary))
    }

    /// The point of broadcasts in iOS 10 has become two.
    @Test(arguments: [true, false])
    func theOldPointOfBroadcastsBecomesANewOne(isBinary: Bool) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let point = "com.apple.broadcast-services"
        for (kind, suffix) in [
            ("RPBroadcastProcessMode", "-upload"), ("NSExtensionPrincipalClass", "-upload"),
            ("NSExtensionMainStoryboard", "-setupui"),
        ] {
            let declaration = PropertyListDictionary([
                (kind, .string("x")), ("NSExtensionPointIdentifier", .string(point)),
            ])
            let value: PropertyList = ["NSExtension": .dictionary(declaration)]
            let text =
                "<plist version=\"1.0\">\n<dict><key>NSExtension</key><dict><key>\(kind)</key><string>x</string>\n"
                + "<key>NSExtensionPointIdentifier</key>\n<string>\(point)</string></dict></dict></plist>\n"
            let file = "\(folder.path)/\(kind).plist"
            try Data(isBinary ? try value.encodeBinary() : Array(text.utf8)).write(to: URL(fileURLWithPath: file))
            let draft = try InformationDraft(file)
            let written = try PropertyList(file: draft.written(settings, adding: []), limits: .file).dictionary
            for dictionary in [draft.dictionary, try #require(written)] {
                let declaration = dictionary["NSExtension"]?.dictionary
                #expect(declaration?["NSExtensionPointIdentifier"]?.string == point + suffix)
                #expect(declaration?[kind]?.string == "x")
            }
        }
    }

    @Test func theOldPointOfBroadcastsIsRefusedWhereNothingTellsWhich() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let point = "<key>NSExtensionPointIdentifier</key><string>com.apple.broadcast-services</string>"
        let file = "\(folder.path)/Info.plist"
        func draft(_ more: String, before: String = "") throws -> InformationDraft {
            let declaration = "<key>NSExtension</key><dict>\(more)\(point)</dict>"
            let text = "<plist version=\"1.0\">\(before)<dict>\(declaration)</dict></plist>"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return try InformationDraft(file)
        }
        let mode = "<key>RPBroadcastProcessMode</key><string>x</string>"
        let inside = try draft("<key>NSExtensionAttributes</key><dict>\(mode)</dict>").dictionary["NSExtension"]
        #expect(
            inside?.dictionary?["NSExtensionPointIdentifier"]?.string == "com.apple.broadcast-services-upload")
        #expect(throws: ProjectError.self) { try draft("") }
        // The key in a comment would be replaced instead.
        #expect(throws: ProjectError.self) { try draft(mode, before: "<!-- \(point) -->") }
    }
}
