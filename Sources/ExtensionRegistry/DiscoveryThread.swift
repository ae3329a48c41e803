// DiscoveryThread: the loop of the discovery's thread: scan, store, deliver, then sleep until a change or an order.

import ExtensionProtocol
import Glibc
import LinuxSystem

/// The state of the discovery's thread, which no other thread touches.
final class DiscoveryThread {
    private var settings: Discovery.Settings
    private let inbox: Discovery.Inbox
    private let deliver: @Sendable (Discovery.Delivery) -> Void

    private var store: RegistryStore?
    private var stateProblem: ExtensionHostError?
    private var elections: [String: Election] = [:]
    private var orders: [String: RegistryStore.Order] = [:]
    private var index = BundleIndex()
    private var lastTime = 0

    private var registry = ExtensionRegistry()
    private var folderWatch: FolderWatch?
    /// The way of watching now, and the one last delivered.
    private var watching = (now: Discovery.Watching.starting, told: Discovery.Watching.starting)
    private var notices: [String] = []
    /// The notices so far: each is reported once.
    private var said: Set<String> = []
    /// The times of the first and the last change since the last scan, in nanoseconds.
    private var unrest: (first: UInt64, last: UInt64)?

    init(
        _ settings: Discovery.Settings, _ inbox: Discovery.Inbox,
        _ deliver: @escaping @Sendable (Discovery.Delivery) -> Void
    ) {
        self.settings = settings
        self.inbox = inbox
        self.deliver = deliver
    }

    func run() {
        openStore()
        // The first scan does not watch, because the start waits for it. The scan that begins to watch examines
        // everything.
        let scan = BundleScan(
            settings.folders, added: added, index: index, quick: true, points: settings.points, containers: containers)
        adopt(scan)
        publish(isFirst: true)
        if !settings.waitsToWatch { settle() }
        while true {
            guard wait() else { return }
        }
    }

    /// Does the work that a start need not wait for.
    private func settle() {
        checkStore()
        keep()
        watch()
    }

    // MARK: Waiting

    /// Milliseconds between two polls of folders, if not all of them can be watched.
    ///
    /// A user has few inotify instances (inotify(7)), and short-lived programs can use them up for a while.
    private static let lookInterval: Int32 = 1000

    /// Sleeps until there is work, and does it. Returns false after the order to stop.
    private func wait() -> Bool {
        var descriptors = [pollfd(fd: inbox.wake.raw, events: Int16(POLLIN), revents: 0)]
        if let folderWatch { descriptors.append(pollfd(fd: folderWatch.raw, events: Int16(POLLIN), revents: 0)) }
        // Without changes or polling there is no timeout.
        let limit = unrest != nil ? restLeft : isLooking ? Self.lookInterval : -1
        let count = poll(&descriptors, nfds_t(descriptors.count), limit)
        if count < 0, errno != EINTR { return false }
        if descriptors[0].revents != 0 {
            inbox.wake.drain()
            for order in inbox.take() {
                if case .stop = order { return false }
                perform(order)
            }
        }
        if descriptors.count > 1, descriptors[1].revents != 0, folderWatch?.takeChanges() == true {
            let now = Self.monotonicTime
            unrest = (unrest?.first ?? now, now)
        }
        if count == 0, unrest == nil, isLooking {
            if folderWatch == nil {
                folderWatch = try? FolderWatch()
                if folderWatch != nil { watching.now = .inotify }
            }
            walk()
        }
        if unrest != nil, restLeft == 0 {
            unrest = nil
            walk()
        }
        return true
    }

    private var isLooking: Bool { watching.now == .partly || watching.now == .looking }

    /// Milliseconds until the folders are quiet for long enough, or the maximum delay has passed.
    private var restLeft: Int32 {
        guard let unrest else { return 0 }
        let now = Self.monotonicTime
        let due = min(
            unrest.last + UInt64(settings.rest) * 1_000_000, unrest.first + UInt64(settings.patience) * 1_000_000)
        return due > now ? Int32((due - now + 999_999) / 1_000_000) : 0
    }

    // MARK: Walking

    private var added: [String] {
        orders.compactMap { path, order in if case .added = order { path } else { nil } }.sorted()
    }

    /// Scans the folders, delivers what is new, and watches the folders found.
    private func walk() {
        let scan = BundleScan(
            settings.folders, added: added, index: index, watching: folderWatch != nil, containers: containers)
        adopt(scan)
        publish()
        keep()
        follow(scan)
    }

    /// Registers the results of a scan: new or changed bundles are registered now.
    private func adopt(_ scan: BundleScan) {
        if let leftOut = scan.leftOut { say(leftOut) }
        var next: [BundleIndex.Entry] = []
        next.reserveCapacity(scan.found.count)
        // The loop runs from the last to the first, so that the first folder's copy is the last registered, and wins
        // among equal copies.
        for found in scan.found.reversed() {
            let listing = found.listing.map { scan.listings[$0] } ?? FolderListing()
            let isRenewed = !renewed.isEmpty && renewed.contains(found.path)
            if found.news == nil, !isRenewed, let known = found.known, known.listing == listing {
                next.append(known)
                continue
            }
            let stamp = found.news?.stamp ?? found.known?.stamp
            let isSame = !isRenewed && stamp.map { found.known?.stamp?.isSame(as: $0) == true } ?? false
            next.append(
                BundleIndex.Entry(
                    path: found.path,
                    registration: isSame ? found.known?.registration ?? newRegistration() : newRegistration(),
                    stamp: stamp, bundle: found.news?.bundle ?? found.known?.bundle,
                    isTrusted: found.news?.isTrusted ?? found.known?.isTrusted ?? false, listing: listing))
        }
        next.reverse()
        index = BundleIndex(next)
        renewed = []
        let read = scan.found.compactMap { found in found.news?.terms.map { (found.path, $0) } }
        rebuild(Dictionary(read) { one, _ in one })
    }

    /// The content of the database, and of the index file if `isIndexed`.
    private var stored = BundleIndex()
    private var isIndexed = false
    /// The paths that the next scan registers anew, whether they have changed or not.
    private var renewed: Set<String> = []

    private var random = RandomPool()

    private func newRegistration() -> Registration {
        // The earlier times come from a file, so they can be any number.
        lastTime = max(lastTime == .max ? lastTime : lastTime + 1, Int(BundleScan.wallClock / 1000))
        return Registration(uuid: RequestIdentifier(using: &random), time: lastTime)
    }

    /// Builds the next snapshot from the index.
    ///
    /// - Parameter read: the terms of the bundles that were just read, by path.
    private func rebuild(_ read: [String: OfferTerms] = [:]) {
        var copies: [RegisteredCopy] = []
        copies.reserveCapacity(index.entries.count)
        for entry in index.entries {
            guard var bundle = entry.bundle else { continue }
            // A removed bundle returns as soon as its stamp differs (spec 2.3).
            if !orders.isEmpty, case .removed(let bytes) = orders[entry.path],
                let removed = bytes.withUnsafeBytes(BundleStamp.init), let stamp = entry.stamp,
                removed.isSame(as: stamp)
            {
                continue
            }
            if settings.wantsTrust, bundle.problems.isEmpty, let problem = BundleTrust.problem(of: bundle) {
                bundle.disable(problem)
            }
            if bundle.problems.isEmpty, let problem = settings.profile?.problem(of: bundle) { bundle.disable(problem) }
            copies.append(
                RegisteredCopy(bundle: bundle, entry.registration))
        }
        picture = ExtensionRegistry(
            copies: copies, elections: elections, points: settings.points, reusing: picture, read: read)
    }

    /// The identity of the folder of containers as it is now: the folder may appear, or be replaced.
    ///
    /// If the identity cannot be read, no bundle is disabled for it; a launch then says why.
    private var containers: FolderIdentity? { settings.containers.flatMap { (try? FolderIdentity($0)) ?? nil } }

    private var picture = ExtensionRegistry()

    /// Delivers the snapshot, if it has anything new.
    private func publish(isFirst: Bool = false) {
        let change = isFirst ? RegistryChange() : RegistryChange(from: registry, to: picture)
        guard
            isFirst || !change.isEmpty || !notices.isEmpty || registry.elections != picture.elections
                || watching.now != watching.told
        else { return }
        registry = picture
        watching.told = watching.now
        deliver(
            Discovery.Delivery(
                registry: registry, change: change, notices: notices, stateProblem: stateProblem,
                watching: watching.now, values: isFirst ? store?.contents.values ?? [:] : nil))
        notices = []
    }

    // MARK: Keeping

    private func openStore() {
        guard let folder = settings.state else { return }
        do {
            let store = try RegistryStore(folder: folder, file: IndexFile(folder: folder))
            if let aside = store.setAside {
                say(
                    "\(folder)/\(RegistryStore.fileName) was damaged and is replaced by a new file with all readable elections. The old file is \(aside)"
                )
            }
            let contents = store.contents
            (elections, orders, index) = (contents.elections, contents.orders, store.takeIndex())
            (stored, isIndexed) = (index, contents.isIndexed)
            lastTime = index.entries.reduce(0) { max($0, $1.registration.time) }
            self.store = store
        } catch {
            stateProblem = error
            say("elections and registrations are not stored: \(error)")
        }
    }

    /// Checks the registrations in the database, which a start takes from the index file.
    ///
    /// Damage found here loses nothing.
    private func checkStore() {
        guard let folder = settings.state, let old = store, !old.checkRegistrations() else { return }
        let contents = old.contents
        store = nil
        do {
            let store = try replace(consume old, in: folder, contents)
            (self.store, stored, isIndexed) = (store, index, false)
            say(
                "\(folder)/\(RegistryStore.fileName) was damaged and is replaced by a new file with all its contents. The old file is \(store.setAside ?? "gone")"
            )
        } catch {
            stateProblem = error
            say("elections and registrations are not stored: \(error)")
        }
        publish()
    }

    /// Closes the old store before the new one opens its file.
    private func replace(
        _ old: consuming RegistryStore, in folder: String, _ contents: RegistryStore.Contents
    ) throws(ExtensionHostError) -> RegistryStore {
        _ = consume old
        return try RegistryStore(folder: folder, inPlaceOfDamaged: contents, index: index)
    }

    /// Writes registrations and the index. A failure is only reported: their loss slows down a start and has no other
    /// effect.
    private func keep() {
        guard let store else { return }
        var registered: [BundleIndex.Entry] = []
        var gone: [String] = []
        var isSame = isIndexed
        var place = 0
        // Both are sorted by path.
        for entry in index.entries {
            guard let old = stored.place(of: entry.path, near: place) else {
                registered.append(entry)
                continue
            }
            gone += stored.entries[place..<old].map(\.path)
            place = old + 1
            if !stored.entries[old].isRegistered(as: entry) { registered.append(entry) }
            if !stored.entries[old].isKept(as: entry) { isSame = false }
        }
        gone += stored.entries[place...].map(\.path)
        if isSame, registered.isEmpty, gone.isEmpty { return }
        // The index file does not match the database's state until it is written.
        isIndexed = false
        do {
            try store.register(registered, gone: gone)
            stored = index
            try store.writeIndex(index)
            isIndexed = true
        } catch {
            say("the index of bundles could not be written: \(error)")
            publish()
        }
    }

    /// Throws the reason why orders cannot be stored, if there is one.
    private func requireState() throws(ExtensionHostError) {
        if let stateProblem { throw stateProblem }
    }

    // MARK: Watching

    private func watch() {
        do {
            folderWatch = try FolderWatch()
            watching.now = .inotify
            walk()
        } catch {
            watching.now = .looking
            say(
                "the daemon cannot watch folders, and polls them each second until it can: \(error). Raise fs.inotify.max_user_instances"
            )
            publish()
        }
    }

    /// Watches the folders of a scan, and requests another scan if a folder was not watched before.
    ///
    /// That scan finds the changes from before the folder was watched. It repeats until nothing new is watched.
    private func follow(_ scan: BundleScan) {
        guard let folderWatch else { return }
        let (isWider, shortage) = folderWatch.follow(scan.watched, links: scan.links)
        let isComplete = watching.now == .inotify
        watching.now = shortage == nil ? .inotify : .partly
        if shortage == nil, !isComplete { publish() }
        if let shortage {
            say(
                "the daemon cannot watch all folders: \(shortage). It polls them each second; raise fs.inotify.max_user_watches"
            )
            publish()
        }
        if isWider {
            let now = Self.monotonicTime
            // The scan is due at once, unless the folders are changing anyway.
            unrest = unrest ?? (0, now)
        }
    }

    private func say(_ notice: String) {
        if said.insert(notice).inserted { notices.append(notice) }
    }

    // MARK: Orders

    private func perform(_ order: Discovery.Order) {
        switch order {
        case .add(let path, let answer): settle(answer) { () throws(ExtensionHostError) in try add(path) }
        case .remove(let path, let answer): settle(answer) { () throws(ExtensionHostError) in try remove(path) }
        case .elect(let identifier, let election, let answer):
            settle(answer) { () throws(ExtensionHostError) in try elect(election, identifier) }
        case .store(let values, let owner, let answer):
            do throws(ExtensionHostError) {
                try requireState()
                try store?.setValues(values, of: owner)
                answer(nil)
            } catch {
                answer(error)
            }
        case .run(let profile):
            guard settings.profile != profile else { return }
            settings.profile = profile
            rebuild()
            publish()
        case .watch: settle()
        case .stop: break
        }
    }

    private func settle(_ answer: Discovery.Answer, _ body: () throws(ExtensionHostError) -> [RegisteredCopy]) {
        do throws(ExtensionHostError) {
            answer(.success(try body()))
        } catch {
            answer(.failure(error))
        }
    }

    private func elect(_ election: Election, _ identifier: String) throws(ExtensionHostError) -> [RegisteredCopy] {
        let copies = picture.copies(matching: [.identifier(identifier)], allCopies: true)
        // A missing extension can still return to the default.
        guard !copies.isEmpty || elections[identifier] != nil else {
            throw .noSuchExtension(
                identifier, among: Set(picture.copies.map(\.bundle.identifier)).sorted(),
                remedy: "exthostctl list -A -D lists all extensions")
        }
        try requireState()
        try store?.setElection(election, of: identifier, at: Int(BundleScan.wallClock / 1000))
        elections[identifier] = election == .default ? nil : election
        rebuild()
        publish()
        return picture.copies(matching: [.identifier(identifier)], allCopies: true)
    }

    private func add(_ path: String) throws(ExtensionHostError) -> [RegisteredCopy] {
        let path = try RegistrationPath.check(path)
        try requireState()
        let isSearched = !BundleScan(settings.folders).found.filter { Self.concerns($0.path, path) }.isEmpty
        var changes: [String: RegistryStore.Order?] = [:]
        for known in orders.keys where Self.concerns(known, path) { changes[known] = .some(nil) }
        if !isSearched { changes[path] = .added }
        try store?.setOrders(changes, at: Int(BundleScan.wallClock / 1000))
        for (path, order) in changes { orders[path] = order }
        // The bundles are registered now, known or not: the last registered copy wins among equal ones.
        renewed = Set(index.entries.map(\.path).filter { Self.concerns($0, path) })
        walk()
        return picture.copies.filter { Self.concerns($0.bundle.path, path) }
    }

    private func remove(_ path: String) throws(ExtensionHostError) -> [RegisteredCopy] {
        let path = RegistrationPath.trimmed(path)
        let concerned = picture.copies.filter { Self.concerns($0.bundle.path, path) }
        guard !concerned.isEmpty || orders[path] == .added else {
            throw ExtensionHostError(
                .noSuchExtension, "nothing at \(path) is registered",
                remedy: "exthostctl list -A -D -v shows the registered paths")
        }
        try requireState()
        var changes: [String: RegistryStore.Order?] = [:]
        for known in orders.keys where Self.concerns(known, path) && orders[known] == .added {
            changes[known] = .some(nil)
        }
        let searched = Set(BundleScan(settings.folders, index: index).found.map(\.path))
        for copy in concerned where searched.contains(copy.bundle.path) {
            changes[copy.bundle.path] = .removed(stamp: index[copy.bundle.path]?.stamp?.bytes ?? [])
        }
        try store?.setOrders(changes, at: Int(BundleScan.wallClock / 1000))
        for (path, order) in changes { orders[path] = order }
        walk()
        return concerned
    }

    /// Whether a bundle's path is this path, or lies in the app at this path.
    private static func concerns(_ bundle: String, _ path: String) -> Bool {
        bundle == path || bundle.hasPrefix(path + "/")
    }

    private static var monotonicTime: UInt64 { SystemClock.monotonicNanoseconds() }
}
