// BundleLook: the comparison of bundles found by a scan with the index, and the reading of new ones.

import ExtensionPoints
import LinuxSystem

/// A pass over many bundles. It shares no state, so two threads may each take one half.
struct BundleLook {
    /// A path at which a bundle lies.
    struct Place: Sendable {
        let path: String
        /// The index entry of the path.
        let known: BundleIndex.Entry?
        /// The place of the containing app among the apps; nil for a bundle outside any app.
        let app: Int?
        /// The place of its folder among the scan's listings; nil if the bundle was not found by a listing.
        let listing: Int?
    }

    /// The app around bundles.
    struct App: Sendable {
        let path: String
        /// The path of the `Info.plist` inside the app. `stamp` is that file's stamp.
        let information: StaticString
        let stamp: FileStamp
        /// The search folder in which the app was found; nil for an app that was named by its path.
        let folder: String?
    }

    /// A bundle that was read. A class, because most places have no news, and a nil reference is small.
    final class News: Sendable {
        let bundle: ExtensionBundle
        let stamp: BundleStamp
        /// Whether an equal stamp means an equal bundle.
        let isTrusted: Bool
        /// The terms with the bundle's rule already read, if the points are known.
        let terms: OfferTerms?

        init(bundle: ExtensionBundle, stamp: BundleStamp, isTrusted: Bool, terms: OfferTerms? = nil) {
            (self.bundle, self.stamp, self.isTrusted, self.terms) = (bundle, stamp, isTrusted, terms)
        }

        /// Returns the same news with one more fault. Each scan reads the bundle again, as no stamp covers the fault's
        /// cause.
        func disabled(_ problem: String) -> News {
            var bundle = bundle
            bundle.disable(problem)
            return News(bundle: bundle, stamp: stamp, isTrusted: false)
        }

        /// The same news without its property lists, which would take too much memory.
        var withoutLists: News {
            let problem =
                "the Info.plists of all bundles have more than \(BundleLook.memoryLimit >> 20) MiB. Make them smaller, or remove some"
            let small = ExtensionBundle(
                identifier: bundle.identifier, version: bundle.version, shortVersion: bundle.shortVersion,
                displayName: bundle.displayName, shortName: bundle.shortName, point: bundle.point,
                principalClass: bundle.principalClass, executable: nil, path: bundle.path,
                containingApp: bundle.containingApp,
                parentName: bundle.parentName, problems: bundle.problems + [problem], warnings: bundle.warnings)
            return News(bundle: small, stamp: stamp, isTrusted: false)
        }
    }

    /// The maximum number of bytes for the property lists of all bundles.
    static let memoryLimit = 64 << 20

    private var apps: [App]
    private let isQuick: Bool
    private let points: PointTable?
    private var files = BundleFiles()
    /// The folder of applications that is entered.
    private var folder: String?
    /// The app that was read last. Its bundles are adjacent.
    private var lastApp: (place: Int, app: ContainingApp)?
    private var memory = 0
    private var rules = KnownRules()

    /// - Parameters:
    ///   - isQuick: whether known programs are left unchecked.
    ///   - points: the points by which the rules of new bundles are read; nil leaves the rules unread.
    init(_ apps: [App], isQuick: Bool, points: PointTable?) {
        self.apps = apps
        self.isQuick = isQuick
        self.points = points
    }

    // MARK: Halves

    /// The minimum number of places for a second thread: below it, the thread's start takes longer than the work.
    static let manyPlaces = 64

    /// Returns the news at each place, or nil for a bundle that the index already has.
    ///
    /// The first scan, which blocks startup, is quick and uses a second thread.
    static func news(at places: [Place], _ apps: [App], isQuick: Bool, points: PointTable?) -> [News?] {
        let middle = isQuick && places.count >= manyPlaces ? places.count / 2 : places.count
        let other =
            middle == places.count
            ? nil
            : try? ParallelScan {
                var look = BundleLook(apps, isQuick: isQuick, points: points)
                return look.news(places[middle...])
            }
        var look = BundleLook(apps, isQuick: isQuick, points: points)
        guard let other else { return look.news(places[...]) }
        return look.news(places[..<middle]) + other.wait()
    }

    // MARK: One after the other

    /// The number of bundles of one app from which it pays to open their folder, which shortens each lookup.
    ///
    /// Reading a new bundle accesses several of its files; checking a known one accesses one.
    private static let (manyNew, manyKnown) = (2, 8)

    mutating func news(_ places: ArraySlice<Place>) -> [News?] {
        var news: [News?] = []
        news.reserveCapacity(places.count)
        var rest = places
        while let first = rest.first {
            let group = rest.prefix { $0.app == first.app }
            rest = rest.dropFirst(group.count)
            enter(first.app.flatMap { apps[$0].folder })
            let depth = files.depth
            if group.count >= (first.known == nil ? Self.manyNew : Self.manyKnown) { files.enter(first.path.folder) }
            for place in group { news.append(look(at: place)) }
            files.leave(to: depth)
        }
        return news
    }

    /// Returns the news of one more app's bundles, through the folders that the search already has open.
    mutating func news(_ places: ArraySlice<Place>, of app: App, from opened: inout BundleFiles) -> [News?] {
        apps.append(app)
        swap(&files, &opened)
        defer { swap(&files, &opened) }
        guard let first = places.first else { return [] }
        if places.count >= Self.manyKnown, !files.hasEntered(first.path.folder) { files.enter(first.path.folder) }
        return places.map { look(at: $0) }
    }

    private mutating func enter(_ next: String?) {
        guard next != folder else { return }
        files.leave(to: 0)
        if let next { files.enter(next) }
        folder = next
    }

    private mutating func look(at place: Place) -> News? {
        if let known = place.known, isUnchanged(known, place.app.map { apps[$0].stamp } ?? FileStamp()) { return nil }
        let news = read(place)
        memory += news.bundle.size
        // The property lists held at once stay within the limit; the scan applies it again to all bundles.
        return memory > Self.memoryLimit ? news.withoutLists : news
    }

    /// Whether the bundle on disk is the one that the index has.
    private mutating func isUnchanged(_ known: BundleIndex.Entry, _ appStamp: FileStamp) -> Bool {
        guard known.isTrusted, let kept = known.stamp, kept.app == appStamp, let bundle = known.bundle else {
            return false
        }
        if bundle.isInContents {
            guard !files.stamp(of: known.path, "/Info.plist").exists,
                files.stamp(of: known.path, "/Contents/Info.plist") == kept.information
            else { return false }
        } else if files.stamp(of: known.path, "/Info.plist") != kept.information {
            return false
        }
        if isQuick { return true }
        guard let executable = bundle.executable else { return false }
        return files.stamp(of: executable) == kept.executable
    }

    mutating func read(_ place: Place) -> News {
        // The stamps are taken before the files are read, so a later change yields another stamp at the next scan.
        let now = BundleScan.wallClock
        let app = place.app.map { read(app: $0) }
        var (bundle, stamp) = BundleReader.read(place.path, containingApp: app, files: &files)
        stamp.app = place.app.map { apps[$0].stamp } ?? FileStamp()
        let terms = bundle.problems.isEmpty ? points.map { OfferTerms(of: bundle, points: $0, &rules) } : nil
        return News(
            bundle: bundle, stamp: stamp, isTrusted: bundle.problems.isEmpty && stamp.isSettled(at: now), terms: terms)
    }

    private mutating func read(app place: Int) -> ContainingApp {
        if let lastApp, lastApp.place == place { return lastApp.app }
        let (path, information) = (apps[place].path, apps[place].information)
        let bytes = try? files.read(path, information, maximumSize: BundleInformation.fileLimit).bytes
        let app = bytes.map { ContainingApp(path: path, file: $0) } ?? ContainingApp(path: path)
        lastApp = (place, app)
        return app
    }
}
