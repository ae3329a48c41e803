// InstalledProgram: the paths of the installation's programs that the daemon executes.

import ExtensionRegistry
import Glibc
import LinuxSystem

/// The programs beside this one, or those of an installation.
enum InstalledProgram {
    /// The path of exthost-init, which encloses extensions: `$EXTHOST_INIT`, else the installed one. Nil if none is
    /// executable.
    static let initProgram: String? = {
        if let named = getenv("EXTHOST_INIT").map({ String(cString: $0) }), !named.isEmpty {
            return access(named, X_OK) == 0 ? named : nil
        }
        return places(of: "exthost-init").first { access($0, X_OK) == 0 }
    }()

    /// The services of the installation. A program that is missing is an error at the first use of its service.
    ///
    /// - Parameter isScripted: whether background transfers use no network, and tools set the answers.
    static func services(isScripted: Bool) -> [ServiceDefinition] {
        let places = places(of: "exthost-transferd")
        guard let path = places.first(where: { access($0, X_OK) == 0 }) ?? places.first else { return [] }
        return [
            ServiceDefinition(
                "org.exthost.transfers", program: path, arguments: isScripted ? ["--scripted"] : [],
                isNetworkClient: !isScripted, usesContainers: true, keepsAlive: true)
        ]
    }

    private static func places(of name: String) -> [String] {
        guard let folder = programFolder else { return [] }
        return ["\(folder)/\(name)", "\(folder)/../libexec/exthost/\(name)"]
    }

    private static var programFolder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = buffer[..<count].map { UInt8(bitPattern: $0) }
        return path.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: path[..<$0], as: UTF8.self) }
    }
}
