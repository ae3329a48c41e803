// LocalizedAlerts: the texts of an alert that the containing app has in its own languages.

import ExtensionHost
import LinuxSystem
import PropertyListCoding

/// The table `Localizable.strings` of an app, in a person's language.
///
/// On Apple's systems the system looks the keys of a payload up before the service gets the notification (documented).
/// Here the host half does: it is the system's app, and the extension may not read its app's folder.
struct LocalizedAlerts {
    /// The folder of the app.
    let app: String
    /// The person's languages, the first first.
    let languages: [String]

    /// Returns the folders of localizations to try, the best first.
    ///
    /// A language without the wanted region serves, and so does another region of it. Then come the app's own language
    /// and `Base`.
    func folders() -> [String] {
        let names = ((try? listDirectory(app, maximumCount: 10_000)) ?? []).filter { $0.hasSuffix(".lproj") }
        let there = names.map { String($0.dropLast(".lproj".count)) }
        var chosen: [String] = []
        func add(_ matches: (String) -> Bool) { chosen += there.filter { matches($0) && !chosen.contains($0) } }
        for language in languages + [developmentRegion, "Base", "en"].compactMap({ $0 }) {
            let wanted = Self.normal(language)
            let base = Self.base(wanted)
            add { Self.normal($0) == wanted }
            add { Self.normal($0) == base }
            add { Self.base(Self.normal($0)) == base }
        }
        return chosen.map { "\(app)/\($0).lproj" } + [app]
    }

    /// Returns the format under a key, and the reasons why files cannot be read.
    func format(_ key: String) -> (format: String?, faults: [String]) {
        var faults: [String] = []
        for folder in folders() {
            let path = folder + "/Localizable.strings"
            do throws(StringsFile.Fault) {
                let name = String(path.dropFirst(app.count + 1))
                if let format = try StringsFile(of: app, name)?.strings[key] { return (format, faults) }
            } catch {
                faults.append("\(path) cannot be read: \(error)")
            }
        }
        return (nil, faults)
    }

    private var developmentRegion: String? {
        guard let bytes = try? readFile(ViewFile(app).read("Info.plist"), maximumSize: StringsFile.largest),
            let information = try? PropertyList(file: bytes, limits: .file, form: .authored)
        else { return nil }
        return information.dictionary?["CFBundleDevelopmentRegion"]?.string
    }

    private static func normal(_ language: String) -> String {
        let name = language.lowercased().map { $0 == "_" ? "-" : $0 }
        // Old bundles have the names of some languages.
        return ["english": "en", "german": "de", "french": "fr", "japanese": "ja", "spanish": "es", "italian": "it"][
            String(name)] ?? String(name)
    }

    private static func base(_ language: String) -> String { String(language.prefix { $0 != "-" }) }
}
