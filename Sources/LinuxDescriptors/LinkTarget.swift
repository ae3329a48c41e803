// linkTarget: the target of a symbolic link (readlinkat(2)).

internal import Glibc

/// Returns the target of a link; `nil` if it is no link.
///
/// With an empty path the link is `folder` itself (readlinkat(2)).
public func linkTarget(_ path: String, of folder: Int32? = nil) -> String? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
        let count = readlinkat(
            folder ?? AT_FDCWD, path, UnsafeMutableRawPointer(buffer.baseAddress!).assumingMemoryBound(to: CChar.self),
            buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
