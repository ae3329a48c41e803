// Bundle+Preflight: the check of a framework before it is loaded. Apple's `preflight()` is in Foundation; this addition
// is a module of its own, so that only its users build the reader of ELF files.

import CLoading
import ELF
import ExtensionWire
public import Foundation

extension Bundle {
    /// Checks whether this process can load the bundle's library, and loads nothing.
    ///
    /// `preflight()` of Foundation for Linux answers an error for every bundle. This method reads the file, and those
    /// of the libraries that it needs. It may be called on any thread. It is an addition of exthost's.
    ///
    /// - Throws: `ExtensionHostError` with the code `notSimulated` in a fully static program, which can load nothing.
    ///   Otherwise a `CocoaError` with the code `executableNotLoadable` for a file that is no library,
    ///   `executableArchitectureMismatch` for a library of another machine, `executableLink` for missing libraries,
    ///   which the description names, or `executableRuntimeMismatch` for a Swift library in a program with a Swift
    ///   runtime of its own. The recovery suggestion says what to do.
    public func preflightFramework() throws {
        guard let path = executablePath else {
            throw failure(
                .executableNotLoadable, bundlePath, "it names no library, or the library does not exist",
                "Name the library under CFBundleExecutable, and put it beside Info.plist or into Contents/Linux")
        }
        guard !exthost_is_fully_static() else {
            throw ExtensionHostError(
                .notSimulated, "\(path) cannot be loaded: this program is fully static, and dlopen would end it",
                remedy: "Make the bundle with exthostctl bundle --dynamic")
        }
        let runtime: SwiftRuntime
        do {
            runtime = try examine(path)
        } catch let error as ELFDamage {
            throw failure(.executableNotLoadable, path, "the loader rejects it: \(error)", "Link it again")
        }
        let missing = LibrarySearch.missing(for: path)
        guard missing.isEmpty else {
            throw failure(
                .executableLink, path, "it needs \(missing.joined(separator: ", ")), which was not found",
                "Put the library beside it, and link it with the run path $ORIGIN/..; or install the library")
        }
        // Of two runtimes each knows only its own classes.
        let isShared = !exthost_has_own_swift_runtime()
        guard runtime == .none || runtime == .shared && isShared else {
            throw failure(
                .executableRuntimeMismatch, path,
                "it brings a second Swift runtime into this process, so no Swift class of it would be found",
                "Make the bundle with exthostctl bundle --dynamic")
        }
    }

    /// Checks a library's own file, and returns the Swift runtime that it uses.
    private func examine(_ path: String) throws -> SwiftRuntime {
        let file = try ELFFile(path)
        guard file.isOfThisMachine else {
            throw failure(
                .executableArchitectureMismatch, path,
                "it is for \(file.header.machineName), \(file.header.is64Bit ? 64 : 32) bits",
                "Build it for \(ELFHeader.ofThisMachine.machineName)")
        }
        let links = try ELFLinks(file)
        guard file.header.isProgram, !links.isProgram else {
            throw failure(
                .executableNotLoadable, path, "it is an object file or a program, not a shared library",
                "Link it as a library: a product of type .dynamic")
        }
        return SwiftRuntime(of: file, links)
    }

    private func failure(_ code: CocoaError.Code, _ path: String, _ cause: String, _ remedy: String) -> CocoaError {
        CocoaError(
            code,
            userInfo: [
                NSFilePathErrorKey: path, NSLocalizedDescriptionKey: "\(path) cannot be loaded: \(cause)",
                NSLocalizedRecoverySuggestionErrorKey: remedy,
            ])
    }
}
