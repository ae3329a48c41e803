// BuiltFile: real programs and libraries for lint to read, made by the C compiler that Swift brings along.

import Foundation
import LinuxSystem
import TestPrograms

/// Bytes of a file that was linked. Each is made once for a test run; empty where that failed, and then the tests that
/// need it do.
enum BuiltFile {
    /// The library `libgreet.so.1`, which needs nothing of the app.
    static let library = link("int greet(void) { return 7; }", ["-shared", "-Wl,-soname,libgreet.so.1"])
    /// A program that needs it, and looks into its app's `Frameworks`.
    static let program = link(calling, runPath, needing: ["libgreet.so.1": library])
    /// One that looks nowhere.
    static let lostProgram = link(calling, [], needing: ["libgreet.so.1": library])
    /// One that loads it, whatever the system's version is.
    static let loadingProgram = link(
        "void *dlopen(const char *, int);\nint main(void) { return !dlopen(\"libgreet.so.1\", 2); }", [])
    /// One that links to the library of the system's services.
    static let serviceProgram = link(calling, [], needing: ["libsystemd.so.0": library])
    /// One that leaves its request behind.
    static let daemonProgram = link("int daemon(int, int);\nint main(void) { return daemon(0, 0); }", [])
    /// A library that does.
    static let daemonLibrary = link(
        "int daemon(int, int);\nint greet(void) { return daemon(0, 0); }", ["-shared", "-Wl,-soname,libgreet.so.1"])
    /// One that opens the camera, and one that opens sound devices.
    static let cameraProgram = link(calling, [], needing: ["libv4l2.so.0": library])
    static let soundProgram = link(calling, [], needing: ["libpulse.so.0": library])
    /// `libouter.so`, which needs `libgreet.so.1` from beside itself, and a program that needs only the outer one.
    static let outerLibrary = link(
        "int greet(void);\nint outer(void) { return greet(); }",
        ["-shared", "-Wl,-soname,libouter.so", "-Wl,-rpath,$ORIGIN"],
        needing: ["libgreet.so.1": library])
    static let outerProgram = link(
        "int outer(void);\nint main(void) { return outer(); }", runPath + ["-Wl,--allow-shlib-undefined"],
        needing: ["libouter.so": outerLibrary])
    /// One whose run path is the older kind, which holds for the libraries of its libraries.
    static let olderProgram = link(
        "int outer(void);\nint main(void) { return outer(); }",
        ["-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/../../Frameworks", "-Wl,--allow-shlib-undefined"],
        needing: ["libouter.so": plainOuterLibrary])
    /// `libouter.so` without a run path.
    static let plainOuterLibrary = link(
        "int greet(void);\nint outer(void) { return greet(); }", ["-shared", "-Wl,-soname,libouter.so"],
        needing: ["libgreet.so.1": library])
    /// One that is marked as not for extensions, as docs/lint.md shows it.
    static let markedLibrary = link(
        """
        __attribute__((section(".note.exthost"), used, aligned(4))) static const struct {
            unsigned name_size, text_size, type;
            char name[8], text[12];
        } mark = {8, 9, 1, "exthost", "MyAppKit"};
        int greet(void) { return 7; }
        """, ["-shared", "-Wl,-soname,libgreet.so.1"])

    /// A program of Swift with the classes `Share.Share` and `Share.Outer.Inner`.
    static let swiftProgram = compile(
        "final class Share {}\nenum Outer { final class Inner {} }\nprint(Share(), Outer.Inner())")

    /// The same with Swift's runtime within.
    static let staticSwiftProgram = compile("final class Share {}\nprint(Share())", ["-static-stdlib"])
    /// A library of Swift, which needs its runtime, and one that has it within.
    static let swiftLibrary = compile("public final class Kit {}", ["-emit-library"])
    static let staticSwiftLibrary = compile("public final class Kit {}", ["-emit-library", "-static-stdlib"])

    /// A program of the modules UIKit, as far as the text classes go, and `Share`, with types that have and inherit them.
    static let textProgram = textProgram(static: true)
    /// The same, with UIKit in a library.
    static let dynamicTextProgram = textProgram(static: false)

    private static func textProgram(static isStatic: Bool) -> [UInt8] {
        let kit = """
            open class UIView { public init() {} }
            open class UITextField: UIView {}
            open class UITextView: UIView {}
            open class UILabel: UIView {}
            public final class UIAlertController { public var fields: [UITextField] = []; public init() {} }
            """
        let share = """
            import UIKit
            final class Share { let label = UILabel(); let field: UITextField? = nil }
            final class Editor: UITextView {}
            @main struct Main { static func main() { print(Share(), Editor(), UIAlertController()) } }
            """
        let library = isStatic ? "-c -o UIKit.o" : "-emit-library -o libUIKit.so"
        let build = """
            printf '%s' '\(kit)' > UIKit.swift
            swiftc -parse-as-library -module-name UIKit -emit-module \(library) UIKit.swift
            swiftc -parse-as-library -module-name Share -I. \(isStatic ? "UIKit.o" : "-L. -lUIKit") -o built source.swift
            """
        return (try? made("sh", "source.swift", share, ["-e", "-c", build], [:])) ?? []
    }

    private static func compile(_ source: String, _ arguments: [String] = []) -> [UInt8] {
        let words = ["-module-name", "Share", "-o", "built", "source.swift"] + arguments
        return (try? made("swiftc", "source.swift", source, words, [:])) ?? []
    }

    private static let calling = "int greet(void);\nint main(void) { return greet(); }"
    private static let runPath = ["-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN/../../Frameworks"]

    private static func link(_ source: String, _ arguments: [String], needing libraries: [String: [UInt8]] = [:])
        -> [UInt8]
    {
        (try? made("clang", "source.c", source, ["-fPIC", "-w", "-o", "built", "source.c"] + arguments, libraries))
            ?? []
    }

    private static func made(
        _ program: String, _ file: String, _ source: String, _ arguments: [String], _ libraries: [String: [UInt8]]
    ) throws -> [UInt8] {
        let folder = try TemporaryDirectory(prefix: "exthost-built")
        defer { try? folder.remove() }
        try Data(source.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(file)"))
        var words = arguments
        // Linked under the name it is to be needed by, whatever it calls itself.
        for (name, bytes) in libraries {
            let stub =
                name == "libgreet.so.1" || name == "libouter.so"
                ? bytes : link("int greet(void) { return 7; }", ["-shared", "-Wl,-soname,\(name)"])
            try Data(stub).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            words.append(name)
        }
        _ = try Program.status(of: "/usr/bin/env", [program] + words, in: folder.path)
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/built")))
    }
}
