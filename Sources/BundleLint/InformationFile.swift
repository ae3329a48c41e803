// InformationFile: a readable Info.plist with the lines of its keys.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

struct InformationFile {
    let path: String
    let dictionary: PropertyListDictionary
    private let lines: KeyLines?

    /// Reads the file. Nil if there is none that can be read; the report says why.
    init?(_ path: String, _ report: inout LintReport) {
        self.path = path
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, maximumSize: BundleInformation.fileLimit)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: report.add(.informationMissing, path, "there is no Info.plist", remedy: "Write one")
            case EFBIG: Self.tooLarge(path, &report, "more than \(BundleInformation.fileLimit) bytes")
            default:
                report.add(
                    .informationUnreadable, path, "it cannot be read: \(error)",
                    remedy: "Make it a regular, readable file: chmod +r")
            }
            return nil
        }
        let value: PropertyList
        do {
            value = try PropertyList(file: bytes, limits: BundleInformation.limits, form: .authored)
        } catch {
            var line: Int?
            if case .line(let number, _) = error.place { line = number }
            report.add(
                .informationUnreadable, path, line: line, "it is not a supported property list: \(error)",
                remedy: "Correct the file there; plistutil and plutil convert other forms to XML")
            return nil
        }
        guard let dictionary = value.dictionary else {
            report.add(.informationNotDictionary, path, "its root is no dictionary", remedy: "Make its root a <dict>")
            return nil
        }
        let packed = (try? PropertyList.dictionary(dictionary).encodeBinary().count) ?? Int.max
        if packed > BundleInformation.packedLimit {
            Self.tooLarge(path, &report, "more than \(BundleInformation.packedLimit) bytes in binary form")
        }
        self.dictionary = dictionary
        lines = bytes.starts(with: "bplist".utf8) ? nil : KeyLines(bytes)
        report.addRepeated(in: path, PropertyList.repeatedKeys(inFile: bytes, limits: BundleInformation.limits))
    }

    private static func tooLarge(_ path: String, _ report: inout LintReport, _ size: String) {
        report.add(
            .informationTooLarge, path, "it has \(size)",
            remedy: "Move data that the system does not read into another file")
    }

    /// Returns the line of a key, or of the nearest key around it.
    func line(_ key: String) -> Int? { lines?.line(key) }

    /// Returns the line in the file for a line (from 1) of the text under a key.
    func line(_ key: String, text line: Int) -> Int? { lines?.valueLine(key).map { $0 + line - 1 } ?? self.line(key) }

    func report(
        _ report: inout LintReport, _ code: LintCode, _ key: String, _ message: String, remedy: String,
        severity: LintFinding.Severity? = nil
    ) {
        report.add(code, path, key: key, line: line(key), message, remedy: remedy, severity: severity)
    }

    /// The result of reading a text under a key.
    enum Text {
        case absent
        /// The value exists and was reported as a fault.
        case refused
        case text(String)

        var value: String? { if case .text(let text) = self { text } else { nil } }
        var isAbsent: Bool { if case .absent = self { true } else { false } }
    }

    /// Reads a text under a key at the top. It reports a value of another type, and a variable that no build replaced.
    func text(_ key: String, _ report: inout LintReport) -> Text { text(key, in: dictionary, path: key, &report) }

    func text(_ key: String, in dictionary: PropertyListDictionary, path: String, _ report: inout LintReport) -> Text {
        guard let value = dictionary[key] else { return .absent }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= 512 else {
            self.report(
                &report, .wrongValueType, path, "\(key) is not a non-empty string of at most 512 bytes",
                remedy: "Write it as <string>…</string>")
            return .refused
        }
        if text.contains("$(") || text.contains("${") {
            self.report(
                &report, .variableLeft, path,
                "\(key) contains a build variable without a value: “\(text.cut(toBytes: 64))”",
                remedy: "Write its value, or set it with exthostctl bundle --setting")
            return .refused
        }
        return .text(text)
    }
}
