// BundleLook: what lies at the places that a walk has found: what the index knows, or news to be read.

import ExtensionPoints
import LinuxSystem

/// A look at many bundles. Nothing in it is shared, so that two threads may look at a half each.
struct BundleLook {
    /// Where a bundle lies.
    struct Place: Sendable {
        let path: String
        /// What the index knows of the path.
        let known: BundleIndex.Entry?
        /// The place of the app around it among the apps; nil of one in no app.
        let app: Int?
        /// The place of its folder among the walk's listings; nil of one that was not found by listing.
        let listing: Int?
    }

    /// The app around bundles.
    struct App: Sendable {
        let path: String
        /// Where its Info.plist lies in it, and how that is.
        let information: StaticString
        let stamp: FileStamp
        /// The folder that is searched for it; nil of one that is named by its path.
        let folder: String?
    }

    /// A bundle that was read. One reference: most of what is found is no news, and takes little room then.
    final class News: Sendable {
        let bundle: ExtensionBundle
        let stamp: BundleStamp
        /// Whether the same stamp will mean the same bundle.
        let isTrusted: Bool
        /// Its rule, read, where the points are known.
        let terms: OfferTerms?

        init(bundle: ExtensionBundle, stamp: BundleStamp, isTrusted: Bool, terms: OfferTerms? = nil) {
            (self.bundle, self.stamp, self.isTrusted, self.terms) = (bundle, stamp, isTrusted, terms)
        }

        /// The same with a fault more. It is read again by every walk: what the fault lies in has no stamp.
        func disabled(_ problem: String) -> News {
            var bundle = bundle
            bundle.disable(problem)
            return News(bundle: bundle, stamp: stamp, isTrusted: false)
        }

        /// The same without its property lists, which would take too much memory.
        var withoutLists: News {
            let problem =
                "the Info.plists of all bundles take more than \(BundleLook.memoryLimit >> 20) MiB. Make them smaller, or remove some"
            let small = ExtensionBundle(
                identifier: bundle.identifier, version: bundle.version, shortVersion: bundle.shortVersion,
                displayName: bundle.displayName, shortName: bundle.shortName, point: bundle.point,
                principalClass: bundle.principalClass, executable: nil, path: bundle.path, containingApp: bundle.containingApp,
                parentName: bundle.parentName, problems: bundle.problems + [problem], warnings: bundle.warnings)
            return News(bundle: small, stamp: stamp, isTrusted: false)
        }
    }

    /// Bytes that the property lists of all bundles may take.
    static let memoryLimit = 64 << 20

    private var apps: [App]
    private let isQuick: Bool
    private let points: PointTable?
    private var files = BundleFiles()
    /// The folder of applications that is entered.
    private var folder: String?
    /// The app that was read last: its bundles stand together.
    private var lastApp: (place: Int, app: ContainingApp)?
    private var memory = 0
    private var rules = KnownRules()

    /// - Parameters:
    ///   - isQuick: a known program is not looked at.
    ///   - points: by which the rules of news are read; nil leaves that to whoever needs them.
    init(_ apps: [App], isQuick: Bool, points: PointTable?) {
        self.apps = apps
        self.isQuick = isQuick
        self.points = points
    }

    // MARK: Halves

    /// With fewer, another thread takes longer to begin than to look.
    static let manyPlaces = 64

    /// What is new at each place; nil where it is what the index knows. The walk that a start waits for is quick, and has the help of a second
    /// thread.
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

    /// Bundles of one app from which on it is worth while to open their folder, which is a shorter way to each: several files of one
    /// that is read are asked for, and one of one that is known.
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

    /// Of the bundles of one app more, asked for from the folders that are open for the search of it.
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
        // Not more than that at once, whatever lies there; the walk counts all.
        return memory > Self.memoryLimit ? news.withoutLists : news
    }

    /// Whether what the index knows of a bundle is what lies there.
    private mutating func isUnchanged(_ known: BundleIndex.Entry, _ appStamp: FileStamp) -> Bool {
        guard known.isTrusted, let kept = known.stamp, kept.app == appStamp, let bundle = known.bundle else { return false }
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
        // Stamps are taken before files are read: what changes meanwhile has another stamp next time.
        let now = BundleScan.wallClock
        let app = place.app.map { read(app: $0) }
        var (bundle, stamp) = BundleReader.read(place.path, containingApp: app, files: &files)
        stamp.app = place.app.map { apps[$0].stamp } ?? FileStamp()
        let terms = bundle.problems.isEmpty ? points.map { OfferTerms(of: bundle, points: $0, &rules) } : nil
        return News(bundle: bundle, stamp: stamp, isTrusted: bundle.problems.isEmpty && stamp.isSettled(at: now), terms: terms)
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
