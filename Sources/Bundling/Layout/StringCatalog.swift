// StringCatalog: an .xcstrings file, with the lists of strings that Xcode makes from it.

import Foundation
import LinuxSystem
import PropertyListCoding

/// A catalog of strings in several languages. Variations by number or device are omitted; the other strings are used.
struct StringCatalog {
    /// The property list of each language, sorted by language.
    let lists: [(language: String, bytes: [UInt8])]

    private static let fileLimit = 32 << 20

    private struct Contents: Decodable {
        struct Entry: Decodable {
            struct Localization: Decodable {
                struct Unit: Decodable { let value: String }
                let stringUnit: Unit?
            }
            let localizations: [String: Localization]?
        }
        let sourceLanguage: String
        let strings: [String: Entry]
    }

    init(_ path: String) throws {
        let contents: Contents
        do {
            contents = try JSONDecoder().decode(
                Contents.self, from: Data(try readFile(path, maximumSize: Self.fileLimit)))
        } catch {
            throw ProjectError(
                ProjectFinding(
                    .interfaceUnreadable, path, "it is not a catalog of strings: \(error.localizedDescription)",
                    remedy: "Open it in Xcode and save it"))
        }
        var tables: [String: [(String, PropertyList)]] = [contents.sourceLanguage: []]
        for (key, entry) in contents.strings.sorted(by: { $0.key < $1.key }) {
            for (language, localization) in entry.localizations ?? [:] {
                guard let value = localization.stringUnit?.value, Self.isLanguage(language) else { continue }
                tables[language, default: []].append((key, .string(value)))
            }
            // In the source language a string is its own key.
            if entry.localizations?[contents.sourceLanguage] == nil {
                tables[contents.sourceLanguage]?.append((key, .string(key)))
            }
        }
        lists = try tables.filter { Self.isLanguage($0.key) }.sorted { $0.key < $1.key }.map {
            ($0.key, try PropertyList.dictionary(PropertyListDictionary($0.value)).encodeBinary())
        }
    }

    private static func isLanguage(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { BuildSettings.isName(String(UnicodeScalar($0))) || $0 == UInt8(ascii: "-") }
    }
}
