// BundleScan: one walk through the application folders; what is known already is not read again.

import Glibc
import LinuxSystem

/// A walk. Reads files, so never on the loop.
package struct BundleScan {
    struct Found {
        let path: String
        /// What the index knows of the path.
        let known: BundleIndex.Entry?
        /// What was read; nil where that is what the index knows.
        let news: News?
        /// The place of its folder among the listings; nil of one that was not found by listing.
        let listing: Int?
    }

    /// A bundle that was read.
    struct News {
        var bundle: ExtensionBundle
        var stamp: BundleStamp
        /// Whether the same stamp will mean the same bundle.
        var isTrusted: Bool
    }

    /// Bundles beyond this many are not looked at, nor those whose plists would take more memory than this.
    static let bundlesLimit = 20_000
    private static let memoryLimit = 64 << 20
    /// Entries of one folder beyond this many are not looked at: no folder of applications is that full.
    private static let entriesLimit = 100_000

    /// In the order of the search.
    private(set) var found: [Found] = []
    /// How the folders of bundles were.
    private(set) var listings: [FolderListing] = []
    /// The folders whose changes count, where `watching`.
    private(set) var watched: [String: WatchScope] = [:]
    /// What was left out, for the log.
    private(set) var leftOut: String?

    private let index: BundleIndex
    /// The place in the index where the next bundle is looked for first.
    private var cursor = 0
    private let isWatching: Bool
    private let isQuick: Bool
    private var memory = 0
    /// Parts of ways to places that are watched.
    private var places: Set<String> = []
    /// The links that lead to what is watched, each by the path by which it was met.
    private(set) var links: Set<String> = []

    /// The folder whose applications are looked at: files are looked for from there, which is a shorter way for the kernel.
    private var base: (descriptor: SharedDescriptor, length: Int)?
    /// A path for the kernel, used again and again.
    private var buffer: [CChar] = []

    /// - Parameters:
    ///   - folders: searched, in order.
    ///   - added: apps and bundles by path, wherever they lie; found after the others, and once only.
    ///   - quick: what a start can do without is left to the walk that comes after it: a folder of bundles that looks as it did when it
    ///     was listed is not listed again, and a known program is not looked at; each is looked at before it is launched, anyway.
    init(
        _ folders: [String], added: [String] = [], index: BundleIndex = BundleIndex(), quick: Bool = false,
        watching: Bool = false
    ) {
        self.index = index
        isQuick = quick
        isWatching = watching
        found.reserveCapacity(index.entries.count)
        for path in folders.map(Self.trimmed) {
            if watching { watchPlace(path) }
            if path.hasSuffix(".app") {
                scan(application: path)
            } else {
                if watching { watch(path, .names) }
                let applications = entries(of: path, ending: ".app")
                if let folder = try? SharedDescriptor(openDirectory(path)) { base = (folder, path.utf8.count + 1) }
                for application in applications { scan(application: application) }
                base = nil
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

    /// Of the file `leaf` in a folder, or of `path` itself.
    private mutating func stamp(of path: String, _ leaf: String = "") -> FileStamp {
        buffer.removeAll(keepingCapacity: true)
        path.withCString { buffer.append(contentsOf: UnsafeBufferPointer(start: $0, count: path.utf8.count)) }
        leaf.withCString { buffer.append(contentsOf: UnsafeBufferPointer(start: $0, count: leaf.utf8.count + 1)) }
        return buffer.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return FileStamp() }
            guard let base else { return FileStamp(at: AT_FDCWD, start) }
            return FileStamp(at: base.descriptor.raw, start + base.length)
        }
    }

    private static func trimmed(_ folder: String) -> String {
        folder.count > 1 && folder.hasSuffix("/") ? trimmed(String(folder.dropLast())) : folder
    }

    // MARK: Bundles

    private mutating func scan(application path: String) {
        var information = path + "/Info.plist"
        var plugIns = path + "/PlugIns"
        var stamp = stamp(of: information)
        if isWatching {
            // One that is a link may lead through others.
            if Self.target(of: path) != nil { watchPlace(path) }
            watch(path, .contents)
        }
        if !stamp.exists {
            let inner = self.stamp(of: path, "/Contents/Info.plist")
            if inner.exists {
                (information, plugIns, stamp) = (path + "/Contents/Info.plist", path + "/Contents/PlugIns", inner)
                if isWatching { watch(path + "/Contents", .contents) }
            }
        }
        if isWatching { watch(plugIns, .names) }
        var app: ContainingApp?
        let (bundles, listing) = bundles(in: plugIns)
        listings.append(listing)
        let place = listings.count - 1
        for bundle in bundles {
            add(bundle, appStamp: stamp, place) {
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
        guard let application = Self.application(around: path) else {
            return add(path, appStamp: FileStamp(), nil) { nil }
        }
        let information = BundleLayout(of: application).information
        if isWatching { watch(information.folder, .contents) }
        add(path, appStamp: FileStamp(of: information), nil) {
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

    /// The bundles in a folder of an app, in the order of their names, and how the folder is now.
    private mutating func bundles(in folder: String) -> ([String], FolderListing) {
        // Before it is listed: what comes meanwhile changes the folder.
        let now = Self.wallClock
        let stamp = stamp(of: folder)
        guard stamp.exists else { return ([], FolderListing()) }
        if isQuick {
            let known = index.places(in: folder, near: cursor)
            // Of what was listed together all has been kept together; a bundle with faults has no listing.
            let listed = known.first { index.entries[$0].listing.stamp.exists }
            if let listing = listed.map({ index.entries[$0].listing }), listing.stamp == stamp, listing.count == known.count {
                return (known.map { index.entries[$0].path }, listing)
            }
        }
        let bundles = entries(of: folder, ending: ".appex")
        return (bundles, FolderListing(stamp: stamp, count: bundles.count, at: now))
    }

    private mutating func add(_ path: String, appStamp: FileStamp, _ listing: Int?, app: () -> ContainingApp?) {
        guard found.count < Self.bundlesLimit else {
            leftOut = "more than \(Self.bundlesLimit) bundles: \(path) and what follows were left out"
            return
        }
        let place = index.place(of: path, near: cursor)
        if let place { cursor = place + 1 }
        let known = place.map { index.entries[$0] }
        let isSame = known.map { isUnchanged($0, appStamp) } ?? false
        var news = isSame ? nil : read(path, appStamp, app)
        let size = news?.bundle.size ?? known?.bundle?.size ?? 0
        if memory + size > Self.memoryLimit {
            var small = news ?? read(path, appStamp, app)
            small.bundle.problems.append(
                "the Info.plists of all bundles take more than \(Self.memoryLimit >> 20) MiB. Make them smaller, or remove some")
            small.bundle.executable = nil
            small.bundle.information = []
            small.bundle.appTypeDeclarations = []
            small.isTrusted = false
            news = small
        } else {
            memory += size
        }
        found.append(Found(path: path, known: known, news: news, listing: listing))
        guard isWatching else { return }
        watch(path, .contents)
        if isSame ? known?.bundle?.isInContents == true : BundleLayout(of: path).hasContents {
            watch(path + "/Contents", .contents)
            watch(path + "/Contents/MacOS", .contents)
        }
    }

    /// Whether what the index knows of a bundle is what lies there.
    private mutating func isUnchanged(_ known: BundleIndex.Entry, _ appStamp: FileStamp) -> Bool {
        guard known.isTrusted, let kept = known.stamp, kept.app == appStamp, let bundle = known.bundle else { return false }
        var information = "/Info.plist"
        if bundle.isInContents {
            if stamp(of: known.path, information).exists { return false }
            information = "/Contents/Info.plist"
        }
        guard stamp(of: known.path, information) == kept.information else { return false }
        if isQuick { return true }
        guard let executable = bundle.executable else { return false }
        return stamp(of: executable) == kept.executable
    }

    private func read(_ path: String, _ appStamp: FileStamp, _ app: () -> ContainingApp?) -> News {
        // Before the files are read: what changes meanwhile has another stamp next time.
        let layout = BundleLayout(of: path)
        var stamp = BundleStamp(app: appStamp, information: FileStamp(of: layout.information))
        let now = Self.wallClock
        let bundle = BundleReader.read(path, containingApp: app())
        if let executable = bundle.executable { stamp.executable = FileStamp(of: executable) }
        return News(bundle: bundle, stamp: stamp, isTrusted: bundle.problems.isEmpty && stamp.isSettled(at: now))
    }

    private mutating func add(gone path: String) {
        let bundle = ExtensionBundle(
            identifier: path, point: "", executable: nil, path: path,
            problems: ["it was added by its path, and is there no more. Put it back, or forget it with exthostctl remove \(path)"]
        )
        let known = index.place(of: path, near: cursor).map { index.entries[$0] }
        found.append(
            Found(
                path: path, known: known, news: News(bundle: bundle, stamp: BundleStamp(), isTrusted: false), listing: nil))
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
        let copies = found.reversed().enumerated().compactMap { order, found in
            found.news.map { RegisteredCopy(bundle: $0.bundle, uuid: "", registered: order) }
        }
        return ExtensionRegistry(copies: copies)
    }
}
