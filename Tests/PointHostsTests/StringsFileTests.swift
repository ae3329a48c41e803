// StringsFileTests: .strings files of strangers, and the texts of localized alerts.

import Foundation
import LinuxSystem
import PointMessages
import Testing

@testable import PointHosts

@Suite struct StringsFileTests {
    @Test(
        arguments: [
            (#""a" = "b";"#, ["a": "b"]),
            ("/* one */ // two\n\"a\"\n=\n\"b\" ; c = d;", ["a": "b", "c": "d"]),
            (#""a";"#, ["a": "a"]),
            (#""q\"q" = "n\n t\t \\ \U00e4 \Ud83d\Ude00";"#, ["q\"q": "n\n t\t \\ ä 😀"]),
            ("\u{feff}\"ä\" = \"ö\";", ["ä": "ö"]),
            ("", [:]),
            ("<plist version=\"1.0\"><dict><key>a</key><string>b</string></dict></plist>", ["a": "b"]),
        ])
    func aFileIsRead(text: String, strings: [String: String]) throws {
        #expect(try StringsFile(Array(text.utf8)).strings == strings)
    }

    @Test(arguments: [false, true])
    func aFileMayBeUTF16(isLittle: Bool) throws {
        let units = Array("\u{feff}\"a\" = \"ß😀\";".utf16)
        let bytes = units.flatMap { isLittle ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(try StringsFile(bytes).strings == ["a": "ß😀"])
    }

    @Test(
        arguments: [
            (#""a" = "b""#, "line 1: a semicolon is missing"), ("\n\"a", "line 2: a quote is not closed"),
            ("/* a", "line 1: a comment is not closed"), ("a = ;", "line 1: a text in quotes is missing"),
            ("a =", "line 1: a text is missing"), (#""\U00zz";"#, "line 1: \\U needs four hexadecimal digits"),
            ("\"a\\", "line 1: a quote is not closed"), ("<plist>", "it is no property list of strings"),
        ])
    func aFileWithAFaultNamesItsLine(text: String, fault: String) {
        #expect(throws: StringsFile.Fault(description: fault)) { try StringsFile(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ("%@ and %@", "a and b"), ("%2$@, %1$@", "b, a"), ("100 %% %@", "100 % a"), ("%3$@|%@%@%@", "|ab"),
            ("%d %n %s %", "%d %n %s %"), ("%99999999999999999999$@", "%99999999999999999999$@"), ("%0$@", "%0$@"),
        ])
    func argumentsAreTextsAndNothingElse(format: String, text: String) {
        #expect(StringsFile.filled(format, ["a", "b"]) == text)
    }

    @Test func aPersonsLanguageIsChosenAmongThoseOfTheApp() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        for (name, text) in [("de", "Hallo"), ("pt-BR", "Olá"), ("Base", "Base"), ("fr", "Salut")] {
            let place = "\(folder.path)/\(name).lproj"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data("\"HI\" = \"\(text)\";".utf8).write(to: URL(fileURLWithPath: place + "/Localizable.strings"))
        }
        try Data("<plist><dict><key>CFBundleDevelopmentRegion</key><string>fr</string></dict></plist>".utf8)
            .write(to: URL(fileURLWithPath: folder.path + "/Info.plist"))
        func text(_ languages: String...) -> String? {
            LocalizedAlerts(app: folder.path, languages: languages).format("HI").format
        }
        #expect(text("de") == "Hallo" && text("de_AT") == "Hallo" && text("pt-PT") == "Olá")
        #expect(text("ja", "pt") == "Olá" && text("ja") == "Salut")
        #expect(LocalizedAlerts(app: folder.path, languages: ["de"]).format("NONE").format == nil)
        // A folder in the place of the file, and one that is too large, are faults and not the end.
        let german = folder.path + "/de.lproj/Localizable.strings"
        try FileManager.default.removeItem(atPath: german)
        try Data(count: StringsFile.largest + 1).write(to: URL(fileURLWithPath: german))
        let (format, faults) = LocalizedAlerts(app: folder.path, languages: ["de"]).format("HI")
        #expect(format == "Salut" && faults.count == 1 && faults[0].hasPrefix("\(german) cannot be read"))
    }

    @Test func aPayloadHasEveryKeyOfApple() throws {
        let payload = try NotificationPayload(
            Data(
                #"""
                {"aps": {"alert": {"title": "T", "subtitle-loc-key": "S", "loc-key": "B", "body": "own",
                  "loc-args": ["a", 2], "launch-image": "L", "summary-arg": "A", "summary-arg-count": 3},
                  "sound": {"critical": 1, "name": "s.caf", "volume": 0.5}, "interruption-level": "time-sensitive",
                  "relevance-score": 0.25, "filter-criteria": "F", "target-content-id": "W", "mutable-content": 1}}
                """#.utf8))
        let content = payload.content
        #expect(payload.isMutable && content.title == "T" && content.launchImage == "L")
        #expect(content.summaryArgument == "A" && content.summaryArgumentCount == 3 && content.targetContent == "W")
        #expect(content.sound == "s.caf" && content.soundIsCritical == true && content.soundVolume == 0.5)
        #expect(content.interruption == .timeSensitive && content.relevance == 0.25 && content.filterCriteria == "F")
        #expect(payload.texts.map(\.key) == ["S", "B"] && payload.texts[1].arguments == ["a", "2"])
        let (shown, remarks) = payload.localized(by: nil)
        #expect(shown.subtitle == "S" && shown.body == "own" && remarks.count == 2)
    }
}
