// StoreError: the reasons why a group's shared defaults could not be read or changed.

package import LinuxDescriptors
package import PropertyListCoding

package enum StoreError: Error, Sendable, CustomStringConvertible {
    /// A call on a file failed.
    case system(SystemError, path: String)
    /// Another process has held the lock all the time.
    case locked(path: String, seconds: Int)
    /// The file is no store.
    case damaged(path: String, reason: String)
    /// The values are more than a store holds.
    case tooMuch(PropertyListError)

    package var description: String {
        switch self {
        case .system(let error, let path): "\(path): \(error)"
        case .locked(let path, let seconds):
            "another process has locked \(path) for \(seconds) s; is one of the group's processes stopped?"
        case .damaged(let path, let reason): "\(path) has no valid shared defaults: \(reason)"
        case .tooMuch(let error): "shared defaults cannot store this: \(error)"
        }
    }
}
