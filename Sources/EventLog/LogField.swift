// LogField: the names of a log line's metadata, which are those of the journal's fields.

/// The fields, each named after its value; a line may have several requests.
public enum LogField {
    public static let message = "MESSAGE_ID"
    public static let event = "EXTHOST_EVENT"
    public static let sequence = "EXTHOST_SEQUENCE"
    public static let request = "EXTHOST_REQUEST"
    /// The open requests of a line that an extension printed while several were open in its process: none has it alone.
    public static let openRequest = "EXTHOST_OPEN_REQUEST"
    public static let `extension` = "EXTHOST_EXTENSION"
    public static let host = "EXTHOST_HOST"
    public static let pid = "EXTHOST_PID"
    public static let from = "EXTHOST_FROM"
    public static let to = "EXTHOST_TO"
    public static let cause = "EXTHOST_CAUSE"
    /// The number of omitted lines, in the line that reports them.
    public static let leftOut = "EXTHOST_LEFT_OUT"
    /// The stream of an extension's output: `stdout` or `stderr`.
    public static let stream = "EXTHOST_STREAM"
}
