// StandardStreams: standard output and error of programs with several writing threads.

internal import CLinux
internal import Glibc

public enum StandardStreams {
    /// Writes `text` to standard error, in one call if possible, so that lines of several threads do not mix.
    ///
    /// May wait for the reader at the other end.
    public static func writeError(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(2, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                // An error of standard error itself cannot be reported.
                guard count > 0 else { return }
                written += count
            }
        }
    }

    /// Makes standard output line-buffered, also into a pipe.
    public static func lineBufferOutput() { exthost_line_buffer_output() }

    public static func flushOutput() { exthost_flush_output() }
}
