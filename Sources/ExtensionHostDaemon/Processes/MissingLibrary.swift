// MissingLibrary: the library without which the loader did not start a program; pure.

import Glibc
import LinuxSystem

enum MissingLibrary {
    /// The loader's own words and exit status (ld.so(8), `fatal_error` of glibc).
    private static let words = Array(": error while loading shared libraries: ".utf8)
    private static let status = ExitStatus.exited(127)

    /// Returns the error of a program that the loader ended before `main`; nil for any other end.
    ///
    /// A program can write such a line itself, as its last. Then it has only its own cause wrong.
    ///
    /// - Parameter tail: the last bytes that the program wrote to standard error.
    static func error(_ ending: ExitStatus, _ tail: [UInt8]) -> SystemError? {
        // An earlier line is that of another program, after which this one went on.
        let end = tail.lastIndex { $0 != UInt8(ascii: "\n") }.map { $0 + 1 } ?? 0
        let line = tail[..<end].split(separator: UInt8(ascii: "\n")).last ?? []
        guard ending == status, let start = line.firstRange(of: words)?.upperBound else { return nil }
        // The name is followed by the reason.
        let name = line[start...].prefix { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        guard !name.isEmpty else { return nil }
        return SystemError("loading \(String(decoding: name.prefix(256), as: UTF8.self))", code: ELIBACC)
    }
}
