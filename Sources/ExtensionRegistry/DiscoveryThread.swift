// DiscoveryThread: what the discovery's thread does: walk, keep, deliver, then sleep until something changes or is ordered.

import ExtensionProtocol
import Glibc
import LinuxSystem

/// Lives on one thread, and is touched by no other.
final class DiscoveryThread {
    private let settings: Discovery.Settings
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
    /// As it is, and as it was told last.
    private var watching = (now: Discovery.Watching.starting, told: Discovery.Watching.starting)
    private var notices: [String] = []
    /// Said once each.
    private var said: Set<String> = []
    /// Changes that no walk has looked at: since when, and since when there were no more. Nanoseconds.
    private var unrest: (first: UInt64, last: UInt64)?

    init(
        _ settings: Discovery.Settings, _ inbox: Discovery.Inbox, _ deliver: @escaping @Sendable (Discovery.Delivery) -> Void
    ) {
        self.settings = settings
        self.inbox = inbox
        self.deliver = deliver
    }

    func run() {
        openStore()
        // First without watching: whoever waits for the start waits for this. The walk that begins to watch looks at everything.
        let scan = BundleScan(
            settings.folders, added: added, index: index, quick: true, points: settings.points, containers: containers)
        adopt(scan)
        publish(isFirst: true)
        if !settings.waitsToWatch { settle() }
        while true {
            guard wait() else { return }
        }
    }

    /// What a start need not wait for.
    private func settle() {
        checkStore()
        keep()
        watch()
    }

    // MARK: Waiting

    /// Milliseconds between two looks at folders that cannot be watched, or not all of them: a user has a small number of inotify instances (inotify(7)),
    /// and programs that come and go use them up for a while.
    private static let lookInterval: Int32 = 1000

    /// Sleeps until there is something to do, and does it; false when it was told to stop.
    private func wait() -> Bool {
        var descriptors = [pollfd(fd: inbox.wake.raw, events: Int16(POLLIN), revents: 0)]
        if let folderWatch { descriptors.append(pollfd(fd: folderWatch.raw, events: Int16(POLLIN), revents: 0)) }
        // Without unrest there is no end to the wait, and so nothing to wake up for.
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

    /// Milliseconds until the folders have rested, or have been waited for long enough.
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

    /// Walks the folders, tells what is new, and watches what there is to watch now.
    private func walk() {
        let scan = BundleScan(
            settings.folders, added: added, index: index, watching: folderWatch != nil, containers: containers)
        adopt(scan)
        publish()
        keep()
        follow(scan)
    }

    /// Registers what a walk found: what is new, or is not what it was, is registered now.
    private func adopt(_ scan: BundleScan) {
        if let leftOut = scan.leftOut { say(leftOut) }
        var next: [BundleIndex.Entry] = []
        next.reserveCapacity(scan.found.count)
        // From the last to the first: of equal copies found together the first folder's is used, as the one registered last.
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
                    path: found.path, registration: isSame ? found.known?.registration ?? newRegistration() : newRegistration(),
                    stamp: stamp, bundle: found.news?.bundle ?? found.known?.bundle,
                    isTrusted: found.news?.isTrusted ?? found.known?.isTrusted ?? false, listing: listing))
        }
        next.reverse()
        index = BundleIndex(next)
        renewed = []
        let read = scan.found.compactMap { found in found.news?.terms.map { (found.path, $0) } }
        rebuild(Dictionary(read) { one, _ in one })
    }

    /// What the database holds, and the index file where `isIndexed`.
    private var stored = BundleIndex()
    private var isIndexed = false
    /// To be registered anew by the next walk, whether they have changed or not.
    private var renewed: Set<String> = []

    private var random = RandomPool()

    private func newRegistration() -> Registration {
        // A file says when those before were registered: any number may stand there.
        lastTime = max(lastTime == .max ? lastTime : lastTime + 1, Int(BundleScan.wallClock / 1000))
        return Registration(uuid: RequestIdentifier(using: &random), time: lastTime)
    }

    /// The next picture, from what is known.
    ///
    /// - Parameter read: by their paths, the terms of what has just been read.
    private func rebuild(_ read: [String: OfferTerms] = [:]) {
        var copies: [RegisteredCopy] = []
        copies.reserveCapacity(index.entries.count)
        for entry in index.entries {
            guard var bundle = entry.bundle else { continue }
            // A removed one comes back as soon as it is another one (spec 2.3).
            if !orders.isEmpty, case .removed(let bytes) = orders[entry.path],
                let removed = bytes.withUnsafeBytes(BundleStamp.init), let stamp = entry.stamp, removed.isSame(as: stamp)
            {
                continue
            }
            if settings.wantsTrust, bundle.problems.isEmpty, let problem = BundleTrust.problem(of: bundle) {
                bundle.disable(problem)
            }
            copies.append(
                RegisteredCopy(bundle: bundle, entry.registration))
        }
        picture = ExtensionRegistry(copies: copies, elections: elections, points: settings.points, reusing: picture, read: read)
    }

    /// As it is now: it may come, or be another. Where it cannot be told no bundle is disabled for it; a launch then says why.
    private var containers: FolderIdentity? { settings.containers.flatMap { (try? FolderIdentity($0)) ?? nil } }

    private var picture = ExtensionRegistry()

    /// Delivers the picture, if there is anything new in it.
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
                registry: registry, change: change, notices: notices, stateProblem: stateProblem, watching: watching.now))
        notices = []
    }

    // MARK: Keeping

    private func openStore() {
        guard let folder = settings.state else { return }
        do {
            let store = try RegistryStore(folder: folder, file: IndexFile(folder: folder))
            if let aside = store.setAside {
                say(
                    "\(folder)/\(RegistryStore.fileName) was damaged and begun anew: of elections it has what could be read. The old file is \(aside)"
                )
            }
            let contents = store.contents
            (elections, orders, index) = (contents.elections, contents.orders, store.takeIndex())
            (stored, isIndexed) = (index, contents.isIndexed)
            lastTime = index.entries.reduce(0) { max($0, $1.registration.time) }
            self.store = store
        } catch {
            stateProblem = error
            say("elections and registrations are not kept: \(error)")
        }
    }

    /// A start takes registrations from the index file. What is damaged in the database meanwhile is found here, and nothing is lost by it.
    private func checkStore() {
        guard let folder = settings.state, let old = store, !old.checkRegistrations() else { return }
        let contents = old.contents
        store = nil
        do {
            let store = try replace(consume old, in: folder, contents)
            (self.store, stored, isIndexed) = (store, index, false)
            say(
                "\(folder)/\(RegistryStore.fileName) was damaged and begun anew, with all that it had. The old file is \(store.setAside ?? "gone")"
            )
        } catch {
            stateProblem = error
            say("elections and registrations are not kept: \(error)")
        }
        publish()
    }

    /// Ends the old one before the new one opens its file.
    private func replace(
        _ old: consuming RegistryStore, in folder: String, _ contents: RegistryStore.Contents
    ) throws(ExtensionHostError) -> RegistryStore {
        _ = consume old
        return try RegistryStore(folder: folder, inPlaceOfDamaged: contents, index: index)
    }

    /// Writes registrations and the index. They cost a start some time if they are lost, and nobody anything else: a failure is said and no
    /// more.
    private func keep() {
        guard let store else { return }
        var registered: [BundleIndex.Entry] = []
        var gone: [String] = []
        var isSame = isIndexed
        var place = 0
        // Both are in the order of paths.
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
        // Not of the state that the database is in, until it is written.
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

    /// What orders are refused with while nothing can be kept.
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
                "folders cannot be watched, and are looked through each second until they can: \(error). Raise fs.inotify.max_user_instances"
            )
            publish()
        }
    }

    /// Until nothing new was watched: what happened in a folder before it was watched is seen by walking once more.
    private func follow(_ scan: BundleScan) {
        guard let folderWatch else { return }
        let (isWider, shortage) = folderWatch.follow(scan.watched, links: scan.links)
        let isComplete = watching.now == .inotify
        watching.now = shortage == nil ? .inotify : .partly
        if shortage == nil, !isComplete { publish() }
        if let shortage {
            say(
                "not all folders are watched: \(shortage). They are looked through each second; raise fs.inotify.max_user_watches"
            )
            publish()
        }
        if isWider {
            let now = Self.monotonicTime
            // At once, unless the folders change anyway.
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
        // One that is not there now can still be put back to the default.
        guard !copies.isEmpty || elections[identifier] != nil else {
            throw .noSuchExtension(
                identifier, among: Set(picture.copies.map(\.bundle.identifier)).sorted(),
                remedy: "exthostctl list -A -D shows what there is")
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
        // Registered now, whether it was known or not: among equal copies it is the one that is used.
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
                remedy: "exthostctl list -A -D -v shows the paths of what is")
        }
        try requireState()
        var changes: [String: RegistryStore.Order?] = [:]
        for known in orders.keys where Self.concerns(known, path) && orders[known] == .added { changes[known] = .some(nil) }
        let searched = Set(BundleScan(settings.folders, index: index).found.map(\.path))
        for copy in concerned where searched.contains(copy.bundle.path) {
            changes[copy.bundle.path] = .removed(stamp: index[copy.bundle.path]?.stamp?.bytes ?? [])
        }
        try store?.setOrders(changes, at: Int(BundleScan.wallClock / 1000))
        for (path, order) in changes { orders[path] = order }
        walk()
        return concerned
    }

    /// Whether a bundle's path is the one that is meant, or lies in the app that is meant.
    private static func concerns(_ bundle: String, _ path: String) -> Bool {
        bundle == path || bundle.hasPrefix(path + "/")
    }

    private static var monotonicTime: UInt64 { SystemClock.monotonicNanoseconds() }
}
