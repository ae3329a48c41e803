// FolderWatch: the watched folders, kept in step with what a walk found, and whether what happened in them counts.

import Glibc
import LinuxSystem

/// What counts in a folder.
enum WatchScope: Sendable, Hashable {
    /// Its own end or move.
    case itself
    /// These names appearing in it, besides.
    case awaiting(Set<String>)
    /// Any entry that comes or goes.
    case names
    /// Any change of an entry.
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

    /// Whether an entry of this name is one of those that are waited for.
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

/// On one thread. Sleeps in the kernel: nothing happens here while nothing happens there.
final class FolderWatch {
    /// Folders watched at the most: what a registry of some thousand bundles needs, and well below what the system allows by default.
    static let limit = 60_000

    private var changes: FolderChanges
    private var numbers: [String: Int32] = [:]
    /// By the kernel's number, which two paths to one folder share: what counts by each of them.
    private var folders: [Int32: [String: WatchScope]] = [:]

    /// The links that lead to watched folders.
    private var links: Set<String> = []
    /// Whether something was watched anew, so that a path may have been led elsewhere before what leads it was watched.
    private var isUncertain = false
    /// What was to be watched and was not there. A walk has looked since, or is about to.
    private var missing: Set<String> = []

    init() throws(SystemError) { changes = try FolderChanges() }

    /// For polling. Changes after an overflow.
    var raw: Int32 { changes.raw }

    /// Watches exactly these folders from now on; those that cannot be watched are passed over. After a time that watched more than before,
    /// each path is led to its folder once more: nobody told of a link that changed while the folders were watched one by one.
    ///
    /// - Returns: whether a folder is watched that was not before, or could not be found again, so that what happened in it meanwhile is
    ///   unknown; and why some are not watched, when there are too many.
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
                return (isWider, "more than \(Self.limit) folders would have to be watched")
            }
            do throws(SystemError) {
                // The kernel takes the new scope for the old one, so all that count are joined.
                let known = numbers[path].flatMap { folders[$0] } ?? [:]
                let joined = known.filter { $0.key != path }.values.reduce(scope) { $0.joined(with: $1) }
                let number = try changes.watch(path, for: joined.kernelScope)
                if isKnown, numbers[path] == number { continue }
                if numbers[path] != number { drop(path) }
                var paths = folders[number] ?? [:]
                paths[path] = scope
                if paths.count > 1 {
                    // Another path had led here already.
                    _ = try changes.watch(path, for: paths.values.reduce(scope) { $0.joined(with: $1) }.kernelScope)
                }
                numbers[path] = number
                folders[number] = paths
                missing.remove(path)
                isWider = true
            } catch {
                drop(path)
                if error.code == ENOSPC { return (isWider, "the system lets this user watch no more folders: \(error)") }
                // The walk before may have found it. Nobody tells what has become of it since: one more walk looks.
                if missing.insert(path).inserted { isWider = true }
            }
        }
        return (isWider, nil)
    }

    /// Takes what has happened; true when it may have changed what a walk finds.
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
        // What is watched behind a link is still where that led. By which of its paths something was reached through links nobody
        // can tell, and links are led elsewhere seldom.
        if isLedElsewhere {
            for path in Array(numbers.keys) { drop(path) }
            return true
        }
        // Whatever lay below was moved along without a word.
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

    /// After an overflow nothing is known of any folder.
    private func startOver() {
        (numbers, folders) = ([:], [:])
        // Without a descriptor for a new one the old one goes on, its watches forgotten here and given anew.
        if let fresh = try? FolderChanges() { changes = fresh }
    }
}
