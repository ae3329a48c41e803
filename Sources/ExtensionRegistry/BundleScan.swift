// BundleScan: one walk through the application folders; what is known already is not read again.

import Glibc
import LinuxSystem

/// What the last walk knew of a bundle.
struct IndexedBundle: Sendable {
    var bundle: ExtensionBundle
    var stamp: BundleStamp
    /// Whether the same stamp will mean the same bundle. Never of one with faults: they may lie outside of what the stamp covers.
    var isTrusted: Bool
}

/// A walk. Reads files, so never on the loop.
package struct BundleScan {
    struct Found {
        var path: String
        var entry: IndexedBundle
    }

    /// Bundles beyond this many are not looked at, nor those whose plists would take more memory than this.
    static let bundlesLimit = 20_000
    private static let memoryLimit = 64 << 20
    /// Entries of one folder beyond this many are not looked at: no folder of applications is that full.
    private static let entriesLimit = 100_000

    /// In the order of the search.
    private(set) var found: [Found] = []
    /// The folders whose changes count, where `watching`.
    private(set) var watched: [String: WatchScope] = [:]
    /// What was left out, for the log.
    private(set) var leftOut: String?

    private let index: [String: RegistryStore.Entry]
    private let isWatching: Bool
    private var memory = 0
    /// Parts of ways to places that are watched.
    private var places: Set<String> = []
    /// The links that lead to what is watched, each by the path by which it was met.
    private(set) var links: Set<String> = []

    /// - Parameters:
    ///   - folders: searched, in order.
    ///   - added: apps and bundles by path, wherever they lie; found after the others, and once only.
    init(_ folders: [String], added: [String] = [], index: [String: RegistryStore.Entry] = [:], watching: Bool = false) {
        self.index = index
        isWatching = watching
        for folder in folders.map(Self.trimmed) {
            if watching { watchPlace(folder) }
            if folder.hasSuffix(".app") {
                scan(application: folder)
            } else {
                if watching { watch(folder, .names) }
                for application in entries(of: folder, ending: ".app") { scan(application: application) }
            }
        }
        guard !added.isEmpty else { return }
        let known = Set(found.map(\.path))
        for path in added {
            if watching { watchPlace(path) }
            let before = found.count
            if path.hasSuffix(".appex") { scan(single: path) } else { scan(application: path) }
            let news = found[before...].filter { !known.contains($0.path) }
            found.replaceSubrange(before..., with: news)
            if before == found.count, FileStamp(of: path).exists == false { add(gone: path) }
        }
    }

    private static func trimmed(_ folder: String) -> String {
        folder.count > 1 && folder.hasSuffix("/") ? trimmed(String(folder.dropLast())) : folder
    }

    // MARK: Bundles

    private mutating func scan(application path: String) {
        var information = path + "/Info.plist"
        var plugIns = path + "/PlugIns"
        var stamp = FileStamp(of: information)
        if isWatching {
            // One that is a link may lead through others.
            if Self.target(of: path) != nil { watchPlace(path) }
            watch(path, .contents)
        }
        if !stamp.exists {
            let inner = FileStamp(of: path + "/Contents/Info.plist")
            if inner.exists {
                (information, plugIns, stamp) = (path + "/Contents/Info.plist", path + "/Contents/PlugIns", inner)
                if isWatching { watch(path + "/Contents", .contents) }
            }
        }
        if isWatching { watch(plugIns, .names) }
        var app: ContainingApp?
        for bundle in entries(of: plugIns, ending: ".appex") {
            add(bundle, appStamp: stamp) {
                if let app { return app }
                let bytes = try? readFile(information, maximumSize: BundleInformation.fileLimit)
                let read = bytes.map { ContainingApp(path: path, file: $0) } ?? ContainingApp(path: path)
                app = read
                return read
            }
        }
    }

    /// An `.appex` by its own path: in the `PlugIns` of an app, or in no app at all.
    private mutating func scan(single path: String) {
        guard FileStamp(of: path).exists else { return }
        guard let application = Self.application(around: path) else { return add(path, appStamp: FileStamp()) { nil } }
        let information = BundleLayout(of: application).information
        if isWatching { watch(information.folder, .contents) }
        add(path, appStamp: FileStamp(of: information)) {
            let bytes = try? readFile(information, maximumSize: BundleInformation.fileLimit)
            return bytes.map { ContainingApp(path: application, file: $0) } ?? ContainingApp(path: application)
        }
    }

    /// The `.app` that has this bundle in its `PlugIns`.
    package static func application(around bundle: String) -> String? {
        let folder = bundle.folder
        guard folder.hasSuffix("/PlugIns") else { return nil }
        let outer = folder.folder
        if outer.hasSuffix(".app") { return outer }
        return outer.hasSuffix(".app/Contents") ? outer.folder : nil
    }

    private mutating func add(_ path: String, appStamp: FileStamp, app: () -> ContainingApp?) {
        guard found.count < Self.bundlesLimit else {
            leftOut = "more than \(Self.bundlesLimit) bundles: \(path) and what follows were left out"
            return
        }
        var entry = known(path, appStamp) ?? read(path, appStamp, app)
        if memory + entry.bundle.information.count + entry.bundle.appTypeDeclarations.count > Self.memoryLimit {
            entry.bundle.problems.append(
                "the Info.plists of all bundles take more than \(Self.memoryLimit >> 20) MiB. Make them smaller, or remove some")
            entry.bundle.executable = nil
            entry.bundle.information = []
            entry.bundle.appTypeDeclarations = []
            entry.isTrusted = false
        }
        memory += entry.bundle.information.count + entry.bundle.appTypeDeclarations.count
        found.append(Found(path: path, entry: entry))
        guard isWatching else { return }
        watch(path, .contents)
        let hasContents = entry.bundle.executable.map { isInContents($0, of: path) } ?? BundleLayout(of: path).hasContents
        if hasContents {
            watch(path + "/Contents", .contents)
            watch(path + "/Contents/MacOS", .contents)
        }
    }

    private func known(_ path: String, _ appStamp: FileStamp) -> IndexedBundle? {
        guard let entry = index[path]?.indexed, entry.isTrusted, entry.stamp.app == appStamp,
            let executable = entry.bundle.executable
        else {
            return nil
        }
        var information = path + "/Info.plist"
        if isInContents(executable, of: path) {
            if FileStamp(of: information).exists { return nil }
            information = path + "/Contents/Info.plist"
        }
        guard FileStamp(of: information) == entry.stamp.information, FileStamp(of: executable) == entry.stamp.executable else {
            return nil
        }
        return entry
    }

    private func isInContents(_ executable: String, of path: String) -> Bool {
        executable.utf8.dropFirst(path.utf8.count).starts(with: "/Contents/".utf8)
    }

    private func read(_ path: String, _ appStamp: FileStamp, _ app: () -> ContainingApp?) -> IndexedBundle {
        // Before the files are read: what changes meanwhile has another stamp next time.
        let layout = BundleLayout(of: path)
        var stamp = BundleStamp(app: appStamp, information: FileStamp(of: layout.information))
        let now = Self.wallClock
        let bundle = BundleReader.read(path, containingApp: app())
        if let executable = bundle.executable { stamp.executable = FileStamp(of: executable) }
        return IndexedBundle(bundle: bundle, stamp: stamp, isTrusted: bundle.problems.isEmpty && stamp.isSettled(at: now))
    }

    private mutating func add(gone path: String) {
        let bundle = ExtensionBundle(
            identifier: path, point: "", executable: nil, path: path,
            problems: ["it was added by its path, and is there no more. Put it back, or forget it with exthostctl remove \(path)"]
        )
        found.append(Found(path: path, entry: IndexedBundle(bundle: bundle, stamp: BundleStamp(), isTrusted: false)))
    }

    private func entries(of folder: String, ending suffix: String) -> [String] {
        let names = (try? listDirectory(folder, maximumCount: Self.entriesLimit)) ?? []
        return names.filter { $0.hasSuffix(suffix) && $0.utf8.count > suffix.utf8.count }.map { "\(folder)/\($0)" }
    }

    // MARK: Folders to watch

    private mutating func watch(_ folder: String, _ scope: WatchScope) {
        watched[folder] = watched[folder].map { $0.joined(with: scope) } ?? scope
    }

    /// Links on the way to places that are followed at the most, as many as the kernel takes for one path (path_resolution(7)), times
    /// some places.
    private static let linksLimit = 40 * 16

    /// The way to a place that is searched: it may come, any part of it may be moved away, and one that is a link may be led elsewhere.
    private mutating func watchPlace(_ path: String) {
        var part = path
        // What is above a part that was seen has been seen.
        while part.count > 1, places.insert(part).inserted {
            let above = part.folder
            var status = stat()
            let isThere = lstat(part, &status) == 0
            let isLink = isThere && status.st_mode & S_IFMT == S_IFLNK
            watch(above, isThere && !isLink ? .itself : .awaiting([part.lastPart]))
            if isLink, links.count < Self.linksLimit, let target = Self.target(of: part) {
                links.insert(part)
                watchPlace(
                    target.hasPrefix("/") ? Self.trimmed(target) : (above == "/" ? "/" : "\(above)/") + Self.trimmed(target))
            }
            part = above
        }
    }

    /// What a link says.
    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            readlink(link, buffer.assumingMemoryBound(to: CChar.self).baseAddress!, buffer.count)
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Nanoseconds since 1970.
    static var wallClock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension String {
    /// The path of the folder that this absolute path lies in.
    var folder: String {
        guard let slash = lastIndex(of: "/"), slash != startIndex else { return "/" }
        return String(self[..<slash])
    }

    var lastPart: String { split(separator: "/").last.map(String.init) ?? self }
}

extension ExtensionRegistry {
    /// Looks through the folders, in order, with nothing elected and nothing known from before. A folder that does not exist
    /// holds nothing. Reads files: not for the loop.
    public static func scan(_ folders: [String]) -> ExtensionRegistry {
        let found = BundleScan(folders).found
        // The first folder searched counts as the last registered, so that of equal copies its own is used.
        let copies = found.reversed().enumerated().map { order, found in
            RegisteredCopy(bundle: found.entry.bundle, uuid: "", registered: order)
        }
        return ExtensionRegistry(copies: copies)
    }
}
