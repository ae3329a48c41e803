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

    /// An app's file or folder that leads elsewhere, or is none that can be read.
    enum Hostile: String, CaseIterable {
        case linkToAFileOutside, relativeLinkToAFileOutside, linkToAFileOfTheApp, linkToALink, linkToItself
        case linkToNothing, linkToADevice, linkToADescriptor
        case folderLinkOutside, relativeFolderLinkOutside, folderLinkOfTheApp
        case pipe, folder

        /// Makes it in the place of the German strings.
        func make(in app: String, outside: String) throws {
            let (language, file) = (app + "/de.lproj", app + "/de.lproj/Localizable.strings")
            let secret = outside + "/Localizable.strings"
            let away = URL(fileURLWithPath: outside).lastPathComponent
            func link(_ path: String, _ target: String) throws {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            }
            switch self {
            case .linkToAFileOutside: try link(file, secret)
            case .relativeLinkToAFileOutside: try link(file, "../../\(away)/Localizable.strings")
            case .linkToAFileOfTheApp: try link(file, "../en.lproj/Localizable.strings")
            case .linkToALink:
                try link(language + "/first", secret)
                try link(file, "first")
            case .linkToItself: try link(file, "Localizable.strings")
            case .linkToNothing: try link(file, "nothing")
            case .linkToADevice: try link(file, "/dev/zero")
            case .linkToADescriptor: try link(file, "/proc/self/fd/0")
            case .folderLinkOutside, .relativeFolderLinkOutside, .folderLinkOfTheApp:
                try FileManager.default.removeItem(atPath: language)
                let target =
                    self == .folderLinkOutside ? outside : self == .folderLinkOfTheApp ? "en.lproj" : "../\(away)"
                try link(language, target)
            case .pipe: #expect(mkfifo(file, 0o600) == 0)
            case .folder: try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            }
        }
    }

    @Test("NS-1: a localized text comes from a file of the app only: no link is followed", arguments: Hostile.allCases)
    func noLinkLeadsOutOfTheApp(hostile: Hostile) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let (app, outside) = (folder.path + "/App.app", folder.path + "/outside")
        for place in [app + "/de.lproj", app + "/en.lproj", outside] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        }
        let text = { (text: String) in Data("\"HI\" = \"\(text)\";".utf8) }
        try text("Hello").write(to: URL(fileURLWithPath: app + "/en.lproj/Localizable.strings"))
        try text("secret").write(to: URL(fileURLWithPath: outside + "/Localizable.strings"))
        try hostile.make(in: app, outside: outside)
        let (format, faults) = LocalizedAlerts(app: app, languages: ["de", "en"]).format("HI")
        #expect(format == "Hello")
        #expect(faults.count == 1 && faults[0].hasPrefix("\(app)/de.lproj/Localizable.strings cannot be read"))
    }

    @Test("NS-1: an app's own language is that of its own Info.plist: a link is not followed")
    func noLinkLeadsToAnotherInfoPlist() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let app = folder.path + "/App.app"
        for (language, text) in [("fr", "Salut"), ("en", "Hello")] {
            let place = "\(app)/\(language).lproj"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data("\"HI\" = \"\(text)\";".utf8).write(to: URL(fileURLWithPath: place + "/Localizable.strings"))
        }
        let information = "<plist><dict><key>CFBundleDevelopmentRegion</key><string>fr</string></dict></plist>"
        try Data(information.utf8).write(to: URL(fileURLWithPath: folder.path + "/Info.plist"))
        let alerts = LocalizedAlerts(app: app, languages: ["ja"])
        try FileManager.default.createSymbolicLink(atPath: app + "/Info.plist", withDestinationPath: "../Info.plist")
        #expect(alerts.format("HI").format == "Hello")
        try FileManager.default.removeItem(atPath: app + "/Info.plist")
        try Data(information.utf8).write(to: URL(fileURLWithPath: app + "/Info.plist"))
        #expect(alerts.format("HI").format == "Salut")
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
