// ProgramLint: the checks that the program named by a bundle can run on this machine.

import ELF
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The checks of `CFBundleExecutable` and of the file that it names. They read the file's first bytes.
struct ProgramLint {
    private static let key = "CFBundleExecutable"

    let bundle: String
    let layout: BundleLayout
    let information: InformationFile

    /// Checks the program, and returns its path; nil if there is none, and for a script.
    func check(_ report: inout LintReport) -> String? {
        let name: String
        switch information.text(Self.key, &report) {
        case .absent:
            fault(
                &report, .executableMissing, "Info.plist has no \(Self.key)", remedy: "Name the program in the bundle")
            return nil
        case .refused: return nil
        case .text(let text): name = text
        }
        guard !name.contains("/"), !name.contains("\0"), name != ".", name != ".." else {
            fault(
                &report, .executableHasFolders, "\(Self.key) must be a file name, without folders",
                remedy: "Write the program's name, and put the program into \(bundle)/\(layout.programs)")
            return nil
        }
        let place = layout.programs + name
        do throws(SystemError) {
            let facts = try facts(of: try openBeneath(bundle, place))
            // If the last part is a link, the link itself is opened.
            guard facts.mode & S_IFMT != S_IFLNK else { throw SystemError("openat", code: ELOOP) }
            guard facts.isRegularFile else {
                fault(
                    &report, .executableNotRegular, "the program \(name) is no regular file",
                    remedy: "Put the program itself into the bundle")
                return nil
            }
            if !facts.isExecutable {
                fault(
                    &report, .executableNotExecutable, "the program \(name) is not executable",
                    remedy: "Set its mode: chmod +x \(bundle)/\(place)")
            } else if access("\(bundle)/\(place)", X_OK) != 0 {
                // access(2) also fails on a mount without execution.
                if let mount = try? FileSystemFacts(of: bundle), mount.forbidsExecution {
                    fault(
                        &report, .executableNotExecutable,
                        "the program \(name) is on \(mount.mountPoint), which is mounted with noexec",
                        remedy:
                            "Mount it with exec (mount -o remount,exec \(mount.mountPoint)), or put the app elsewhere")
                } else {
                    fault(
                        &report, .executableNotExecutable, "the program \(name) is not executable by user \(getuid())",
                        remedy: "Set the modes of the folders on its path with chmod +x")
                }
            }
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR:
                fault(
                    &report, .executableFileMissing, "there is no program \(name)",
                    remedy: "Build it into \(bundle)/\(layout.programs)")
            case ELOOP, EXDEV:
                fault(
                    &report, .executableIsLink, "the path of the program \(name) has a symbolic link",
                    remedy: "Copy the program itself into the bundle")
            default:
                fault(
                    &report, .executableFileMissing, "the program \(name) is not accessible: \(error)",
                    remedy: "Check the rights of \(bundle)")
            }
            return nil
        }
        return checkContents("\(bundle)/\(place)", &report) ? "\(bundle)/\(place)" : nil
    }

    private func fault(_ report: inout LintReport, _ code: LintCode, _ message: String, remedy: String) {
        information.report(&report, code, Self.key, message, remedy: remedy)
    }

    private func checkContents(_ path: String, _ report: inout LintReport) -> Bool {
        // The buffer holds the longest first line that the kernel reads (execve(2)).
        var start = [UInt8](repeating: 0, count: 256)
        do {
            let descriptor = try openForReading(path)
            let count = try start.withUnsafeMutableBytes { (memory) throws(SystemError) in
                try readFile(descriptor.raw, into: memory)
            }
            start.removeLast(start.count - count)
        } catch {
            // A program may be executable without being readable; then its format is unknown.
            return false
        }
        if start.starts(with: "#!".utf8) {
            checkScript(path, start, &report)
            return false
        }
        guard let header = ELFHeader(start) else {
            report.add(
                .executableUnknownFormat, path, "it is neither an ELF program nor a script",
                remedy: "Build it for this machine, or begin a script with #! and its interpreter")
            return false
        }
        let own = ELFHeader.ofThisMachine
        if header.machine != own.machine || header.isLittleEndian != own.isLittleEndian {
            report.add(
                .executableWrongMachine, path,
                "it is for \(header.machineName), and this machine is \(own.machineName)",
                remedy: "Build it for \(own.machineName)")
        } else if header.is64Bit != own.is64Bit {
            report.add(
                .executableWrongClass, path,
                "it is a program of \(header.is64Bit ? 64 : 32) bits, and this machine's have \(own.is64Bit ? 64 : 32)",
                remedy: "Build it for \(own.is64Bit ? 64 : 32) bits")
        } else if !header.isProgram {
            report.add(
                .executableNotProgram, path, "it is an object file or a core dump, not a program",
                remedy: "Link it into a program")
        }
        return true
    }

    private func checkScript(_ path: String, _ start: [UInt8], _ report: inout LintReport) {
        let line = start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }
        let interpreter = words.first.map(String.init) ?? ""
        var status = stat()
        guard interpreter.hasPrefix("/"), stat(interpreter, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            access(interpreter, X_OK) == 0
        else {
            let named = interpreter.isEmpty ? "none" : "“\(interpreter.cut(toBytes: 64))”"
            report.add(
                .scriptInterpreterMissing, path, line: 1,
                "its first line names the interpreter \(named), which cannot be executed",
                remedy:
                    "Write the whole path of an existing interpreter, such as #!/usr/bin/env python3, with LF line ends"
            )
            return
        }
    }
}
