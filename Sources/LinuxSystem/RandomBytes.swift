// RandomBytes: unpredictable bytes from the kernel.

internal import CLinux
internal import Glibc

/// Returns `count` bytes from getrandom(2), good for secrets. Waits only on a machine that has just booted.
public func randomBytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
        let got = bytes.withUnsafeMutableBytes { exthost_random($0.baseAddress! + filled, count - filled) }
        if got < 0 {
            if got == -Int(EINTR) { continue }
            throw SystemError("getrandom", code: Int32(-got))
        }
        filled += got
    }
    return bytes
}
