// DoctorSubject: the installation under examination: the daemon, its status, and the defaults that apply without one.

import ExtensionHost
import ExtensionProtocol
import ExtensionRegistry
import Glibc

struct DoctorSubject: Sendable {
    /// The data of a daemon that answers.
    struct Daemon: Sendable {
        let status: DaemonStatus
        /// All copies of extensions. Nil if the daemon is too old to list them.
        let copies: [ExtensionRecord]?
    }

    let address: DaemonAddress
    /// Whether the user named a daemon, so that one should be running.
    let isNamed: Bool
    let isSystem: Bool
    let daemon: Daemon?
    /// The reason why no daemon answers.
    let failure: ExtensionHostError?

    init(_ address: DaemonAddress, isNamed: Bool, isSystem: Bool) async {
        self.address = address
        self.isNamed = isNamed
        self.isSystem = isSystem
        do {
            let control = try await DaemonControl.connect(name: "exthostctl doctor", to: address)
            let status = try await control.status()
            let copies: [ExtensionRecord]?
            do {
                copies = try await control.extensions(allCopies: true)
            } catch let error as ExtensionHostError where error.code == .versionMismatch {
                copies = nil
            }
            daemon = Daemon(status: status, copies: copies)
            failure = nil
        } catch {
            daemon = nil
            failure = error as? ExtensionHostError ?? ExtensionHostError(.internalError, "\(error)")
        }
    }

    /// The daemon's folders, else those that a daemon started here would scan.
    var folders: [String] { daemon?.status.folders ?? SearchPath.standard }

    /// The folder in which the daemon stores elections, or would. Nil if it stores none on disk.
    var stateFolder: String? {
        guard let state = daemon?.status.state else {
            return daemon == nil ? StateFolder.path(isSystem: isSystem) : nil
        }
        return state.hasPrefix("/") ? state : nil
    }

    /// The copies of extensions, from the daemon, else from a scan of the folders. It reads files.
    var copies: [ExtensionRecord] { daemon?.copies ?? ExtensionRegistry.scan(folders).copies.map(\.record) }

    /// The user whose permissions count.
    var user: uid_t { daemon.map { uid_t(truncatingIfNeeded: $0.status.user) } ?? geteuid() }
}
