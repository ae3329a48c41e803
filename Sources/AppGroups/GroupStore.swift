// GroupStore: a group's shared defaults as one process has them, coherent with every other process.

internal import ExtensionWire
internal import LinuxDescriptors
internal import Locks
internal import PropertyListCoding

/// The shared defaults of a group; a process has one for each group. Any thread may call it.
///
/// A reader checks with one call whether the file is still the one that it knows, and so sees what any process has set.
/// A writer takes the lock of the group, reads the current file, changes its values and replaces the file: no update is
/// lost.
final class GroupStore: Sendable {
    let group: GroupIdentifier
    let file: StoreFile

    private struct State {
        /// The values that were read or written last.
        var known = StorePicture.empty
        /// The file of the last notification to the listeners, or the one that this process made itself.
        var announced: FileIdentity?
        /// Whether the last change could not be stored.
        var hasFailed = false
        /// The messages that were already logged; each is logged once.
        var said: Set<String> = []
    }

    private let state = Mutex(State())
    /// One writer of this process at a time, so that readers never wait for another process's lock.
    private let writing = Mutex(())

    /// - Parameter container: the group's folder; made when the first value is set.
    init(_ group: GroupIdentifier, container: String) {
        self.group = group
        file = StoreFile(of: group, container: container)
        state.withLock { $0.announced = try? file.identity() }
    }

    /// Makes the folders, so that they can be watched; what fails shows when a value is set.
    func prepare() { file.makeFolders() }

    // MARK: Reading

    /// All values, as the last writer of any process has left them.
    func values() -> PropertyListDictionary {
        let (values, damage) = state.withLock { state -> (PropertyListDictionary, Bool) in
            do throws(StoreError) {
                try refresh(&state)
                return (state.known.values, false)
            } catch {
                if case .damaged = error { return ([:], true) }
                say("\(error)", &state)
                return (state.known.values, false)
            }
        }
        guard damage else { return values }
        _ = change { _ in false }
        return state.withLock { $0.known.values }
    }

    /// Reads the file if it is another than the one known.
    private func refresh(_ state: inout sending State) throws(StoreError) {
        let identity = try file.identity()
        guard identity != state.known.identity else { return }
        state.known = identity == nil ? .empty : try file.read()
    }

    // MARK: Changing

    /// Changes the values with `edit`, which returns whether it has changed anything.
    ///
    /// Returns whether listeners must be called.
    ///
    /// `edit` may be called a second time, with other values, and never while `values` or `change` runs below it. A
    /// failure is logged to standard error and leaves the old values; the next `synchronize` then returns `false`.
    func change(_ edit: (inout PropertyListDictionary) -> Bool) -> Bool {
        do throws(StoreError) {
            return try writing.withLock { _ throws(StoreError) in try changeAlone(edit) }
        } catch {
            state.withLock { state in
                state.hasFailed = true
                say("no value was changed. \(error)", &state)
            }
            return false
        }
    }

    private func changeAlone(_ edit: (inout PropertyListDictionary) -> Bool) throws(StoreError) -> Bool {
        try file.withLock { () throws(StoreError) in
            var values = try current()
            guard edit(&values) else { return false }
            let picture = try file.replace(with: values)
            state.withLock { state in
                state.known = picture
                state.announced = picture.identity
            }
            return true
        }
    }

    /// Returns the values under the lock; renames a damaged file.
    private func current() throws(StoreError) -> PropertyListDictionary {
        let found: Result<PropertyListDictionary, StoreError> = state.withLock { state in
            do throws(StoreError) {
                try refresh(&state)
                return .success(state.known.values)
            } catch {
                return .failure(error)
            }
        }
        switch found {
        case .success(let values): return values
        case .failure(.damaged(let path, let reason)):
            let name = try file.setAside()
            state.withLock { state in
                state.known = .empty
                say(
                    "\(path) had no valid shared defaults (\(reason)); it is now \(name), and \(group) begins empty",
                    &state)
            }
            return [:]
        case .failure(let error): throw error
        }
    }

    // MARK: The disk, and others' changes

    /// Writes what was set to the disk; returns `false` if that failed, or if a change since the last call was lost.
    func synchronize() -> Bool {
        let picture = state.withLock { state -> StorePicture? in
            defer { state.hasFailed = false }
            return state.hasFailed ? nil : state.known
        }
        guard let picture else { return false }
        do throws(StoreError) {
            try file.synchronize(picture)
            return true
        } catch {
            state.withLock { say("\(error)", &$0) }
            return false
        }
    }

    /// Whether another process has changed the file since the last call, or since this process changed it itself.
    func hasNews() -> Bool {
        state.withLock { state in
            guard let identity = try? file.identity() else { return false }
            guard identity != state.announced else { return false }
            state.announced = identity
            return true
        }
    }

    private func say(_ text: String, _ state: inout sending State) {
        guard state.said.count < 64, state.said.insert(text).inserted else { return }
        StandardStreams.writeError("exthost: \(text)\n")
    }
}
