// InitProgram: the path of exthost-init, the program that encloses extensions.

import Glibc
import LinuxSystem

enum InitProgram {
    /// The path: `$EXTHOST_INIT`, else a file beside this program, else that of an installation. Nil if none is
    /// executable.
    static let path: String? = {
        if let named = getenv("EXTHOST_INIT").map({ String(cString: $0) }), !named.isEmpty {
            return access(named, X_OK) == 0 ? named : nil
        }
        guard let folder = programFolder else { return nil }
        return ["\(folder)/exthost-init", "\(folder)/../libexec/exthost/exthost-init"].first { access($0, X_OK) == 0 }
    }()

    private static var programFolder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = buffer[..<count].map { UInt8(bitPattern: $0) }
        return path.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: path[..<$0], as: UTF8.self) }
    }
}
