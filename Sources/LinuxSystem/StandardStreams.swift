// StandardStreams: the standard streams for programs that several threads write from.

internal import CLinux
internal import Glibc

public enum StandardStreams {
    /// Writes `text` to standard error in one call, so that lines of several threads do not mix.
    public static func writeError(_ text: String) {
        var text = text
        // Nobody is left to tell when standard error itself fails.
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }

    /// Makes standard output go out line by line, also into a pipe.
    public static func lineBufferOutput() { exthost_line_buffer_output() }

    public static func flushOutput() { exthost_flush_output() }
}
