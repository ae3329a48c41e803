// GroupStore: a group's shared defaults as one process has them, coherent with every other process.

internal import ExtensionWire
internal import LinuxDescriptors
internal import Locks
internal import PropertyListCoding

/// One for each group and process; any thread may call.
///
/// A reader looks with one call whether the file is still the one that it knows, and so sees what any process has set. A writer takes the
/// lock of the group, reads what others have made of the file, changes that and replaces the file: no update is lost.
final class GroupStore: Sendable {
    let group: GroupIdentifier
    let file: StoreFile

    private struct State {
        /// What was read last, or written.
        var known = StorePicture.empty
        /// The file that the listeners were told of last, or that this process made itself.
        var announced: FileIdentity?
        /// The last change could not be kept.
        var hasFailed = false
        /// Said once.
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

    /// Changes the values by `edit`, which says whether it has changed anything; it may be called a second time, with other values, and
    /// never while `values` or `change` runs below it. Returns whether there is a change that listeners should hear of; a failure is said
    /// on standard error, leaves the old values and lets the next `synchronize` answer `false`.
    func change(_ edit: (inout PropertyListDictionary) -> Bool) -> Bool {
        do throws(StoreError) {
            return try writing.withLock { _ throws(StoreError) in try changeAlone(edit) }
        } catch {
            state.withLock { state in
                state.hasFailed = true
                say("nothing was changed. \(error)", &state)
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

    /// The values under the lock; what is damaged goes aside.
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
                say("\(path) held no shared defaults (\(reason)); it is now \(name), and \(group) begins empty", &state)
            }
            return [:]
        case .failure(let error): throw error
        }
    }

    // MARK: The disk, and others' changes

    /// Brings what was set onto the disk; `false` when that failed, or when a change since the last call was not kept.
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
