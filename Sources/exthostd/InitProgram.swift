// InitProgram: where exthost-init lies, the program that encloses extensions.

import Glibc
import LinuxSystem

enum InitProgram {
    /// `$EXTHOST_INIT`, else beside this program, else where an installation has it; nil where none of them can be executed.
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
