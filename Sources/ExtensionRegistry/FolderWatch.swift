// FolderWatch: the set of watched folders, which follows each scan and decides whether an event counts.

import Glibc
import LinuxSystem

/// The events that count in a folder.
enum WatchScope: Sendable, Hashable {
    /// The removal or the move of the folder itself.
    case itself
    /// The creation of entries with these names, besides `itself`.
    case awaiting(Set<String>)
    /// The creation or removal of any entry.
    case names
    /// A change of any entry.
    case contents

    func joined(with other: WatchScope) -> WatchScope {
        switch (self, other) {
        case (.contents, _), (_, .contents): .contents
        case (.names, _), (_, .names): .names
        case (.awaiting(let one), .awaiting(let another)): .awaiting(one.union(another))
        case (.awaiting(let one), .itself), (.itself, .awaiting(let one)): .awaiting(one)
        case (.itself, .itself): .itself
        }
    }

    /// Whether an event on an entry of this name counts.
    func counts(_ name: String) -> Bool {
        switch self {
        case .itself: false
        case .awaiting(let names): names.contains(name)
        case .names, .contents: true
        }
    }

    var kernelScope: FolderChanges.Scope {
        switch self {
        case .itself: .itself
        case .awaiting, .names: .names
        case .contents: .contents
        }
    }
}

/// A watch on many folders, for one thread. It sleeps in the kernel, so it costs nothing without events.
final class FolderWatch {
    /// The maximum number of watched folders: enough for some thousand bundles, and well below the system's default
    /// limit.
    static let limit = 60_000

    private var changes: FolderChanges
    private var numbers: [String: Int32] = [:]
    /// The scope for each path, by the kernel's watch number. Two paths to one folder share a number.
    private var folders: [Int32: [String: WatchScope]] = [:]

    /// The links that lead to watched folders.
    private var links: Set<String> = []
    /// Whether a new watch was added. A link may then have changed the target of a path before the link was watched.
    private var isUncertain = false
    /// The wanted folders that did not exist. A scan has looked at them since, or is about to.
    private var missing: Set<String> = []

    init() throws(SystemError) { changes = try FolderChanges() }

    /// The descriptor to poll. It changes after an overflow.
    var raw: Int32 { changes.raw }

    /// Watches exactly these folders from now on. It skips those that cannot be watched.
    ///
    /// If the previous call added a watch, every path is resolved again. A link may have changed unnoticed while the
    /// folders were added one by one.
    ///
    /// - Returns: `isWider` is true if a folder is newly watched, or could not be found again: its changes in between
    ///   are unknown. `shortage` says why some folders are not watched, if there are too many.
    func follow(_ wanted: [String: WatchScope], links: Set<String>) -> (isWider: Bool, shortage: String?) {
        self.links = links
        for path in numbers.keys where wanted[path] == nil { drop(path) }
        if !missing.isEmpty { missing = missing.filter { wanted[$0] != nil } }
        var isWider = false
        defer { isUncertain = isWider }
        for (path, scope) in wanted {
            let isKnown = numbers[path].map { folders[$0]?[path] == scope } ?? false
            if isKnown, !isUncertain { continue }
            guard numbers[path] != nil || numbers.count < Self.limit else {
                return (isWider, "the limit of \(Self.limit) watched folders is reached")
            }
            do throws(SystemError) {
                // The kernel replaces the old scope by the new one, so the scopes of all paths are joined.
                let known = numbers[path].flatMap { folders[$0] } ?? [:]
                let joined = known.filter { $0.key != path }.values.reduce(scope) { $0.joined(with: $1) }
                let number = try changes.watch(path, for: joined.kernelScope)
                if isKnown, numbers[path] == number { continue }
                if numbers[path] != number { drop(path) }
                var paths = folders[number] ?? [:]
                paths[path] = scope
                if paths.count > 1 {
                    // Another path already leads to this folder.
                    _ = try changes.watch(path, for: paths.values.reduce(scope) { $0.joined(with: $1) }.kernelScope)
                }
                numbers[path] = number
                folders[number] = paths
                missing.remove(path)
                isWider = true
            } catch {
                drop(path)
                if error.code == ENOSPC {
                    return (isWider, "the system allows this user no more watched folders: \(error)")
                }
                // The last scan may have found it, and no event reports a change since, so another scan follows.
                if missing.insert(path).inserted { isWider = true }
            }
        }
        return (isWider, nil)
    }

    /// Reads the pending events. Returns true if they may change the result of a scan.
    func takeChanges() -> Bool {
        var counts = false
        var gone: Set<String> = []
        var isLedElsewhere = false
        for event in changes.events() {
            if event.isOverflow {
                startOver()
                return true
            }
            guard let paths = folders[event.watch] else { continue }
            if event.isGone {
                gone.formUnion(paths.keys)
                if event.hasEnded { folders[event.watch] = nil }
            } else {
                let concerned = paths.filter { $0.value.counts(event.name) }.keys
                if concerned.isEmpty { continue }
                if event.isPlacement, !links.isEmpty {
                    isLedElsewhere =
                        isLedElsewhere
                        || concerned.contains { links.contains($0 == "/" ? "/\(event.name)" : "\($0)/\(event.name)") }
                }
            }
            counts = true
        }
        // A watch behind a link stays on the link's old target. The events do not tell which paths led through the
        // link; links rarely change, so all paths are dropped.
        if isLedElsewhere {
            for path in Array(numbers.keys) { drop(path) }
            return true
        }
        // The folders below a moved one moved with it, without events of their own.
        if !gone.isEmpty {
            for path in Array(numbers.keys) where isOrLiesBelow(path, gone) { drop(path) }
        }
        return counts
    }

    private func isOrLiesBelow(_ path: String, _ folders: Set<String>) -> Bool {
        var part = path
        while part.utf8.count > 1 {
            if folders.contains(part) { return true }
            part = part.folder
        }
        return false
    }

    private func drop(_ path: String) {
        guard let number = numbers.removeValue(forKey: path) else { return }
        guard var paths = folders[number] else { return }
        paths[path] = nil
        folders[number] = paths.isEmpty ? nil : paths
        if paths.isEmpty { changes.end(number) }
    }

    /// Drops all state after an overflow, because events of any folder may be lost.
    private func startOver() {
        (numbers, folders) = ([:], [:])
        // If no new descriptor is available, the old one stays; its watches are forgotten here and added again.
        if let fresh = try? FolderChanges() { changes = fresh }
    }
}
