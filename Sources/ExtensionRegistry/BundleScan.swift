// BundleScan: one scan of the application folders, which does not read known bundles again.

import ExtensionPoints
import Glibc
import LinuxSystem

/// A scan of the application folders. It reads files, so it never runs on the loop.
package struct BundleScan {
    struct Found {
        let path: String
        /// The index entry of the path.
        let known: BundleIndex.Entry?
        /// The bundle as read; nil if it is the one that the index has.
        let news: BundleLook.News?
        /// The place of its folder among the listings; nil if the bundle was not found by a listing.
        let listing: Int?
    }

    /// The maximum number of bundles that a scan considers.
    static let bundlesLimit = 20_000
    /// The bundles, in the order of the search.
    private(set) var found: [Found] = []
    /// The listings of the folders that hold bundles.
    private(set) var listings: [FolderListing] = []
    /// The folders whose changes count, if the scan is for watching.
    private(set) var watched: [String: WatchScope] = [:]
    /// A note for the log on the bundles that the scan skipped.
    private(set) var leftOut: String?

    private let index: BundleIndex
    /// The place in the index at which the lookup of the next bundle begins.
    private var cursor = 0
    private let isWatching: Bool
    private let isQuick: Bool
    private let points: PointTable?
    /// The folder of applications that is entered.
    private var entered: String?
    /// The look of a half scan, which examines the bundles of each app while its folder is open.
    private var look: BundleLook?
    /// The news at each place that `look` has examined.
    private var news: [BundleLook.News?] = []
    /// The places of the bundles. `apps` has the apps around them.
    private var places: [BundleLook.Place] = []
    private var apps: [BundleLook.App] = []
    private var memory = 0
    /// The paths that `watchPlace` has handled: the places, and the folders above them.
    private var parts: Set<String> = []
    /// The links that lead to watched folders, each by the path at which the scan met it.
    private(set) var links: Set<String> = []

    private var files = BundleFiles()
    /// The folder of containers. A bundle reached through it is not trusted.
    private let containers: FolderIdentity?
    /// The last folder checked, and whether its path leads through the containers.
    private var asked: (folder: String, leadsThrough: Bool)?

    /// - Parameters:
    ///   - containers: the folder of containers; a bundle that is reached through it is disabled.
    ///   - folders: the folders to search, in order.
    ///   - added: apps and bundles by path, wherever they lie; they come after the others, and once only.
    ///   - points: the points by which the rules of new bundles are read at once.
    ///   - quick: whether work that a start can do without is left to the next scan. A folder of bundles with an
    ///     unchanged stamp is not listed again, and known programs are not checked. Each program is checked before its
    ///     launch anyway.
    init(
        _ folders: [String], added: [String] = [], index: BundleIndex = BundleIndex(), quick: Bool = false,
        points: PointTable? = nil, watching: Bool = false, containers: FolderIdentity? = nil
    ) {
        self.init(index, quick: quick, points, watching: watching, containers)
        places.reserveCapacity(index.entries.count)
        var applications: [Application] = []
        for path in folders.map(Self.trimmed) {
            if watching { watchPlace(path) }
            if path.hasSuffix(".app") {
                applications.append(Application(path: path, folder: nil))
                continue
            }
            if watching { watch(path, .names) }
            for application in files.enter(path, listing: ".app") {
                applications.append(Application(path: application, folder: path))
            }
            files.leave(to: 0)
        }
        let known = walk(applications)
        let before = places.count
        let gone = added.isEmpty ? [] : scan(added: added)
        let news = known + BundleLook.news(at: Array(places[before...]), apps, isQuick: quick, points: points)
        found.reserveCapacity(places.count + gone.count)
        for (place, news) in zip(places, news) { add(place, news) }
        for path in gone { add(gone: path) }
    }

    private init(
        _ index: BundleIndex, quick: Bool, _ points: PointTable?, watching: Bool, _ containers: FolderIdentity? = nil
    ) {
        self.index = index
        self.containers = containers
        self.points = points
        isQuick = quick
        isWatching = watching
    }

    // MARK: Halves

    /// An app that the scan found.
    private struct Application: Sendable {
        let path: String
        /// The folder in which it was listed; nil for an app that was named by its path.
        let folder: String?
    }

    /// The results of one half of the apps.
    private struct Part: Sendable {
        let places: [BundleLook.Place]
        let apps: [BundleLook.App]
        let listings: [FolderListing]
        let leftOut: String?
        let news: [BundleLook.News?]
    }

    /// The minimum number of apps to split. With fewer apps, their bundles are split instead.
    private static let manyApps = 16

    /// Scans the apps and their bundles, and returns the news at each place.
    ///
    /// If it pays, two threads scan one half each. Only a quick scan, which blocks startup, does that.
    private mutating func walk(_ applications: [Application]) -> [BundleLook.News?] {
        let middle = applications.count / 2
        let (index, points) = (index, points)
        let other =
            !isQuick || applications.count < Self.manyApps
            ? nil
            : try? ParallelScan {
                var half = BundleScan(index, quick: true, points, watching: false)
                return half.part(applications[middle...])
            }
        guard let other else {
            for application in applications { scan(application) }
            return BundleLook.news(at: places, apps, isQuick: isQuick, points: points)
        }
        let own = part(applications[..<middle])
        return own.news + join(other.wait())
    }

    /// Scans one half of the apps on this thread.
    private mutating func part(_ applications: ArraySlice<Application>) -> Part {
        look = BundleLook([], isQuick: isQuick, points: points)
        for application in applications { scan(application) }
        files.leave(to: 0)
        look = nil
        return Part(places: places, apps: apps, listings: listings, leftOut: leftOut, news: news)
    }

    /// Appends the other half's results to this one's, and returns its news.
    private mutating func join(_ part: Part) -> [BundleLook.News?] {
        let (appCount, listingCount) = (apps.count, listings.count)
        apps += part.apps
        listings += part.listings
        if leftOut == nil { leftOut = part.leftOut }
        let before = places.count
        for place in part.places {
            append(
                BundleLook.Place(
                    path: place.path, known: place.known, app: place.app.map { $0 + appCount },
                    listing: place.listing.map { $0 + listingCount }))
        }
        return Array(part.news.prefix(places.count - before))
    }

    private mutating func scan(_ application: Application) {
        if application.folder != entered {
            files.leave(to: 0)
            if let folder = application.folder { files.enter(folder) }
            entered = application.folder
        }
        scan(application: application.path, in: application.folder)
    }

    /// Adds apps and bundles by their paths, except those already found. Returns the paths at which nothing is left.
    private mutating func scan(added: [String]) -> [String] {
        var gone: [String] = []
        let known = Set(places.map(\.path))
        for path in added {
            if isWatching { watchPlace(path) }
            let before = places.count
            if path.hasSuffix(".appex") { scan(single: path) } else { scan(application: path) }
            let news = places[before...].filter { !known.contains($0.path) }
            places.replaceSubrange(before..., with: news)
            if before == places.count, !FileStamp(of: path).exists { gone.append(path) }
        }
        return gone
    }

    private static func trimmed(_ folder: String) -> String {
        folder.count > 1 && folder.hasSuffix("/") ? trimmed(String(folder.dropLast())) : folder
    }

    // MARK: Bundles

    /// - Parameter folder: the folder in which it was listed, which is entered.
    private mutating func scan(application path: String, in folder: String? = nil) {
        let depth = files.depth
        var information: StaticString = "/Info.plist"
        var stamp = files.stamp(of: path, information)
        if isWatching {
            // A link may lead through other links.
            if Self.target(of: path) != nil { watchPlace(path) }
            watch(path, .contents)
        }
        var plugIns = path
        if !stamp.exists {
            let inner = files.stamp(of: path, "/Contents/Info.plist")
            if inner.exists {
                (information, stamp) = ("/Contents/Info.plist", inner)
                plugIns += "/Contents"
                if isWatching { watch(plugIns, .contents) }
            }
        }
        plugIns += "/PlugIns"
        if isWatching { watch(plugIns, .names) }
        apps.append(BundleLook.App(path: path, information: information, stamp: stamp, folder: folder))
        let before = places.count
        place(bundlesIn: plugIns)
        if look != nil, let app = apps.last { news += look?.news(places[before...], of: app, from: &files) ?? [] }
        files.leave(to: depth)
    }

    /// Adds an `.appex` by its own path, in the `PlugIns` of an app or outside any app.
    private mutating func scan(single path: String) {
        guard FileStamp(of: path).exists else { return }
        var app: Int?
        if let application = Self.application(around: path) {
            let information: StaticString =
                BundleLayout(of: application).hasContents ? "/Contents/Info.plist" : "/Info.plist"
            if isWatching { watch("\(application)\(information)".folder, .contents) }
            let stamp = files.stamp(of: application, information)
            apps.append(BundleLook.App(path: application, information: information, stamp: stamp, folder: nil))
            app = apps.count - 1
        }
        place(path, at: index.place(of: path, near: cursor), app: app, listing: nil)
    }

    /// Returns the `.app` that has this bundle in its `PlugIns`.
    package static func application(around bundle: String) -> String? {
        let folder = bundle.folder
        guard folder.hasSuffix("/PlugIns") else { return nil }
        let outer = folder.folder
        if outer.hasSuffix(".app") { return outer }
        return outer.hasSuffix(".app/Contents") ? outer.folder : nil
    }

    /// Adds the bundles in a folder of the last app, in the order of their names.
    private mutating func place(bundlesIn folder: String) {
        // The stamp is taken before the listing, so a later addition changes it.
        let now = Self.wallClock
        let stamp = files.stamp(of: folder)
        if !stamp.exists { return }
        let (app, next) = (apps.count - 1, listings.count)
        if isQuick {
            let known = index.places(in: folder, near: cursor)
            // Bundles of one listing are stored together; a bundle with faults has no listing.
            let listed = known.first { index.entries[$0].listing.stamp.exists }
            if let listing = listed.map({ index.entries[$0].listing }), listing.stamp == stamp,
                listing.count == known.count
            {
                listings.append(listing)
                for number in known { place(index.entries[number].path, at: number, app: app, listing: next) }
                return
            }
        }
        let bundles = files.enter(folder, listing: ".appex")
        listings.append(FolderListing(stamp: stamp, count: bundles.count, at: now))
        for bundle in bundles { place(bundle, at: index.place(of: bundle, near: cursor), app: app, listing: next) }
    }

    /// - Parameter number: its place in the index.
    private mutating func place(_ path: String, at number: Int?, app: Int?, listing: Int?) {
        append(BundleLook.Place(path: path, known: number.map { index.entries[$0] }, app: app, listing: listing))
        if let number { cursor = number + 1 }
    }

    private mutating func append(_ place: BundleLook.Place) {
        guard places.count < Self.bundlesLimit else {
            leftOut = "more than \(Self.bundlesLimit) bundles: the scan ignored \(place.path) and the following ones"
            return
        }
        places.append(place)
    }

    private mutating func add(_ place: BundleLook.Place, _ news: BundleLook.News?) {
        var news = news
        // The check covers known bundles as well: their files stay the same when a folder above them moves. A quick
        // scan leaves those to the next one.
        if news != nil || !isQuick, (news?.bundle ?? place.known?.bundle)?.problems.isEmpty == true,
            leadsThroughContainers(place.path)
        {
            var look = BundleLook(apps, isQuick: isQuick, points: nil)
            news = (news ?? look.read(place)).disabled(ContainerRule.problem)
        }
        let size = news?.bundle.size ?? place.known?.bundle?.size ?? 0
        if memory + size > BundleLook.memoryLimit {
            var look = BundleLook(apps, isQuick: isQuick, points: nil)
            news = (news ?? look.read(place)).withoutLists
        } else {
            memory += size
        }
        found.append(Found(path: place.path, known: place.known, news: news, listing: place.listing))
        guard isWatching else { return }
        watch(place.path, .contents)
        if news == nil ? place.known?.bundle?.isInContents == true : BundleLayout(of: place.path).hasContents {
            watch(place.path + "/Contents", .contents)
            watch(place.path + "/Contents/MacOS", .contents)
        }
    }

    private mutating func leadsThroughContainers(_ path: String) -> Bool {
        guard let containers else { return false }
        func leadsThrough(_ path: String) -> Bool {
            do throws(SystemError) {
                _ = try openResolved(path, outside: containers)
                return false
            } catch {
                return error.code == EXDEV
            }
        }
        let folder = path.folder
        if asked?.folder != folder { asked = (folder, leadsThrough(folder)) }
        // If the folder's own path is safe, only a bundle that is itself a link can lead elsewhere.
        return asked?.leadsThrough == true || (Self.target(of: path) != nil && leadsThrough(path))
    }

    private mutating func add(gone path: String) {
        let bundle = ExtensionBundle(
            identifier: path, point: "", executable: nil, path: path,
            problems: [
                "it was added by its path, and no longer exists. Put it back, or remove it with exthostctl remove \(path)"
            ]
        )
        let known = index.place(of: path, near: cursor).map { index.entries[$0] }
        found.append(
            Found(
                path: path, known: known, news: BundleLook.News(bundle: bundle, stamp: BundleStamp(), isTrusted: false),
                listing: nil))
    }

    // MARK: Folders to watch

    private mutating func watch(_ folder: String, _ scope: WatchScope) {
        watched[folder] = watched[folder].map { $0.joined(with: scope) } ?? scope
    }

    /// The maximum number of links that the scan follows on the paths to watched places.
    ///
    /// The kernel follows 40 links for one path (path_resolution(7)); this allows for 16 such paths.
    private static let linksLimit = 40 * 16

    /// Watches the path to a searched place, which may appear, move in any part, or be a link that changes its target.
    private mutating func watchPlace(_ path: String) {
        var part = path
        // If a part was seen, the parts above it were seen as well.
        while part.count > 1, parts.insert(part).inserted {
            let above = part.folder
            var status = stat()
            let isThere = lstat(part, &status) == 0
            let isLink = isThere && status.st_mode & S_IFMT == S_IFLNK
            watch(above, isThere && !isLink ? .itself : .awaiting([part.lastPart]))
            if isLink, links.count < Self.linksLimit, let target = Self.target(of: part) {
                links.insert(part)
                watchPlace(
                    target.hasPrefix("/")
                        ? Self.trimmed(target) : (above == "/" ? "/" : "\(above)/") + Self.trimmed(target))
            }
            part = above
        }
    }

    /// Returns the target of a link.
    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            readlink(link, buffer.assumingMemoryBound(to: CChar.self).baseAddress!, buffer.count)
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// The current time, in nanoseconds since 1970.
    static var wallClock: Int64 { SystemClock.realtimeNanoseconds() }
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
    /// Scans the folders, in order, without elections and without an index. A folder that does not exist holds nothing.
    ///
    /// It reads files, so it does not belong on the loop.
    public static func scan(_ folders: [String]) -> ExtensionRegistry {
        let found = BundleScan(folders).found
        // The first folder counts as the last registered, so its copy wins among equal ones.
        let copies = found.reversed().enumerated().compactMap { order, found in
            found.news.map { RegisteredCopy(bundle: $0.bundle, uuid: "", registered: order) }
        }
        return ExtensionRegistry(copies: copies)
    }
}
