// FileLint: the checks of every file of a bundle: its mode, its place, and its entitlements.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

/// A scan of one bundle, bounded in count and depth. It follows no link.
struct FileLint {
    static let entriesLimit = 20_000
    static let depthLimit = 32

    /// The app or the extension that is scanned.
    private let bundle: String
    /// The bundle's real path, to which link targets are compared.
    private let root: String
    private let isApplication: Bool
    private var count = 0

    static func check(_ bundle: String, isApplication: Bool, _ report: inout LintReport) {
        var walk = FileLint(bundle, isApplication)
        walk.checkMode(of: "", bundle, &report)
        walk.folder("", depth: 0, &report)
        if walk.count > entriesLimit {
            report.add(
                .filesUnread, bundle, "more than \(entriesLimit) files: lint did not check the others",
                remedy: "Pack them into fewer files")
        }
    }

    private init(_ bundle: String, _ isApplication: Bool) {
        self.bundle = bundle
        self.isApplication = isApplication
        root = realPath(bundle) ?? bundle
    }

    /// Scans a folder. `inside` is its path in the bundle: empty, or with a slash at its end.
    private mutating func folder(_ inside: String, depth: Int, _ report: inout LintReport) {
        let path = inside.isEmpty ? bundle : "\(bundle)/\(inside.dropLast())"
        let names: [String]
        do {
            names = try listDirectory(path, maximumCount: Self.entriesLimit)
        } catch {
            report.add(
                .filesUnread, path, "the folder cannot be read, and was not checked: \(error)",
                remedy: "Make it readable and smaller")
            return
        }
        for name in names {
            count += 1
            guard count <= Self.entriesLimit else { return }
            entry(inside, name, depth: depth, &report)
        }
    }

    private mutating func entry(_ inside: String, _ name: String, depth: Int, _ report: inout LintReport) {
        let path = "\(bundle)/\(inside)\(name)"
        guard let type = checkMode(of: inside + name, path, &report) else { return }
        switch type {
        case S_IFLNK:
            // A dangling link does not lead out of the bundle.
            guard let target = realPath(path), target != root, !target.hasPrefix(root + "/") else { return }
            report.add(
                .linkLeadsOut, path, "the link leads out of the bundle, to \(target.cut(toBytes: 128))",
                remedy: "Copy its target into the bundle")
        case S_IFDIR:
            if isApplication, name.hasSuffix(".appex") {
                guard inside != "PlugIns/", inside != "Contents/PlugIns/" else { return }
                report.add(
                    .extensionOutsidePlugIns, path, "the daemon does not find an extension outside PlugIns",
                    remedy: "Move it into the app's folder PlugIns")
                return
            }
            guard depth < Self.depthLimit else {
                report.add(
                    .filesUnread, path, "more than \(Self.depthLimit) nested folders: lint did not check this one",
                    remedy: "Nest fewer folders")
                return
            }
            folder("\(inside)\(name)/", depth: depth + 1, &report)
        case S_IFREG:
            if (name.hasSuffix(".so") || name.contains(".so.")) && !isInFrameworks(inside) {
                report.add(
                    .libraryOutsideFrameworks, path, "a library is outside the folder Frameworks",
                    remedy: isApplication
                        ? "Move it into Frameworks; the app's run path is $ORIGIN/Frameworks, an extension's $ORIGIN/../../Frameworks"
                        : "Move it into Frameworks, and link the program with the run path $ORIGIN/Frameworks")
            }
            if (inside.isEmpty || inside == "Contents/")
                && (name == Entitlements.fileName || name.hasSuffix(".entitlements") || name.hasSuffix(".xcent"))
            {
                EntitlementsLint.check(path, &report)
            }
        default: break
        }
    }

    private func isInFrameworks(_ inside: String) -> Bool {
        inside.hasPrefix("Frameworks/") || inside.hasPrefix("Contents/Frameworks/")
    }

    /// Checks the mode of a file, and returns its kind; nil if it is gone.
    @discardableResult
    private func checkMode(of inside: String, _ path: String, _ report: inout LintReport) -> mode_t? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let type = status.st_mode & S_IFMT
        // A link's own mode has no effect (symlink(7)).
        if type != S_IFLNK, status.st_mode & 0o002 != 0 {
            report.add(
                .worldWritable, path, "every user can change it", remedy: "Remove the right: chmod o-w")
        }
        if type == S_IFREG, status.st_mode & 0o6000 != 0, status.st_mode & 0o111 != 0 {
            report.add(
                .setUserProgram, path, "the program runs with its owner's rights, not with its user's",
                remedy: "Remove the bits: chmod ug-s")
        }
        return type
    }
}

enum EntitlementsLint {
    private static let groups = Entitlements.groupsKey
    private static let sandbox = "com.apple.security."
    /// The entitlements that have an effect. The sandbox is among them, because every extension is confined anyway.
    private static let withEffect: Set<String> = [
        groups, Entitlements.clientKey, Entitlements.serverKey, "com.apple.security.app-sandbox",
    ]

    static func check(_ path: String, _ report: inout LintReport) {
        let bytes: [UInt8]
        let dictionary: PropertyListDictionary
        do {
            bytes = try readFile(path, maximumSize: PropertyListLimits.packet.bytes, followingLinks: false)
            guard let read = try PropertyList(file: bytes, limits: .packet, form: .authored).dictionary else {
                return report.add(
                    .entitlementsUnreadable, path, "its root is no dictionary", remedy: "Make its root a <dict>")
            }
            dictionary = read
        } catch let error as PropertyListError {
            var line: Int?
            if case .line(let number, _) = error.place { line = number }
            return report.add(
                .entitlementsUnreadable, path, line: line, "the entitlements cannot be read: \(error)",
                remedy: "Correct the file there")
        } catch {
            return report.add(
                .entitlementsUnreadable, path, "the entitlements cannot be read: \(error)",
                remedy: "Make it a readable file of at most \(PropertyListLimits.packet.bytes) bytes")
        }
        let lines = bytes.starts(with: "bplist".utf8) ? nil : KeyLines(bytes)
        report.addRepeated(in: path, PropertyList.repeatedKeys(inFile: bytes, limits: .packet))
        for (key, _) in dictionary where key.hasPrefix(Self.sandbox) && !withEffect.contains(key) {
            report.add(
                .entitlementWithoutEffect, path, key: key, line: lines?.line(key),
                "\(key.cut(toBytes: 64)) is not simulated: the extension gets no access by it",
                remedy: "Remove it; docs/confinement.md lists what an extension may access")
        }
        guard let value = dictionary[groups] else { return }
        let line = lines?.line(groups)
        guard let list = value.array, list.allSatisfy({ $0.string?.isEmpty == false }) else {
            return report.add(
                .groupsNotList, path, key: groups, line: line, "the app groups are not a list of texts",
                remedy: "Write <array><string>group.org.example</string></array>")
        }
        for group in list.compactMap(\.string) {
            do throws(GroupIdentifierFault) {
                guard try !GroupIdentifier(group).hasGroupPrefix else { continue }
                report.add(
                    .groupWithoutPrefix, path, key: groups, line: line,
                    "“\(group.cut(toBytes: 64))” is an app group on the Mac only: on iOS the name begins with “group.”",
                    remedy: "Name it like group.org.example, unless it is for the Mac")
            } catch .wildcard {
                report.add(
                    .groupWildcard, path, key: groups, line: line,
                    "the app group “\(group.cut(toBytes: 64))” has a wildcard",
                    remedy: "Name each group in full")
            } catch {
                report.add(
                    .groupInvalid, path, key: groups, line: line, "“\(group.cut(toBytes: 64))” is invalid: \(error)",
                    remedy: "Name it like group.org.example")
            }
        }
    }

    /// Reports the groups that are named after another vendor than the bundle's.
    static func check(groupsOf path: String, identifier: String, _ report: inout LintReport) {
        let vendor = VendorPrefix(identifier: identifier)
        let file = GroupEntitlements.file(of: path)
        for group in GroupEntitlements.read(path).groups.sorted() {
            guard let owner = VendorPrefix(group: group), owner != vendor else { continue }
            let bytes = (try? readFile(file, maximumSize: Entitlements.limits.bytes, followingLinks: false)) ?? []
            report.add(
                .groupOfAnotherVendor, file, key: groups,
                line: bytes.starts(with: "bplist".utf8) ? nil : KeyLines(bytes).line(groups),
                "the app group \(group) is named after \(owner), and the bundle belongs to \(vendor)",
                remedy: "Name it group.\(vendor).NAME, or ask the operator to share the group between both vendors")
        }
    }

    /// Reports the groups that the extension requests but its app does not hold: it gets none of them.
    static func check(extension path: String, in app: String, _ report: inout LintReport) {
        let own = GroupEntitlements.read(path)
        let missing = own.groups.subtracting(GroupEntitlements.read(app).groups)
        guard !missing.isEmpty else { return }
        let file = GroupEntitlements.file(of: path)
        let bytes = (try? readFile(file, maximumSize: Entitlements.limits.bytes, followingLinks: false)) ?? []
        let line = bytes.starts(with: "bplist".utf8) ? nil : KeyLines(bytes).line(groups)
        for group in missing.sorted() {
            report.add(
                .groupNotHeldByApp, file, key: groups, line: line,
                "the app around the extension does not have the app group \(group)",
                remedy: "Also name it in \(app)/\(Entitlements.fileName)")
        }
    }
}

/// Returns a path without links; nil if nothing is there.
func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
}
