// CurlEngine: the engine on libcurl's multi interface (libcurl-multi(3)).

internal import CCurl
internal import CCurlShims
public import ExtensionWire
internal import Glibc
internal import LinuxDescriptors
internal import TransferMessages

/// An engine that uses the network. Its sockets are watched by one epoll descriptor, so any loop can wait for it.
public final class CurlEngine: TransferEngine {
    private let clock: any TransferClock
    private let multi: UnsafeMutableRawPointer
    private let poll: OwnedDescriptor
    private var transfers: [Int: CurlTransfer] = [:]
    /// Transfers that ended inside a callback, in which libcurl allows no removal.
    private var ended: [CurlTransfer] = []
    private var isStepping = false
    public private(set) var deadline: Int?
    public var descriptor: Int32? { poll.raw }

    /// The events that one call of epoll_wait(2) returns.
    private static let mostEvents = 64
    private static let mostIdleConnections = 16

    /// Makes an engine. A process may have several on one thread.
    ///
    /// - Parameter clock: a clock of the real time, since libcurl has its own.
    /// - Throws: `ExtensionHostError` `internalError` if there are no descriptors, or libcurl cannot begin.
    public init(clock: any TransferClock) throws(ExtensionHostError) {
        // 3 is CURL_GLOBAL_ALL.
        guard curl_global_init(3) == CURLE_OK, let multi = curl_multi_init() else {
            throw ExtensionHostError(.internalError, "libcurl cannot begin")
        }
        let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard raw >= 0 else {
            curl_multi_cleanup(multi)
            throw ExtensionHostError(
                .internalError, "there is no descriptor left", cause: "\(SystemError("epoll_create1"))")
        }
        (self.clock, self.multi) = (clock, multi)
        poll = OwnedDescriptor(owning: raw)
        var callbacks = exthost_curl_multi_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            socket: { _, socket, what, context, _ in
                engine(context)?.watch(socket, what)
                return 0
            },
            timer: { _, milliseconds, context in
                engine(context)?.wait(milliseconds)
                return 0
            })
        exthost_curl_multi_set_callbacks(multi, &callbacks)
        exthost_curl_multi_set_connections(multi, Self.mostIdleConnections)
    }

    deinit {
        for transfer in transfers.values { curl_multi_remove_handle(multi, transfer.easy) }
        curl_multi_cleanup(multi)
    }

    private func watch(_ socket: curl_socket_t, _ what: Int32) {
        var event = epoll_event()
        event.data.fd = socket
        // CURL_POLL_IN, CURL_POLL_OUT and CURL_POLL_REMOVE are 1, 2 and 4.
        if what & 1 != 0 { event.events |= EPOLLIN.rawValue }
        if what & 2 != 0 { event.events |= EPOLLOUT.rawValue }
        guard what & 3 != 0 else {
            epoll_ctl(poll.raw, EPOLL_CTL_DEL, socket, &event)
            return
        }
        if epoll_ctl(poll.raw, EPOLL_CTL_MOD, socket, &event) != 0 {
            epoll_ctl(poll.raw, EPOLL_CTL_ADD, socket, &event)
        }
    }

    private func wait(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : clock.now + milliseconds * 1_000_000
    }

    public func begin(_ attempt: TransferAttempt, for receiver: any TransferEngineReceiver) {
        let transfer = CurlTransfer(attempt, receiver)
        transfers[attempt.task] = transfer
        curl_multi_add_handle(multi, transfer.easy)
    }

    public func end(_ task: Int) {
        guard let transfer = transfers.removeValue(forKey: task) else { return }
        transfer.receiver = nil
        if isStepping {
            ended.append(transfer)
        } else {
            curl_multi_remove_handle(multi, transfer.easy)
        }
    }

    public func step() {
        isStepping = true
        var running: Int32 = 0
        var events = [epoll_event](repeating: epoll_event(), count: Self.mostEvents)
        let count = epoll_wait(poll.raw, &events, Int32(events.count), 0)
        for event in events.prefix(max(0, Int(count))) {
            // CURL_CSELECT_IN, CURL_CSELECT_OUT and CURL_CSELECT_ERR are 1, 2 and 4.
            var what: Int32 = event.events & EPOLLIN.rawValue != 0 ? 1 : 0
            if event.events & EPOLLOUT.rawValue != 0 { what |= 2 }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { what |= 4 }
            curl_multi_socket_action(multi, event.data.fd, what, &running)
        }
        if let deadline, deadline <= clock.now {
            self.deadline = nil
            // -1 is CURL_SOCKET_TIMEOUT.
            curl_multi_socket_action(multi, -1, 0, &running)
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let tag = exthost_curl_tag(easy)
            else { continue }
            finish(Unmanaged<CurlTransfer>.fromOpaque(tag).takeUnretainedValue(), message.pointee.data.result)
        }
        isStepping = false
        for transfer in ended { curl_multi_remove_handle(multi, transfer.easy) }
        ended = []
    }

    /// Reports the end of a transfer.
    private func finish(_ transfer: CurlTransfer, _ code: CURLcode) {
        let task = transfer.attempt.task
        if transfers[task] === transfer { transfers[task] = nil }
        ended.append(transfer)
        // An answer without a body has not been reported yet.
        if code == CURLE_OK { transfer.answer() }
        guard let receiver = transfer.receiver else { return }
        transfer.receiver = nil
        receiver.ended(task, code == CURLE_OK ? nil : transfer.fault(code))
    }
}

/// Returns the engine of a callback.
private func engine(_ context: UnsafeMutableRawPointer?) -> CurlEngine? {
    context.map { Unmanaged<CurlEngine>.fromOpaque($0).takeUnretainedValue() }
}
