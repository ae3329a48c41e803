// Thumbnailer: an installed program of the desktop that makes thumbnails of some kinds of files.

internal import Foundation
internal import Glibc
internal import LinuxDescriptors

/// An entry of a `.thumbnailer` file.
struct Thumbnailer {
    /// The name of the file.
    let name: String
    private let command: [String]

    /// The time limit of a thumbnailer.
    private static let patience = ContinuousClock.Duration.seconds(10)

    /// Returns the first thumbnailer for files of this MIME type; the user's own folder comes first.
    static func installed(for kind: String) -> Thumbnailer? {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let own = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
        let shared = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        for folder in [own].compactMap({ $0 }) + shared where folder.hasPrefix("/") {
            guard let names = try? listDirectory(folder + "/thumbnailers", maximumCount: 1024) else { continue }
            for name in names where name.hasSuffix(".thumbnailer") {
                let path = "\(folder)/thumbnailers/\(name)"
                guard let bytes = try? readFile(path, maximumSize: 1 << 20),
                    let found = Thumbnailer(name, entry: String(decoding: bytes, as: UTF8.self), kind)
                else { continue }
                return found
            }
        }
        return nil
    }

    init?(_ name: String, entry text: String, _ kind: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: "=", maxSplits: 1)
            if words.count == 2 { values[words[0]] = words[1] }
        }
        guard values["MimeType"]?.split(separator: ";").contains(where: { $0 == kind }) == true,
            let command = values["Exec"].map(Self.words), let program = command.first.flatMap(Self.program),
            values["TryExec"].map({ Self.program(String($0)) != nil }) ?? true
        else { return nil }
        self.name = name
        self.command = [program] + command.dropFirst()
    }

    /// Runs it and returns the PNG file that it made.
    func run(path: String, uri: String, size: Int, largest: Int, isWanted: () -> Bool) throws -> [UInt8] {
        let folder = try TemporaryDirectory(prefix: "exthost-thumbnail")
        defer { try? folder.remove() }
        let output = folder.path + "/thumbnail.png"
        let places: [Character: String] = ["u": uri, "i": path, "o": output, "s": "\(size)", "%": "%"]
        let arguments = command.map { Self.filled($0, with: places) }
        let environment: [String] = ["PATH", "HOME", "LANG", "XDG_DATA_DIRS", "LD_LIBRARY_PATH"].compactMap {
            (name: String) -> String? in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        let child = try ThumbnailerProcess(
            arguments, environment: environment + ["TMPDIR=\(folder.path)"], directory: folder.path)
        let deadline = ContinuousClock.now + Self.patience
        var problem: String?
        while problem == nil, !child.hasEnded(within: 50) {
            if ContinuousClock.now >= deadline { problem = "it did not exit within \(Self.patience)" }
            if !isWanted() { problem = "the load was cancelled" }
        }
        // This also ends everything that it left running.
        try child.end()
        if let problem { throw NSItemProvider.error(.itemUnavailableError, problem) }
        let made = try readFile(output, maximumSize: largest, followingLinks: false)
        guard PNGText.read(made) != nil else {
            throw NSItemProvider.error(.itemUnavailableError, "its output is not a PNG file")
        }
        return made
    }

    /// Returns a word with its `%` letters replaced, each read once.
    private static func filled(_ word: String, with places: [Character: String]) -> String {
        var result = ""
        var rest = word[...]
        while let mark = rest.firstIndex(of: "%") {
            result += rest[..<mark]
            rest = rest[mark...].dropFirst()
            if let letter = rest.popFirst() { result += places[letter] ?? "%\(letter)" }
        }
        return result + rest
    }

    private static func program(_ name: String) -> String? {
        if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Returns the words of a command line; quotation marks hold one together.
    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var mark: Character?
        for character in line {
            switch character {
            case mark: mark = nil
            case "\"", "'":
                if mark == nil {
                    mark = character
                    word = word ?? ""
                } else {
                    word = (word ?? "") + String(character)
                }
            case " " where mark == nil:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
