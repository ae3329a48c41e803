// DoctorSubject: the installation that is looked at: which daemon, what it says of itself, and what holds where there is none.

import ExtensionHost
import ExtensionProtocol
import ExtensionRegistry
import Glibc

struct DoctorSubject: Sendable {
    /// What a daemon that answers said.
    struct Daemon: Sendable {
        let status: DaemonStatus
        /// Every copy; nil where the daemon is too old to be asked.
        let copies: [ExtensionRecord]?
    }

    let address: DaemonAddress
    /// Whether somebody said which daemon is meant, so that there should be one.
    let isNamed: Bool
    let isSystem: Bool
    let daemon: Daemon?
    /// Why there is none.
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

    /// The daemon's own, else where one that is started here would look.
    var folders: [String] { daemon?.status.folders ?? SearchPath.standard }

    /// Where the daemon keeps elections, or would; nil where it keeps none on disk.
    var stateFolder: String? {
        guard let state = daemon?.status.state else { return daemon == nil ? StateFolder.path(isSystem: isSystem) : nil }
        return state.hasPrefix("/") ? state : nil
    }

    /// By the daemon, else by looking through the folders. Reads files.
    var copies: [ExtensionRecord] { daemon?.copies ?? ExtensionRegistry.scan(folders).copies.map(\.record) }

    /// Whose rights count.
    var user: uid_t { daemon.map { uid_t(truncatingIfNeeded: $0.status.user) } ?? geteuid() }
}
