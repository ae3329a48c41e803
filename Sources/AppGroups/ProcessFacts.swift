// ProcessFacts: the environment and the program's path of this process.

internal import Glibc
internal import LinuxDescriptors

/// A variable of the environment; nil when it is not set, or empty.
func environmentValue(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}

/// The file of the running program.
func programPath() throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw SystemError("readlink") }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
