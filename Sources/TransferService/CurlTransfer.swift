// CurlTransfer: one attempt as an easy handle of libcurl.

internal import CCurl
internal import CCurlShims
internal import Glibc
internal import LinuxDescriptors
internal import TransferMessages

/// An attempt. Its handle ends with it.
final class CurlTransfer {
    let attempt: TransferAttempt
    let easy: UnsafeMutableRawPointer
    /// The receiver; nil once the attempt was dropped.
    var receiver: (any TransferEngineReceiver)?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let message: UnsafeMutablePointer<CChar>
    private var headers: [TransferHeader] = []
    private var headerBytes = 0
    private var hasAnswered = false
    private var hasTooManyHeaders = false
    private var bodyOffset = 0
    private var bodySize = 0
    private var sent = 0

    private static let mostRedirects = 20
    /// The bytes of all header fields of an answer.
    private static let mostHeaderBytes = 64 << 10
    private static let bufferSize = 128 << 10
    /// CURL_READFUNC_ABORT.
    private static let abort = 0x1000_0000

    init(_ attempt: TransferAttempt, _ receiver: any TransferEngineReceiver) {
        guard let easy = curl_easy_init() else { fatalError("libcurl has no memory") }
        (self.attempt, self.receiver, self.easy) = (attempt, receiver, easy)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        prepare()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        message.deallocate()
    }

    private func prepare() {
        let tag = Unmanaged.passUnretained(self).toOpaque()
        exthost_curl_set_buffer(easy, tag, message)
        func set(_ option: CURLoption, _ value: Int) { exthost_curl_set_long(easy, option, value) }
        func set(_ option: CURLoption, _ value: String) { exthost_curl_set_text(easy, option, value) }
        set(CURLOPT_URL, attempt.request.url)
        // Redirects may lead to these, too, and nowhere else.
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 1)
        set(CURLOPT_MAXREDIRS, Self.mostRedirects)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_BUFFERSIZE, Self.bufferSize)
        let idle = max(1, Int(attempt.idleTimeout.rounded(.up)))
        set(CURLOPT_CONNECTTIMEOUT, idle)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, idle)
        if let body = attempt.body {
            bodySize = (try? FileStatus(of: body).size) ?? 0
            // libcurl knows what a redirect does to these two methods, unless CURLOPT_CUSTOMREQUEST names them.
            if attempt.request.method == "POST" {
                set(CURLOPT_POST, 1)
                exthost_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bodySize))
            } else {
                set(CURLOPT_UPLOAD, 1)
                exthost_curl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(bodySize))
                if attempt.request.method != "PUT" { set(CURLOPT_CUSTOMREQUEST, attempt.request.method) }
            }
        } else if attempt.request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if attempt.request.method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, attempt.request.method)
        }
        for header in attempt.request.headers {
            // A name with a colon alone would remove a field (CURLOPT_HTTPHEADER(3)).
            add(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        if attempt.offset > 0, let validator = attempt.validator {
            add("Range: bytes=\(attempt.offset)-")
            add("If-Range: \(validator)")
        }
        exthost_curl_set_list(easy, CURLOPT_HTTPHEADER, fields)
        var callbacks = exthost_curl_callbacks(
            context: tag,
            header: { bytes, _, count, context in transfer(context)?.addHeader(bytes, count) ?? 0 },
            body: { bytes, _, count, context in transfer(context)?.receive(bytes, count) ?? 0 },
            read: { bytes, _, count, context in transfer(context)?.read(bytes, count) ?? CurlTransfer.abort },
            seek: { context, offset, origin in
                guard origin == SEEK_SET, offset >= 0 else { return 1 }
                transfer(context)?.bodyOffset = Int(offset)
                return 0
            },
            progress: { context, _, _, _, uploaded in transfer(context)?.report(Int(uploaded)) ?? 1 })
        exthost_curl_set_callbacks(easy, &callbacks, attempt.body != nil)
    }

    private func add(_ line: String) {
        // Without memory the list stays as it is.
        fields = curl_slist_append(fields, line) ?? fields
    }

    // MARK: Callbacks

    /// Takes one line of a head. Each answer of a chain of redirects has its own head.
    private func addHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes, receiver != nil else { return 0 }
        guard !hasAnswered else { return count }
        let text = String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            (headers, headerBytes) = ([], 0)
            let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            // The next request is a GET without a body, whatever the method was (RFC 9110, sections 15.4.2 to 15.4.4).
            // libcurl drops the body, but not the name of another method. That of HEAD is none.
            if status == 303 || attempt.request.method == "POST" && (301...302).contains(status) {
                exthost_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, nil)
            }
            return count
        }
        headerBytes += count
        guard headerBytes <= Self.mostHeaderBytes else {
            hasTooManyHeaders = true
            return 0
        }
        if let colon = text.firstIndex(of: ":") {
            func trimmed(_ part: Substring) -> String {
                let isSpace = { (character: Character) in character.isWhitespace }
                return String(part.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
            }
            headers.append(
                TransferHeader(trimmed(text[..<colon]), trimmed(text[text.index(after: colon)...])))
        }
        return count
    }

    /// Reports the answer, once; the receiver may drop the attempt.
    func answer() {
        guard !hasAnswered, let receiver else { return }
        hasAnswered = true
        let url = exthost_curl_url(easy).map { String(cString: $0) } ?? attempt.request.url
        let response = TransferResponse(url: url, status: exthost_curl_status(easy), headers: headers)
        if !receiver.answered(attempt.task, response) { self.receiver = nil }
    }

    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        answer()
        guard let bytes, let receiver else { return 0 }
        if count > 0, !receiver.received(attempt.task, UnsafeRawBufferPointer(start: bytes, count: count)) {
            self.receiver = nil
            return 0
        }
        return count
    }

    private func read(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes, let body = attempt.body, receiver != nil else { return Self.abort }
        var got: Int
        // libcurl may ask for more than the size that it was given.
        let wanted = min(count, max(0, bodySize - bodyOffset))
        repeat { got = pread(body, bytes, wanted, off_t(bodyOffset)) } while got < 0 && errno == EINTR
        guard got >= 0 else { return Self.abort }
        bodyOffset += got
        return got
    }

    private func report(_ uploaded: Int) -> Int32 {
        guard let receiver else { return 1 }
        if attempt.body != nil, uploaded != sent {
            sent = uploaded
            receiver.sent(attempt.task, uploaded)
        }
        return 0
    }

    /// The meaning of a failure (libcurl-errors(3)).
    func fault(_ code: CURLcode) -> TransferEngineFault {
        let text = message.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: message)
        func fault(_ code: Int, _ isTransient: Bool) -> TransferEngineFault {
            TransferEngineFault(code: code, message: text, isTransient: isTransient)
        }
        // libcurl has bounds of its own, for one field and for all (CURLE_OUT_OF_MEMORY, CURLE_TOO_LARGE).
        if hasTooManyHeaders || !hasAnswered && (code == CURLE_OUT_OF_MEMORY || code == CURLcode(rawValue: 100)) {
            return TransferEngineFault(
                code: URLErrorCode.dataLengthExceedsMaximum,
                message: "the header fields of the answer exceed \(Self.mostHeaderBytes >> 10) KiB", isTransient: false)
        }
        switch code {
        case CURLE_URL_MALFORMAT: return fault(URLErrorCode.badURL, false)
        case CURLE_UNSUPPORTED_PROTOCOL: return fault(URLErrorCode.unsupportedURL, false)
        case CURLE_TOO_MANY_REDIRECTS: return fault(URLErrorCode.tooManyRedirects, false)
        case CURLE_PEER_FAILED_VERIFICATION: return fault(URLErrorCode.untrustedCertificate, false)
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
            return fault(URLErrorCode.secureConnectionFailed, false)
        case CURLE_SSL_CONNECT_ERROR: return fault(URLErrorCode.secureConnectionFailed, true)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return fault(URLErrorCode.cannotFindHost, true)
        case CURLE_COULDNT_CONNECT: return fault(URLErrorCode.cannotConnect, true)
        case CURLE_OPERATION_TIMEDOUT: return fault(URLErrorCode.timedOut, true)
        default: return fault(URLErrorCode.connectionLost, true)
        }
    }
}

/// Returns the transfer of a callback.
private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}
