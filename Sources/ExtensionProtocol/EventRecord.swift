// EventRecord: the initialiser of an event's record.

extension EventRecord {
    public init(
        sequence: Int, time: Int, event: EventName, request: RequestIdentifier? = nil,
        extensionIdentifier: String? = nil,
        host: String? = nil, pid: Int? = nil, from: String? = nil, to: String? = nil, cause: Cause? = nil,
        detail: String? = nil
    ) {
        self.sequence = sequence
        self.time = time
        self.event = event.rawValue
        self.request = request
        self.extensionIdentifier = extensionIdentifier
        self.host = host
        self.pid = pid
        self.from = from
        self.to = to
        self.cause = cause
        self.detail = detail
    }
}
