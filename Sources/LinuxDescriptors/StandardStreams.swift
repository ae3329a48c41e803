// StandardStreams: the standard streams for programs that several threads write from.

internal import CLinux
internal import Glibc

public enum StandardStreams {
    /// Writes `text` to standard error, in one call where it goes, so that lines of several threads do not mix. May wait for
    /// whoever reads there.
    public static func writeError(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(2, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                // Nobody is left to tell when standard error itself fails.
                guard count > 0 else { return }
                written += count
            }
        }
    }

    /// Makes standard output go out line by line, also into a pipe.
    public static func lineBufferOutput() { exthost_line_buffer_output() }

    public static func flushOutput() { exthost_flush_output() }
}
