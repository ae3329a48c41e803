// FolderFindings: checks of the folders of sockets and of temporary files: their owners, their permissions, and
// leftovers.

import Glibc
import LinuxSystem

struct FolderFindings {
    let subject: DoctorSubject

    func findings() -> [DoctorFinding] { [runtimeFolder, temporaryFolder, leftovers] }

    // MARK: Sockets

    private var runtimeFolder: DoctorFinding {
        if subject.isSystem {
            return privateFolder(
                "/run/exthost", orElse: "systemd makes it with RuntimeDirectory=, exthostd --system makes it itself")
        }
        guard let path = UserSocket.runtimeFolder else { return sharedFolder(UserSocket.sharedFolder) }
        return privateFolder(path, orElse: "Make it with mode 0700, or set XDG_RUNTIME_DIR to another folder")
    }

    /// Checks the folder that replaces a runtime folder. Any user may have created it.
    private func sharedFolder(_ path: String) -> DoctorFinding {
        let found = "\(path), because XDG_RUNTIME_DIR and /run/user/\(getuid()) do not exist"
        do throws(SystemError) {
            _ = try OwnFolder.open(path, makes: false)
            return .ok(.runtimeFolder, found)
        } catch {
            if error.code == ENOENT { return .ok(.runtimeFolder, "\(found); the daemon makes it with the socket") }
            return .problem(
                .runtimeFolder, "\(found): other users can access it",
                remedy: "Remove it, or set XDG_RUNTIME_DIR to a folder of your own for the daemon and for its clients")
        }
    }

    private func privateFolder(_ path: String, orElse remedy: String) -> DoctorFinding {
        guard let folder = FileLook(path) else {
            return .warning(.runtimeFolder, "there is no \(path)", remedy: remedy)
        }
        guard folder.isDirectory else {
            return .problem(
                .runtimeFolder, "\(path) is \(folder.kind)", remedy: "Set XDG_RUNTIME_DIR to a folder of your own")
        }
        let found = "\(path), owner \(folder.owner), mode \(folder.modeText)\(place(path))"
        if folder.owner != subject.user, folder.owner != 0 {
            return .problem(
                .runtimeFolder, "\(found): belongs to another user",
                remedy: "Set XDG_RUNTIME_DIR to a folder of your own")
        }
        if folder.isOpenToOthers {
            return .problem(.runtimeFolder, "\(found): other users can write there", remedy: "chmod 700 \(path)")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            return .problem(
                .runtimeFolder, "\(found): not writable", remedy: "Set XDG_RUNTIME_DIR to a folder of your own")
        }
        if folder.mode & 0o077 != 0, !subject.isSystem {
            return .warning(.runtimeFolder, "\(found): other users can read it", remedy: "chmod 700 \(path)")
        }
        return .ok(.runtimeFolder, found)
    }

    // MARK: Temporary files

    private var temporaryPath: String { variable("TMPDIR") ?? "/tmp" }

    private var temporaryFolder: DoctorFinding {
        let path = temporaryPath
        let remedy = "Set TMPDIR to a writable folder"
        guard let folder = FileLook(path) else {
            return .problem(.temporaryFolder, "there is no \(path)", remedy: remedy)
        }
        guard folder.isDirectory else { return .problem(.temporaryFolder, "\(path) is \(folder.kind)", remedy: remedy) }
        let found = "\(path), owner \(folder.owner), mode \(folder.modeText)\(place(path))"
        if folder.owner != geteuid(), folder.owner != 0 {
            return .problem(
                .temporaryFolder, "\(found): belongs to another user, who can change its files", remedy: remedy)
        }
        if folder.isOpenToOthers {
            return .problem(
                .temporaryFolder, "\(found): other users can remove and rename your files",
                remedy: "chmod +t \(path), or set TMPDIR")
        }
        do {
            let trial = try TemporaryDirectory(prefix: "exthost-doctor", in: path)
            try trial.remove()
        } catch {
            return .problem(.temporaryFolder, "\(found): no folder can be made there: \(error)", remedy: remedy)
        }
        if let facts = try? FileSystemFacts(of: path), facts.forbidsExecution {
            return .warning(
                .temporaryFolder, "\(found): mounted with noexec, so no program runs there",
                remedy: "Set TMPDIR to another folder for tests that put bundles there, or mount it with exec")
        }
        return .ok(.temporaryFolder, found)
    }

    private func place(_ path: String) -> String { (try? FileSystemFacts(of: path)).map { ", on \($0.type)" } ?? "" }

    // MARK: Leftovers

    /// The age in seconds below which a folder may be about to be used.
    private static let youngest = 60

    private var leftovers: DoctorFinding {
        let path = temporaryPath
        let names = ((try? listDirectory(path, maximumCount: 100_000)) ?? []).filter { name in
            ["exthostd-", "exthost-items-", "exthost-thumbnail-", "exthost-doctor-"].contains { name.hasPrefix($0) }
        }
        let left = names.map { "\(path)/\($0)" }.filter(isLeft)
        guard let first = left.first else {
            return .ok(.temporaryLeftovers, "\(path) has no folder of a killed daemon or program")
        }
        return .warning(
            .temporaryLeftovers,
            "\(left.count) folder\(left.count == 1 ? "" : "s") of programs that were killed: \(first)\(left.count > 1 ? " …" : "")",
            remedy: "rm -r " + left.prefix(8).joined(separator: " "))
    }

    /// Whether a folder is unused: no daemon listens in it, and no process holds its lock.
    private func isLeft(_ folder: String) -> Bool {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            time(nil) - Int(status.st_mtim.tv_sec) > Self.youngest
        else { return false }
        let names = (try? listDirectory(folder, maximumCount: 1000)) ?? []
        for socket in names.map({ "\(folder)/\($0)" }) where FileLook(socket)?.isSocket == true {
            do throws(SystemError) {
                _ = try Socket.connect(to: socket, patience: 1000)
                return false
            } catch {
                // Another error, such as that of a bus's socket of another type, means that a process listens.
                guard error.code == ECONNREFUSED else { return false }
            }
        }
        guard let descriptor = try? openDirectory(folder) else { return false }
        return (try? lockFile(descriptor.raw, exclusive: true)) == true
    }
}

/// Returns an environment variable. An empty one counts as missing.
func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
