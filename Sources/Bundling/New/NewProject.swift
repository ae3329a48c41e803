// NewProject: a new folder with an app, an extension in it, and a test that passes.

public import ExtensionPoints
import Foundation
import Glibc

/// The content of a new folder. It is a value; `write` makes files and blocks.
public struct NewProject: Sendable {
    public enum Language: String, Sendable, CaseIterable {
        case swift, python
    }

    /// The location at which a Swift package finds this project's own package.
    public enum Kit: Sendable, Hashable {
        case folder(String)
        case repository(url: String, version: String)
    }

    public let name: String
    public let point: ExtensionPoint
    public let language: Language
    /// The app's identifier. The extension's identifier is this one, followed by `.extension`.
    public let identifier: String
    public let kit: Kit?
    /// Whether the extension has a script for web pages.
    public let hasPageScript: Bool
    /// Whether the app and the extension are linked with background sessions.
    public let hasTransfers: Bool

    /// Whether there is no template with what the extensions of a point do.
    ///
    /// Of Apple's points, Share, both kinds of Action and most points with a host half have one.
    public static func isProcessOnly(_ point: ExtensionPoint) -> Bool {
        point.path == nil && !point.takesActivationRules && SwiftTemplate.ofPoints[point.identifier] == nil
    }

    /// The identifiers of the points with a template of their own, without Apple's prefix.
    public static let pointsWithTemplates: [String] = SwiftTemplate.ofPoints.keys.map {
        $0.replacing("com.apple.", with: "")
    }
    .sorted()

    /// The result of the files, without a full stop.
    public var summary: String {
        let template =
            language == .swift ? SwiftTemplate(project: self).summary : "a script that counts the words of a text"
        guard Self.isProcessOnly(point), point.framework == nil else {
            return "\(template), for \(point.name) (\(point.identifier))"
        }
        return
            "\(template). It receives items; the calls of the framework of \(point.name) (\(point.identifier)) are not simulated"
    }

    public var extensionIdentifier: String { "\(identifier).extension" }

    /// The names of modules that an extension imports, or that come with Swift.
    private static let taken: Set<String> = [
        "appgroups", "audiotoolbox", "authenticationservices", "avfoundation", "callkit", "coreaudiokit",
        "coreaudiotypes", "coremedia", "corespotlight", "corevideo", "replaykit",
        "documentpickerservice",
        "extensionfoundation", "extensionhost",
        "extensionhosttesting", "extensionitems",
        "fileprovider", "fileproviderui", "foundation",
        "glibc", "identitylookup", "identitylookupui", "intents", "keyboardservice", "messages", "mobilecoreservices",
        "networkextension",
        "notificationcenter", "photos", "quicklook", "quicklookthumbnailing", "quicklookui",
        "photosui", "pointhosts",
        "safariservices",
        "social", "swift", "usernotifications", "testing",
        "uikit", "uniformtypeidentifiers", "xctest", "exthost",
        "app",
    ]

    /// The names of the project's own folders.
    private static let folders: Set<String> = ["tests", "sources", "plugins"]

    private static let keywords: Set<String> = [
        "as", "actor", "any", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum",
        "extension", "false",
        "for", "func", "guard", "if", "import", "in", "init", "is", "let", "nil", "operator", "protocol", "public",
        "repeat",
        "return",
        "self", "static", "struct", "subscript", "super", "switch", "throw", "true", "try", "type", "var", "where",
        "while",
    ]

    /// The names of Python's own modules. A script of such a name beside `exthost.py` would hide the module from it.
    private static let pythonModules: Set<String> = [
        "abc", "array", "ast", "bisect", "calendar", "codecs", "collections", "contextlib", "copy", "copyreg", "ctypes",
        "datetime", "dis",
        "enum", "errno", "fcntl", "fnmatch", "functools", "genericpath", "heapq", "importlib", "inspect", "io",
        "itertools",
        "json",
        "keyword", "linecache", "locale", "math", "mmap", "operator", "os", "pathlib", "pickle", "platform", "plistlib",
        "posixpath", "queue",
        "random", "re", "reprlib", "secrets", "select", "selectors", "shutil", "signal", "site", "socket", "stat",
        "string",
        "struct",
        "subprocess", "sys", "tempfile", "threading", "time", "token", "tokenize", "traceback", "types", "typing",
        "unittest",
        "uuid",
        "warnings", "weakref", "xml", "zlib",
    ]

    private static func isTaken(_ name: String, _ language: Language) -> Bool {
        let name = name.lowercased()
        return taken.contains(name) || folders.contains(name)
            || (language == .swift ? keywords : pythonModules).contains(name)
    }

    /// The package name that products of the kit refer to: for a URL, its last part.
    var kitName: String {
        guard case .repository(let url, _) = kit, let last = url.split(separator: "/").last else { return "exthost" }
        return String(last.hasSuffix(".git") ? last.dropLast(4) : last)
    }

    /// - Parameters:
    ///   - name: a module's name: a letter, then letters and digits, at most 64.
    ///   - identifier: letters, digits, hyphens and dots; nil for `org.example.NAME`.
    ///   - kit: the kit, which only Swift needs.
    ///   - hasPageScript: whether the extension has a script for web pages.
    ///   - hasTransfers: whether the app and the extension are linked with background sessions, which only Swift has.
    /// - Throws: `NewProjectError` if a name or an identifier is invalid, or if there is no template with a script.
    public init(
        name: String, point: ExtensionPoint, language: Language, identifier: String?, kit: Kit?,
        hasPageScript: Bool = false, hasTransfers: Bool = false
    ) throws {
        guard !hasTransfers || language == .swift else {
            throw NewProjectError(
                message: "background sessions have no interface in \(language.rawValue)",
                remedy: "Choose the language swift, or omit --transfers")
        }
        guard !hasPageScript || language == .swift && point.identifier == "com.apple.services" else {
            throw NewProjectError(
                message: "there is no template with a page's script for \(point.identifier) in \(language.rawValue)",
                remedy: "Choose the point services and the language swift, or omit --page-script")
        }
        let isWord = name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
        guard isWord, name.first?.isLetter == true, name.utf8.count <= 64 else {
            throw NewProjectError(
                message: "“\(name.prefix(64))” cannot be a module's name",
                remedy: "Begin with a letter, and use at most 64 letters and digits, such as WordCount")
        }
        guard !Self.isTaken(name, language) else {
            throw NewProjectError(
                message: "\(name) is the name of an existing module, or a word of the language",
                remedy: "Choose another, such as \(name)Extension")
        }
        let identifier = identifier ?? "org.example.\(name.lowercased())"
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, identifier.utf8.count <= 200, !parts.contains(""),
            identifier.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || [0x2D, 0x2E].contains($0)
            })
        else {
            throw NewProjectError(
                message: "“\(identifier.prefix(64))” is not an app's identifier",
                remedy:
                    "Write your domain backwards and a name, of letters, digits and hyphens, such as org.example.notes")
        }
        let place =
            switch kit {
            case .folder(let path): path
            case .repository(let url, let version): url + version
            case nil: ""
            }
        guard !place.contains(where: { "\"\\\n\r".contains($0) }) else {
            throw NewProjectError(
                message: "the path \(place) is not possible in a Package.swift",
                remedy: "Name the package by another path or URL"
            )
        }
        self.name = name
        self.point = point
        self.language = language
        self.identifier = identifier
        self.kit = kit
        self.hasPageScript = hasPageScript
        self.hasTransfers = hasTransfers
    }

    struct File {
        let path: String
        let text: String
        var isProgram = false
    }

    var files: [File] { language == .swift ? SwiftTemplate(project: self).files : PythonTemplate(project: self).files }

    /// Makes the folder `NAME` in another, with all files. Returns their paths below it. Existing files stay unchanged.
    ///
    /// - Throws: `NewProjectError` if something of that name exists, or the folder cannot be written.
    public func write(in parent: String) throws -> [String] {
        let folder = "\(parent)/\(name)"
        guard mkdir(folder, 0o755) == 0 else {
            let code = errno
            throw NewProjectError(
                message: code == EEXIST
                    ? "there is already a \(folder)" : "\(folder) cannot be made: \(String(cString: strerror(code)))",
                remedy: code == EEXIST
                    ? "Nothing was changed: choose another name, or remove it" : "Go to a folder that you may write to")
        }
        do {
            for file in files {
                let path = URL(fileURLWithPath: "\(folder)/\(file.path)")
                try FileManager.default.createDirectory(
                    at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.text.utf8).write(to: path, options: .withoutOverwriting)
                chmod(path.path, file.isProgram ? 0o755 : 0o644)
            }
        } catch {
            // The folder is new, so everything in it is ours.
            try? FileManager.default.removeItem(atPath: folder)
            throw NewProjectError(
                message: "\(folder) cannot be written: \(error.localizedDescription)",
                remedy: "Go to a writable folder with free space")
        }
        return files.map(\.path)
    }
}

public struct NewProjectError: Error, Sendable, Hashable {
    /// The message, without a full stop.
    public let message: String
    public let remedy: String
}

// MARK: What both languages have

extension NewProject {
    /// The arguments of `exthostctl run .` in the examples.
    var payload: String { "--text \"hello brave world\"" }

    /// Returns the file that `exthostctl test` runs; `acts` are the lines of a user's actions in the view.
    func scenario(acts: [String]) -> File {
        let lines = ["begin \(payload)"] + acts + ["expect outcome completed", "expect item userInfo.words = 3"]
        return File(
            path: "\(name).scenario",
            text: """
                # What \(name) has to do: exthostctl test \(name).scenario
                extension .

                test "words are counted"

                """ + lines.map { "  \($0)\n" }.joined())
    }

    /// The file that `exthostctl test` runs for an extension with a page's script.
    var pageScenario: File {
        File(
            path: "\(name).scenario",
            text: """
                # What \(name) has to do: exthostctl test \(name).scenario
                extension .

                test "words are counted"
                  page https://example.org/ page.html
                  expect result changed
                  expect shown results.address = "https://example.org/"

                """)
    }

    func information(of display: String, identifier: String, executable: String?, declaration: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>CFBundleIdentifier</key>
            <string>\(identifier)</string>
            <key>CFBundleDisplayName</key>
            <string>\(display)</string>

        """
            + (executable.map { "    <key>CFBundleExecutable</key>\n    <string>\($0)</string>\n" } ?? "")
                + """
                    <key>CFBundlePackageType</key>
                    <string>\(declaration.isEmpty ? "APPL" : "XPC!")</string>
                    <key>CFBundleShortVersionString</key>
                    <string>1.0</string>
                    <key>CFBundleVersion</key>
                    <string>1</string>
                \(declaration)</dict>
                </plist>

                """
    }

    /// Returns the beginning of the dictionary `NSExtension`: the point and the class.
    static func declaration(of point: String, principalClass: String?) -> String {
        let text = """
                <key>NSExtension</key>
                <dict>
                    <key>NSExtensionPointIdentifier</key>
                    <string>\(point)</string>

            """
        guard let principalClass else { return text }
        return text + "        <key>NSExtensionPrincipalClass</key>\n        <string>\(principalClass)</string>\n"
    }

    /// Returns the dictionary `NSExtension`, with a rule only if the point requires one.
    func declaration(principalClass: String?) -> String {
        var text = Self.declaration(of: point.identifier, principalClass: principalClass)
        if point.framework == "KeyboardService" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>PrimaryLanguage</key>
                            <string>en-US</string>
                            <key>RequestsOpenAccess</key>
                            <false/>
                        </dict>

                """
        }
        if ["AudioToolbox", "CoreAudioKit"].contains(point.framework) {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>AudioComponents</key>
                            <array>
                                <dict>
                                    <key>type</key>
                                    <string>aufx</string>
                                    <key>subtype</key>
                                    <string>volu</string>
                                    <key>manufacturer</key>
                                    <string>Demo</string>
                                    <key>name</key>
                                    <string>Demo: \(name)</string>
                                    <key>version</key>
                                    <integer>1</integer>
                                    <key>sandboxSafe</key>
                                    <true/>
                                </dict>
                            </array>
                        </dict>

                """
        }
        if point.framework == "IntentsUI" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>IntentsSupported</key>
                            <array>
                                <string>INSendMessageIntent</string>
                            </array>
                        </dict>

                """
        }
        if point.framework == "Intents" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>IntentsRestrictedWhileLocked</key>
                            <array/>
                            <key>IntentsSupported</key>
                            <array>
                                <string>INSendMessageIntent</string>
                            </array>
                        </dict>

                """
        }
        if point.framework == "DocumentPickerService" {
            // The other two modes need a file provider in the app.
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>UIDocumentPickerModes</key>
                            <array>
                                <string>UIDocumentPickerModeImport</string>
                                <string>UIDocumentPickerModeExportToService</string>
                            </array>
                            <key>UIDocumentPickerSupportedFileTypes</key>
                            <array>
                                <string>public.content</string>
                            </array>
                        </dict>

                """
        }
        if ["QuickLook", "QuickLookThumbnailing"].contains(point.framework) {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>QLSupportedContentTypes</key>
                            <array>
                                <string>public.plain-text</string>
                            </array>
                        </dict>

                """
        }
        if point.identifier == "com.apple.spotlight.import" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>CSSupportedContentTypes</key>
                            <array>
                                <string>public.plain-text</string>
                            </array>
                        </dict>

                """
        }
        if point.framework == "UserNotificationsUI" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>UNNotificationExtensionCategory</key>
                            <string>words</string>
                            <key>UNNotificationExtensionInitialContentSizeRatio</key>
                            <real>0.5</real>
                        </dict>

                """
        }
        if point.framework == "FileProviderUI" {
            text += """
                        <key>NSExtensionFileProviderActions</key>
                        <array>
                            <dict>
                                <key>NSExtensionFileProviderActionIdentifier</key>
                                <string>\(extensionIdentifier).describe</string>
                                <key>NSExtensionFileProviderActionName</key>
                                <string>Describe</string>
                                <key>NSExtensionFileProviderActionActivationRule</key>
                                <string>fileproviderItems.@count &gt; 0</string>
                            </dict>
                        </array>

                """
        }
        if point.identifier == "com.apple.broadcast-services-upload" {
            text += """
                        <key>RPBroadcastProcessMode</key>
                        <string>RPBroadcastProcessModeSampleBuffer</string>

                """
        }
        if point.framework == "IdentityLookup" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>ILMessageFilterExtensionNetworkURL</key>
                            <string>https://filter.example/messages</string>
                        </dict>

                """
        }
        if point.framework == "IdentityLookupUI" {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>ILClassificationExtensionNetworkReportDestination</key>
                            <string>https://reports.example/spam</string>
                        </dict>

                """
        }
        if hasPageScript {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>NSExtensionActivationRule</key>
                            <dict>
                                <key>NSExtensionActivationSupportsWebPageWithMaxCount</key>
                                <integer>1</integer>
                                <key>NSExtensionActivationSupportsWebURLWithMaxCount</key>
                                <integer>1</integer>
                            </dict>
                            <key>NSExtensionJavaScriptPreprocessingFile</key>
                            <string>Action</string>
                        </dict>

                """
        } else if point.takesActivationRules {
            text += """
                        <key>NSExtensionAttributes</key>
                        <dict>
                            <key>NSExtensionActivationRule</key>
                            <dict>
                                <key>NSExtensionActivationSupportsText</key>
                                <true/>
                            </dict>
                        </dict>

                """
        }
        return text + "    </dict>\n"
    }

    /// The entitlements, with the group that the app and the extension share.
    ///
    /// - Parameter isNetworkClient: whether the program uses the network.
    func entitlements(isNetworkClient: Bool = false, networkExtension kind: String? = nil) -> String {
        var network = isNetworkClient ? "\n    <key>com.apple.security.network.client</key>\n    <true/>" : ""
        if let kind {
            network += "\n    <key>com.apple.developer.networking.networkextension</key>\n    <array>\n"
            network += "        <string>\(kind)</string>\n    </array>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>com.apple.security.application-groups</key>
                <array>
                    <string>group.\(identifier)</string>
                </array>\(network)
            </dict>
            </plist>

            """
    }
}
