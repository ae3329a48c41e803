// BundleReader: the reader of an .appex folder into an ExtensionBundle; a bad bundle says why and disables only itself.

import ExtensionProtocol
import Glibc
import LinuxSystem

/// The reader of bundles. Every name and value in a bundle is hostile until checked.
///
/// It reads files, so it never runs on the loop.
package enum BundleReader {
    static func read(_ path: String, containingApp: ContainingApp?) -> ExtensionBundle {
        var files = BundleFiles()
        return read(path, containingApp: containingApp, files: &files).bundle
    }

    /// Returns the bundle, with the stamps of its files from before they were read.
    static func read(
        _ path: String, containingApp: ContainingApp?, files: inout BundleFiles
    ) -> (bundle: ExtensionBundle, stamp: BundleStamp) {
        var stamp = BundleStamp()
        var programs = ""
        var information: BundleInformation
        if let (bytes, found) = try? files.read(path, "/Info.plist", maximumSize: BundleInformation.fileLimit) {
            // Nearly all bundles are flat and readable.
            stamp.information = found
            information = BundleInformation(file: bytes)
        } else {
            let layout = BundleLayout(of: path)
            programs = layout.programs
            stamp.information = FileStamp(of: layout.information)
            do {
                information = BundleInformation(
                    file: try readFile(layout.information, maximumSize: BundleInformation.fileLimit))
            } catch {
                information = BundleInformation(
                    problem: "Info.plist cannot be read: \(error). Put a readable one at \(layout.information)")
            }
        }
        if let containingApp { information.check(against: containingApp) }
        var problems = information.problems
        var executable: String?
        if let name = information.executable {
            executable = "\(path)/\(programs)\(name)"
            if programs.isEmpty, let found = files.program(path, name) {
                stamp.executable = found
            } else if let problem = problem(ofProgram: programs + name, name, in: path) {
                problems.append(problem)
            } else if let executable {
                stamp.executable = FileStamp(of: executable)
            }
        }
        if !problems.isEmpty { (executable, stamp.executable) = (nil, FileStamp()) }
        let version = information.version ?? "0"
        let bundle = ExtensionBundle(
            identifier: information.identifier ?? path, version: version,
            shortVersion: information.shortVersion ?? version,
            displayName: information.displayName ?? information.name ?? information.identifier,
            shortName: information.name, point: information.declaration.point ?? "",
            principalClass: information.declaration.principalClass, executable: executable, path: path,
            containingApp: containingApp?.path, parentName: containingApp?.displayName, problems: problems,
            warnings: information.warnings, information.kept,
            appTypeDeclarations: containingApp?.typeDeclarations ?? [])
        if problems.isEmpty {
            bundle.setOffer(
                nil,
                from: OfferSource(
                    rule: information.declaration.activationRule,
                    types: (containingApp?.types ?? []) + information.types))
        }
        return (bundle, stamp)
    }

    /// Returns what is wrong with the program at this place inside the bundle, or nil if it can be run.
    ///
    /// It works on descriptors, so the file that it checks is the one in the bundle, whatever links there are.
    package static func problem(ofProgram place: String, _ name: String, in bundle: String) -> String? {
        do throws(SystemError) {
            return problem(ofProgram: place, name, in: try ViewFile(bundle))
        } catch {
            return "the bundle cannot be opened: \(error). Check the rights of \(bundle)"
        }
    }

    static func problem(ofProgram place: String, _ name: String, in bundle: ViewFile) -> String? {
        do throws(SystemError) {
            let facts = try bundle.file(place).facts
            guard facts.isRegularFile else {
                return
                    "the executable \(name) is not a regular file. Put the program itself into the bundle, not a link"
            }
            guard facts.isExecutable else {
                return "the executable \(name) is not executable. Set its mode with chmod +x"
            }
            // The check is by path, because the modes of the folders on the way count as well. It serves the message
            // only: the kernel decides at the launch.
            guard access("\(bundle.path)/\(place)", X_OK) != 0 else { return nil }
            // access(2) also fails on a mount without execution.
            if (try? FileSystemFacts(of: bundle.path))?.forbidsExecution == true {
                return
                    "the executable \(name) is on a file system that is mounted with noexec. Mount it with exec, or put the app elsewhere"
            }
            return
                "the executable \(name) is not executable by user \(getuid()). Set the modes of the folders on its path with chmod +x"
        } catch {
            return switch error.code {
            case ENOENT, ENOTDIR:
                "the executable \(name) is missing. Build it into \(bundle.path)/\(place.dropLast(name.count))"
            case ELOOP, EXDEV:
                "the executable \(name) is not a regular file. Put the program itself into the bundle, not a link"
            default: "the executable \(name) is not accessible: \(error). Check the rights of \(bundle.path)"
            }
        }
    }
}

/// The layout of a bundle: flat (iOS), or under `Contents` (macOS), which is accepted for reading.
package struct BundleLayout {
    /// The path of its `Info.plist`.
    package let information: String
    /// The folder of the programs inside the bundle: empty, or with a slash at its end.
    package let programs: String

    package var hasContents: Bool { !programs.isEmpty }

    package init(of path: String) {
        var status = stat()
        if stat(path + "/Info.plist", &status) != 0, stat(path + "/Contents/Info.plist", &status) == 0 {
            (information, programs) = (path + "/Contents/Info.plist", "Contents/MacOS/")
        } else {
            (information, programs) = (path + "/Info.plist", "")
        }
    }
}
