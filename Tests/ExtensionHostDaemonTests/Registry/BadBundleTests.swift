// Bad bundles: each kind of fault on disk, what is said of it, and that its neighbour does not suffer.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Testing

@Suite struct BadBundleTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        /// Words that the problem must have: what is wrong, and the remedy.
        let words: [String]
        /// The identifier that the bundle is listed under; nil for its path.
        let identifier: String?
        let make: @Sendable (ApplicationsFolder, _ bundle: String) throws -> Void

        init(
            _ name: String, _ words: [String], identifier: String? = "com.example.bad",
            _ make: @escaping @Sendable (ApplicationsFolder, String) throws -> Void
        ) {
            (self.name, self.words, self.identifier, self.make) = (name, words, identifier, make)
        }

        /// A whole bundle with this plist and a program that could be run.
        static func plist(
            _ name: String, _ words: [String], identifier: String? = "com.example.bad", _ entries: [String]
        )
            -> Fault
        {
            Fault(name, words, identifier: identifier) { folder, bundle in
                try folder.write("\(bundle)/Info.plist", ApplicationsFolder.plist(entries))
                try folder.write("\(bundle)/Bad", "", mode: 0o755)
            }
        }

        /// A bundle whose plist is this file.
        static func file(_ name: String, _ words: [String], _ text: String) -> Fault {
            Fault(name, words, identifier: nil) { folder, bundle in try folder.write("\(bundle)/Info.plist", text) }
        }

        /// A good plist beside a program at fault.
        static func program(
            _ name: String, _ words: [String], executable: String = "Bad",
            _ make: @escaping @Sendable (ApplicationsFolder, String) throws -> Void
        ) -> Fault {
            Fault(name, words) { folder, bundle in
                try folder.write(
                    "\(bundle)/Info.plist",
                    ApplicationsFolder.plist(
                        ApplicationsFolder.entries(identifier: "com.example.bad", executable: executable)))
                try make(folder, bundle)
            }
        }

        var testDescription: String { name }
    }

    private static let identifier = ApplicationsFolder.string("CFBundleIdentifier", "com.example.bad")
    private static let executable = ApplicationsFolder.string("CFBundleExecutable", "Bad")
    private static let declaration = ApplicationsFolder.declaration()

    private static func attributes(_ entries: String) -> String {
        "<key>NSExtension</key><dict>\(ApplicationsFolder.string("NSExtensionPointIdentifier", "p"))"
            + "<key>NSExtensionAttributes</key><dict>\(entries)</dict></dict>"
    }

    static let faults: [Fault] = [
        // The plist as a file.
        Fault("no Info.plist", ["cannot be read", "Put a readable one"], identifier: nil) { _, _ in },
        Fault("Info.plist is a folder", ["cannot be read", "Put a readable one"], identifier: nil) { folder, bundle in
            try folder.makeFolder("\(bundle)/Info.plist")
        },
        Fault("Info.plist is a FIFO", ["cannot be read", "Put a readable one"], identifier: nil) { _, bundle in
            guard mkfifo("\(bundle)/Info.plist", 0o644) == 0 else { throw SystemError("mkfifo") }
        },
        Fault("Info.plist is a dangling link", ["cannot be read", "Put a readable one"], identifier: nil) { _, bundle in
            guard symlink("/nowhere/at/all", "\(bundle)/Info.plist") == 0 else { throw SystemError("symlink") }
        },
        .file("an empty Info.plist", ["empty", "lint"], ""),
        .file("garbage", ["neither a binary nor an XML property list", "lint"], "hello there"),
        .file("an old-style plist", ["old-style", "lint"], "{ CFBundleIdentifier = \"x\"; }"),
        .file(
            "a plist cut off", ["cannot be read", "lint"],
            "<?xml version=\"1.0\"?><plist><dict><key>CFBundleIdentifier</key>"),
        .file(
            "entities of its own", ["document type", "remove"],
            "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>"),
        .file(
            "a broken binary plist", ["cannot be read", "lint"], "bplist00 and then nothing of the kind, at some length"
        ),
        .file("a plist that is an array", ["not a dictionary", "Make its root a <dict>"], "<plist><array/></plist>"),
        .file(
            "a plist of over a mebibyte", ["cannot be read", "Put a readable one"],
            "<plist><string>" + String(repeating: "x", count: 1 << 20) + "</string></plist>"),

        // The plist's contents.
        .plist("no identifier", ["no CFBundleIdentifier", "Add one"], identifier: nil, [executable, declaration]),
        .plist(
            "an identifier that is a number", ["CFBundleIdentifier", "not a non-empty string", "Write it as"],
            identifier: nil,
            ["<key>CFBundleIdentifier</key><integer>4</integer>", executable, declaration]),
        .plist(
            "an empty identifier", ["CFBundleIdentifier", "not a non-empty string"], identifier: nil,
            ["<key>CFBundleIdentifier</key><string></string>", executable, declaration]),
        .plist(
            "an identifier that is a path", ["CFBundleIdentifier must have"], identifier: nil,
            [ApplicationsFolder.string("CFBundleIdentifier", "../../etc"), executable, declaration]),
        .plist(
            "an identifier that is the folder above", ["CFBundleIdentifier must have", "begin"], identifier: nil,
            [ApplicationsFolder.string("CFBundleIdentifier", ".."), executable, declaration]),
        .plist(
            "an identifier of 256 characters", ["CFBundleIdentifier must have", "255"], identifier: nil,
            [
                ApplicationsFolder.string("CFBundleIdentifier", String(repeating: "a", count: 256)), executable,
                declaration,
            ]),
        .plist("no NSExtension", ["no NSExtension dictionary", "Add one"], [identifier, executable]),
        .plist(
            "an NSExtension that is a string", ["NSExtension in Info.plist is not a dictionary", "Write it as"],
            [identifier, executable, ApplicationsFolder.string("NSExtension", "yes")]),
        .plist(
            "no extension point", ["no NSExtensionPointIdentifier", "Name the extension point"],
            [identifier, executable, "<key>NSExtension</key><dict/>"]),
        .plist(
            "a principal class that is a list", ["NSExtensionPrincipalClass", "not a non-empty string"],
            [
                identifier, executable,
                "<key>NSExtension</key><dict>\(ApplicationsFolder.string("NSExtensionPointIdentifier", "p"))"
                    + "<key>NSExtensionPrincipalClass</key><array/></dict>",
            ]),
        .plist(
            "a version that is a number", ["CFBundleVersion", "not a non-empty string"],
            [identifier, executable, declaration, "<key>CFBundleVersion</key><real>1.0</real>"]),

        .plist(
            "a rule that is a list",
            ["NSExtensionActivationRule in NSExtensionAttributes", "neither a dictionary nor a predicate"],
            [identifier, executable, attributes("<key>NSExtensionActivationRule</key><array/>")]),
        .plist(
            "a flag that is a word", ["RequestsOpenAccess", "no boolean", "<true/>"],
            [identifier, executable, attributes(ApplicationsFolder.string("RequestsOpenAccess", "perhaps"))]),
        .plist(
            "a list of intents with a number in it", ["IntentsSupported", "non-empty strings"],
            [identifier, executable, attributes("<key>IntentsSupported</key><array><integer>1</integer></array>")]),
        .plist(
            "a role that there is not",
            ["NSExtensionServiceRoleType", "Choose among", "NSExtensionServiceRoleTypeEditor"],
            [identifier, executable, attributes(ApplicationsFolder.string("NSExtensionServiceRoleType", "Painter"))]),
        .plist(
            "attributes that are a string", ["NSExtensionAttributes", "not a dictionary"],
            [
                identifier, executable,
                "<key>NSExtension</key><dict>\(ApplicationsFolder.string("NSExtensionPointIdentifier", "p"))"
                    + "\(ApplicationsFolder.string("NSExtensionAttributes", "x"))</dict>",
            ]),
        .plist(
            "a name of 513 bytes", ["CFBundleDisplayName", "longer than 512 bytes", "Shorten"],
            [
                identifier, executable, declaration,
                ApplicationsFolder.string("CFBundleDisplayName", String(repeating: "n", count: 513)),
            ]),
        .plist(
            "a plist of 200 KiB in binary form", ["limit", "another file"],
            [
                identifier, executable, declaration,
                (0..<400).map { ApplicationsFolder.string("Filler\($0)", "\($0)" + String(repeating: "f", count: 500)) }
                    .joined(),
            ]),

        // The app around it.
        Fault("an identifier that does not begin with the app's", ["does not begin with", "org.other", "Rename it to"])
        {
            folder, bundle in
            try folder.write(
                "\(bundle)/Info.plist",
                ApplicationsFolder.plist(ApplicationsFolder.entries(identifier: "com.example.bad", executable: "Bad")))
            try folder.write("\(bundle)/Bad", "", mode: 0o755)
            try folder.write(
                "\(folder.path)/Bad.app/Info.plist",
                ApplicationsFolder.plist([ApplicationsFolder.string("CFBundleIdentifier", "org.other")]))
        },

        // The program.
        .plist("no CFBundleExecutable", ["no CFBundleExecutable", "Name the program"], [identifier, declaration]),
        .program("a missing program", ["is missing", "Build it into"]) { _, _ in },
        .program("a program that may not be executed", ["is not executable", "chmod +x"]) { folder, bundle in
            try folder.write("\(bundle)/Bad", "", mode: 0o644)
        },
        .program("a program that is a link", ["not a regular file", "not a link"]) { _, bundle in
            guard symlink("/bin/true", "\(bundle)/Bad") == 0 else { throw SystemError("symlink") }
        },
        .program("a program that is a folder", ["not a regular file"]) { folder, bundle in
            try folder.makeFolder("\(bundle)/Bad")
        },
        .program("a program in a folder", ["file name inside the bundle"], executable: "bin/Bad") { folder, bundle in
            try folder.write("\(bundle)/bin/Bad", "", mode: 0o755)
        },
        .program("a program by an absolute path", ["file name inside the bundle"], executable: "/bin/true") { _, _ in },
        .program("a program outside of the bundle", ["file name inside the bundle"], executable: "../../../Bad") {
            _, _ in
        },
        .program("the folder above as program", ["file name inside the bundle"], executable: "..") { _, _ in },
        .program("the bundle itself as program", ["file name inside the bundle"], executable: ".") { _, _ in },
    ]

    // spec: P-311
    @Test(arguments: faults)
    func aBundleAtFaultIsListedWithItsReasonAndItsNeighbourIsServed(_ fault: Fault) throws {
        let folder = try ApplicationsFolder()
        try folder.good("App", "Good", identifier: "com.example.good")
        let path = try folder.bundle("Bad", "Bad")
        try fault.make(folder, path)

        let registry = ExtensionRegistry.scan([folder.path])
        #expect(registry["com.example.good"]?.bundle.problems == [])
        #expect(registry.copies.count == 2)
        let bundle = try #require(registry.copies.map(\.bundle).first { $0.path == path })
        #expect(bundle.identifier == fault.identifier ?? path)
        #expect(bundle.executable == nil)
        let problem = try #require(bundle.problems.first)
        #expect(bundle.problems.count == 1)
        for word in fault.words { #expect(problem.contains(word)) }
    }

    /// Twelve that can be used, and more than thirty that cannot, in one folder.
    @Test func thirtyBadBundlesAmongTwelveGoodOnesDisableThemselvesOnly() throws {
        let folder = try ApplicationsFolder()
        for number in 0..<12 {
            try folder.good("Good\(number % 5)", "Good\(number)", identifier: "com.example.good\(number)")
        }
        // Each in an app of its own, as some faults are the app's.
        for (number, fault) in Self.faults.enumerated() where !fault.name.contains("the app's") {
            try fault.make(folder, try folder.bundle("Bad\(number)", "Bad"))
        }
        let registry = ExtensionRegistry.scan([folder.path])
        #expect(registry.winners.map(\.bundle.identifier).sorted() == (0..<12).map { "com.example.good\($0)" }.sorted())
        let bad = registry.copies.filter { !$0.bundle.problems.isEmpty }
        #expect(bad.count == Self.faults.count - 1 && bad.count >= 30)
        #expect(bad.allSatisfy { $0.bundle.executable == nil && !$0.isWinner && $0.rule == .disabled })
        #expect(registry.copies(matching: [], allCopies: true).count == 12 + bad.count)
    }

    @Test func severalFaultsAreAllSaid() throws {
        let folder = try ApplicationsFolder()
        let path = try folder.bundle("App", "Bad")
        try folder.write("\(path)/Info.plist", ApplicationsFolder.plist([]))
        let bundle = try #require(ExtensionRegistry.scan([folder.path]).copies.first)
        #expect(bundle.bundle.problems.count == 3)
        #expect(bundle.record.problems == bundle.bundle.problems)
    }
}
