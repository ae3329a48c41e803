// ContainerFolder: the folder of all containers, which makes and removes them.

package import ExtensionProtocol
import Glibc
package import LinuxSystem

/// The reason why a container is not available.
package struct ContainerError: Error, Sendable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path): \(reason)" }
}

/// The folder that holds the containers. Each is made at its first use, for this user alone.
///
/// Members of a group may write into its container, so its contents are not trusted. No part below the folder of
/// containers may be a link, and each part must belong to this user.
package struct ContainerFolder: Sendable {
    package let path: String
    /// The user who owns these containers; nil for this process's user.
    private let identity: UserIdentity?

    /// - Parameter identity: another user, whose containers lie in a folder named by the user's number. All work there
    ///   uses that user's rights to files and no others.
    package init(path: String, of identity: UserIdentity? = nil) {
        self.path = identity.map { "\(path)/\($0.uid)" } ?? path
        self.identity = identity
    }

    private var owner: UInt32 { identity?.uid ?? geteuid() }

    /// The folders that programs expect in a container (Apple's File System Programming Guide, “About the iOS File
    /// System”).
    private static let usual = ["Documents", "Library", "Library/Caches", "Library/Preferences", "tmp"]

    /// A container that exists and was opened and checked.
    package struct Made: Sendable {
        package let folder: ViewFile
        /// The container's `tmp`; nil if its owner has put something else there.
        package let temporary: ViewFile?
        package var path: String { folder.path }
    }

    /// Makes or opens an extension's own container. This takes a dozen system calls if it exists.
    package func makePlugIn(_ identifier: String) throws(ContainerError) -> Made {
        try make(ContainerNames.plugIns, identifier, usual: Self.usual)
    }

    /// Makes or opens an app's own container.
    package func makeApplication(_ identifier: String) throws(ContainerError) -> Made {
        try make(ContainerNames.applications, identifier, usual: Self.usual)
    }

    /// Whether a service's program has a container of its own, because it was launched before.
    package func hasService(_ identifier: String) -> Bool {
        guard let place = place(ContainerNames.services, identifier) else { return false }
        let isThere = try? asOwner { () throws(ContainerError) -> Bool in
            var status = stat()
            return lstat(place, &status) == 0
        }
        return isThere == true
    }

    /// Makes or opens the own container of a service's program.
    package func makeService(_ identifier: String) throws(ContainerError) -> Made {
        try make(ContainerNames.services, identifier, usual: ["tmp"])
    }

    /// Opens the folder that has all containers, once one has been made.
    package func whole() throws(ContainerError) -> ViewFile {
        try asOwner { () throws(ContainerError) in
            let folder = try openTop()
            do throws(SystemError) {
                return try ViewFile(path, opened: folder)
            } catch {
                throw ContainerError(path: path, reason: "\(error)")
            }
        }
    }

    /// Makes or opens a group's container.
    package func makeGroup(_ group: GroupIdentifier) throws(ContainerError) -> Made {
        try make(ContainerNames.groups, group.text, usual: ["Library", "Library/Caches", "Library/Preferences"])
    }

    package func plugIn(_ identifier: String) -> String? { place(ContainerNames.plugIns, identifier) }
    package func application(_ identifier: String) -> String? { place(ContainerNames.applications, identifier) }
    package func group(_ group: GroupIdentifier) -> String { "\(path)/\(ContainerNames.groups)/\(group)" }

    private func place(_ kind: String, _ name: String) -> String? {
        Self.isName(name) ? "\(path)/\(kind)/\(name)" : nil
    }

    /// Whether an identifier can name a folder, and only the folder of its own.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 255 && name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    // MARK: Making

    private func make(_ kind: String, _ name: String, usual: [String]) throws(ContainerError) -> Made {
        if let identity { try makeTop(identity) }
        return try asOwner { () throws(ContainerError) in try makeNow(kind, name, usual: usual) }
    }

    /// Runs `body` with the rights of the containers' user: nobody else may look into their folder.
    private func asOwner<Value>(_ body: () throws(ContainerError) -> Value) throws(ContainerError) -> Value {
        guard let identity else { return try body() }
        let result: Result<Value, ContainerError>
        do throws(SystemError) {
            result = try withFileAccess(of: identity, body)
        } catch {
            throw ContainerError(path: path, reason: "\(error)")
        }
        return try result.get()
    }

    private func makeNow(_ kind: String, _ name: String, usual: [String]) throws(ContainerError) -> Made {
        guard Self.isName(name) else {
            throw ContainerError(path: "\(path)/\(kind)", reason: "“\(name)” is not a folder name")
        }
        var folder = try openTop()
        var place = path
        for part in kind.split(separator: "/").map(String.init) + [name] {
            place += "/" + part
            folder = try open(part, in: folder, place)
        }
        try Self.close(folder, place)
        for inner in usual { Self.make(inner, in: folder.raw) }
        do throws(SystemError) {
            let opened = try ViewFile(place, opened: folder)
            let temporary = try? opened.file("tmp")
            return Made(folder: opened, temporary: temporary?.isFolder == true ? temporary : nil)
        } catch {
            throw ContainerError(path: place, reason: "\(error)")
        }
    }

    /// Makes the folder of another user's containers, in a folder that only this process's group may write to.
    ///
    /// Only a process with the user's rights to files and that group can make a folder there. It belongs to the user
    /// from the start, so no right to change owners is needed.
    private func makeTop(_ identity: UserIdentity) throws(ContainerError) {
        var status = stat()
        if lstat(path, &status) == 0 { return }
        let above = String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex).dropLast())
        if mkdir(above, 0o700) == 0 || (lstat(above, &status) == 0 && status.st_mode & 0o7777 == 0o700) {
            chmod(above, 0o731)
        }
        do throws(SystemError) {
            let made: Result<Void, SystemError> = try withFileAccess(of: identity, group: getegid()) {
                () throws(SystemError) in
                guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir") }
            }
            try made.get()
        } catch {
            throw ContainerError(path: path, reason: "\(error)")
        }
    }

    /// Opens the folder of containers. The operator chose its path, which may therefore contain links.
    private func openTop() throws(ContainerError) -> OwnedDescriptor {
        guard identity == nil else {
            // This daemon made another user's folder; whatever replaced it is not trusted.
            let raw = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard raw >= 0 else { throw ContainerError(path: path, reason: "\(SystemError("open"))") }
            let opened = OwnedDescriptor(owning: raw)
            var status = stat()
            guard fstat(raw, &status) == 0, status.st_uid == owner else {
                throw ContainerError(path: path, reason: "it belongs to user \(status.st_uid), not to \(owner)")
            }
            return opened
        }
        var raw = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if raw < 0, errno == ENOENT {
            var made = ""
            for part in path.split(separator: "/") {
                made += "/" + part
                _ = mkdir(made, 0o700)
            }
            raw = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard raw >= 0 else { throw ContainerError(path: path, reason: "\(SystemError("open"))") }
        return OwnedDescriptor(owning: raw)
    }

    private func open(_ name: String, in folder: borrowing OwnedDescriptor, _ path: String) throws(ContainerError)
        -> OwnedDescriptor
    {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var raw = openat(folder.raw, name, flags)
        if raw < 0, errno == ENOENT {
            if let code = FailureInjection.disk.consume() {
                throw ContainerError(path: path, reason: "\(SystemError("mkdir", code: code))")
            }
            guard mkdirat(folder.raw, name, 0o700) == 0 || errno == EEXIST else {
                throw ContainerError(path: path, reason: "\(SystemError("mkdir"))")
            }
            raw = openat(folder.raw, name, flags)
        }
        if raw < 0, errno == EACCES {
            restoreRights(to: name, in: folder.raw)
            raw = openat(folder.raw, name, flags)
        }
        guard raw >= 0 else {
            let isLink = errno == ELOOP || errno == ENOTDIR
            throw ContainerError(
                path: path,
                reason: isLink ? "it is a link, not a folder, and links are not followed" : "\(SystemError("open"))")
        }
        let opened = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(raw, &status) == 0, status.st_uid == owner else {
            throw ContainerError(path: path, reason: "it belongs to user \(status.st_uid), not to \(owner)")
        }
        return opened
    }

    /// Makes a folder in a container, with the folders above it. It follows no link.
    ///
    /// The contents of a container are its owner's, so any other file in that place stays.
    private static func make(_ path: String, in folder: Int32) {
        guard let slash = path.firstIndex(of: "/") else {
            mkdirat(folder, path, 0o700)
            return
        }
        let raw = openat(folder, String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { return }
        let inner = OwnedDescriptor(owning: raw)
        make(String(path[path.index(after: slash)...]), in: inner.raw)
    }

    /// Restores its owner's rights to a folder of containers, which a program that shares it may have removed. Follows
    /// no link.
    private func restoreRights(to name: String, in folder: Int32) {
        guard let found = try? openBeneath(folder, name), let facts = try? facts(of: found), facts.owner == owner,
            facts.mode & S_IFMT == S_IFDIR
        else { return }
        chmod("/proc/self/fd/\(found.raw)", 0o700)
    }

    /// Closes a container to other users, even if a program opened it to them: it belongs to its user alone.
    private static func close(_ container: borrowing OwnedDescriptor, _ path: String) throws(ContainerError) {
        var status = stat()
        guard fstat(container.raw, &status) == 0, status.st_mode & 0o7777 != 0o700 else { return }
        guard fchmod(container.raw, 0o700) == 0 else {
            throw ContainerError(path: path, reason: "\(SystemError("fchmod"))")
        }
    }

    // MARK: Taking away

    /// The folder in which retired containers wait for their deletion.
    private var removed: String { path + "/Removed" }

    /// Moves a container out of its place, in one step, so the next use of its name makes a new one.
    ///
    /// The contents wait for `deleteRetired`.
    ///
    /// - Returns: false if there is no such container.
    package func retire(_ container: String) throws(SystemError) -> Bool {
        let name = try randomBytes(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        _ = mkdir(removed, 0o700)
        let target = "\(removed)/\(name)"
        if rename(container, target) == 0 { return true }
        var status = stat()
        guard lstat(container, &status) == 0 else { return false }
        // A folder can be renamed only with write access to it, which its owner may have removed.
        guard status.st_mode & S_IFMT == S_IFDIR, chmod(container, 0o700) == 0, rename(container, target) == 0 else {
            throw SystemError("rename")
        }
        return true
    }

    /// Whether retired containers may be waiting for deletion.
    package var hasRetired: Bool { access(removed, F_OK) == 0 }

    /// Deletes the retired containers of this daemon, and those that an earlier one left. Blocks, and follows no link.
    ///
    /// - Returns: each path that could not be removed, with the reason.
    package func deleteRetired() -> [String] {
        guard let names = try? listDirectory(removed, maximumCount: 1 << 20) else { return [] }
        return names.compactMap { name in
            // The entry is a link, or another file in a container's place.
            if unlink("\(removed)/\(name)") == 0 { return nil }
            do throws(SystemError) {
                try removeTree("\(removed)/\(name)")
                return nil
            } catch {
                return "\(removed)/\(name): \(error)"
            }
        }
    }
}
