// IBusLocation: the address of the user's IBus daemon.

package import ExtensionProtocol
import Glibc
import LinuxSystem

/// The places where an IBus daemon writes its address.
package struct IBusLocation: Sendable {
    /// The maximum size of the file with the address.
    static let maximumSize = 4096

    private let variable: @Sendable (String) -> String?
    private let machineFiles: [String]

    /// Makes the location of this process's user and display.
    package init() {
        self.init(machineFiles: ["/var/lib/dbus/machine-id", "/etc/machine-id"]) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    /// - Parameter variable: returns a variable of the environment.
    init(machineFiles: [String], variable: @escaping @Sendable (String) -> String?) {
        (self.machineFiles, self.variable) = (machineFiles, variable)
    }

    /// Returns the address: `$IBUS_ADDRESS`, else that of the file of this display, whose daemon must run.
    ///
    /// - Throws: `ExtensionHostError` `serviceUnavailable` with the path of the file.
    package func address() throws(ExtensionHostError) -> String {
        if let address = value("IBUS_ADDRESS") { return address }
        guard let path = file else {
            throw Self.missing("the address file of IBus has no place: HOME is not set", "Set HOME")
        }
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, maximumSize: Self.maximumSize)
        } catch {
            throw Self.missing("there is no IBus address: \(path) cannot be read", cause: "\(error)")
        }
        var address: String?
        var pid: pid_t?
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("IBUS_ADDRESS=") { address = String(line.dropFirst(13)) }
            if line.hasPrefix("IBUS_DAEMON_PID=") { pid = pid_t(line.dropFirst(16)) }
        }
        guard let address, !address.isEmpty else {
            throw Self.missing("\(path) has no line IBUS_ADDRESS")
        }
        // The file outlives its daemon. Another user's process exists, too.
        guard let pid, pid > 0, kill(pid, 0) == 0 || errno == EPERM else {
            throw Self.missing("the IBus daemon of \(path) does not run any more")
        }
        return address
    }

    private static func missing(
        _ message: String, _ remedy: String = "Start ibus-daemon, or name its bus with --address or IBUS_ADDRESS",
        cause: String? = nil
    ) -> ExtensionHostError {
        ExtensionHostError(.serviceUnavailable, message, remedy: remedy, cause: cause)
    }

    private func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// The path of the file: `$IBUS_ADDRESS_FILE`, else MACHINE-HOST-DISPLAY in the user's configuration.
    var file: String? {
        if let path = value("IBUS_ADDRESS_FILE") { return path }
        guard let folder = value("XDG_CONFIG_HOME") ?? value("HOME").map({ $0 + "/.config" }) else { return nil }
        return "\(folder)/ibus/bus/\(machine)-\(display)"
    }

    private var machine: String {
        for path in machineFiles {
            guard let bytes = try? readFile(path, maximumSize: Self.maximumSize) else { continue }
            let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            if let name = text.first { return String(name) }
        }
        return "machine-id"
    }

    /// The host and the number of the display. A Wayland display is its name, on the host `unix`.
    private var display: String {
        if let name = value("WAYLAND_DISPLAY") { return "unix-\(name)" }
        let parts = (value("DISPLAY") ?? ":0").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts[0].isEmpty ? "unix" : String(parts[0])
        let number = parts.count > 1 ? parts[1].prefix { $0 != "." } : "0"
        return "\(host)-\(number)"
    }
}
