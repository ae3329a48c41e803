// ScenarioReader+Points: the steps at extension points, and the results that they can have.

extension ScenarioReader {
    mutating func readPoint(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert(verb.text)
        switch verb.text {
        case "update": return .update
        case "open": return .open
        case "edit":
            let photo = try line.word("the path of a photo")
            guard !photo.text.isEmpty else {
                throw line.fault(photo, "the path is empty", remedy: "Write the path of a JPEG or PNG file")
            }
            return .edit(photo.text)
        case "page":
            let address = try line.word("the address of a page")
            guard address.text.contains(":") else {
                throw line.fault(
                    address, "“\(address.text)” is no address",
                    remedy: "Write it with its scheme, as https://example.org/")
            }
            let file = try line.word("the file with the page's HTML")
            return .page(address: address.text, file: file.text)
        default:
            let payload = try readPayload(&line)
            return .push(payload.text, isInline: payload.isInline)
        }
    }

    /// Reads the payload of a remote notification: a file, or JSON in single quotes.
    private func readPayload(_ line: inout LineReader) throws(ScenarioFault) -> (text: String, isInline: Bool) {
        let payload = try line.word("a payload: a file, or JSON in single quotes")
        guard !payload.text.isEmpty else {
            throw line.fault(payload, "the payload is empty", remedy: #"Write a file, or '{"aps": {…}}'"#)
        }
        return (payload.text, payload.isQuoted && payload.text.hasPrefix("{"))
    }

    /// Reads `notification show PAYLOAD`, `notification respond ID ["WORDS"]`, `notification media` or
    /// `notification dismiss`.
    mutating func readNotification(_ line: inout LineReader) throws(ScenarioFault) -> NotificationStep {
        hasRequest = true
        points.insert("notification")
        let step = try line.word("show, respond, media or dismiss")
        switch step.text {
        case "show":
            let payload = try readPayload(&line)
            return .show(payload.text, isInline: payload.isInline)
        case "respond":
            let action = try line.word("the identifier of a button")
            return .respond(action.text, text: line.optional()?.text)
        case "media": return .media
        case "dismiss": return .dismiss
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with a notification",
                remedy: "Write show, respond, media or dismiss")
        }
    }

    /// Reads `reindex [ID …]`, `search WORDS` or `query QUERY`.
    mutating func readIndexing(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault)
        -> PointStep
    {
        hasRequest = true
        points.insert(verb.text)
        guard verb.text != "reindex" else {
            var identifiers: [String] = []
            while let word = line.optional() { identifiers.append(word.text) }
            return .reindex(identifiers)
        }
        let isQuery = verb.text == "query"
        let text = try line.word(isQuery ? "a query, in single quotes" : "words, in quotes")
        guard !text.text.isEmpty else {
            throw line.fault(
                text, "the search is empty",
                remedy: isQuery ? #"Write a query, as 'title == "fo*"cd'"# : "Write a word that an item has")
        }
        return .search(text.text, isQuery: isQuery)
    }

    /// Reads `thumbnail FILE [SIZE]`.
    mutating func readThumbnail(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("thumbnail")
        let file = try line.word("a file of this machine").text
        guard let word = line.optional() else { return .thumbnail(file, size: 256) }
        guard let size = Double(word.text), size >= 1 else {
            throw line.fault(word, "“\(word.text)” is no size", remedy: "Write the longest side in points, as 128")
        }
        return .thumbnail(file, size: size)
    }

    /// Reads `preview file FILE`, `preview item ID [QUERY]` or `preview close`.
    mutating func readPreview(_ line: inout LineReader) throws(ScenarioFault) -> PreviewStep {
        hasRequest = true
        points.insert("preview")
        let step = try line.word("file, item or close")
        switch step.text {
        case "file": return .file(try line.word("a file of this machine").text)
        case "item": return .item(try line.word("the identifier of an item").text, query: line.optional()?.text)
        case "close": return .close
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with a preview", remedy: "Write file, item or close")
        }
    }

    /// Reads `imessage open [STYLE] [NUMBER]`, `imessage receive URL [live]`, `imessage select NUMBER`, or `imessage`
    /// with `send`, `cancel`, `compact`, `expanded`, `look` or `close`.
    mutating func readConversation(_ line: inout LineReader) throws(ScenarioFault) -> MessagesStep {
        hasRequest = true
        points.insert("imessage")
        func number(_ word: ScenarioWord) throws(ScenarioFault) -> Int {
            guard let number = Int(word.text), number > 0 else {
                throw line.fault(
                    word, "“\(word.text)” is no number of an entry", remedy: "Write 1 for the first of the transcript")
            }
            return number
        }
        let step = try line.word("open, receive, select, send, cancel, compact, expanded, look or close")
        switch step.text {
        case "open":
            guard var word = line.optional() else { return .open(style: nil, selecting: nil) }
            var style: String?
            if ["compact", "expanded", "transcript"].contains(word.text) {
                style = word.text
                guard let next = line.optional() else { return .open(style: style, selecting: nil) }
                word = next
            }
            return .open(style: style, selecting: try number(word))
        case "receive":
            let url = try line.word("the URL of a message").text
            guard let word = line.optional() else { return .receive(url, isLive: false) }
            guard word.text == "live" else {
                throw line.fault(word, "“\(word.text)” is no layout", remedy: "Write live, or nothing")
            }
            return .receive(url, isLive: true)
        case "select": return .select(try number(try line.word("the number of an entry")))
        case "send": return .send
        case "cancel": return .cancel
        case "compact", "expanded": return .show(step.text)
        case "look": return .look
        case "close": return .close
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with an iMessage app",
                remedy: "Write open, receive, select, send, cancel, compact, expanded, look or close")
        }
    }

    /// Reads `import FILE [TYPE]`.
    mutating func readImport(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("import")
        return .importFile(try line.word("a file of this machine").text, type: line.optional()?.text)
    }

    /// Reads `audio set NAME VALUE`, `audio preset NUMBER`, `audio render [FILE]` or `audio play FILE`.
    mutating func readAudio(_ line: inout LineReader) throws(ScenarioFault) -> AudioStep {
        hasRequest = true
        points.insert("audio")
        let word = try line.word("set, preset, render or play")
        switch word.text {
        case "set":
            return .set(try line.word("a parameter").text, value: try line.word("a value").text)
        case "preset":
            let number = try line.word("the number of a preset")
            guard let preset = Int(number.text) else {
                throw line.fault(number, "“\(number.text)” is no number", remedy: "Write 0 for the first preset")
            }
            return .preset(preset)
        case "render": return .render(line.optional()?.text)
        case "play": return .play(try line.word("a MIDI file").text)
        default:
            throw line.fault(
                word, "“\(word.text)” is no step with an audio unit", remedy: "Write set, preset, render or play")
        }
    }

    /// Reads `tunnel start [KEY=VALUE …]`, `tunnel stop`, `tunnel send HEX|@FILE` or `tunnel message TEXT`.
    mutating func readTunnel(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("tunnel")
        let step = try line.word("start, stop, send or message")
        switch step.text {
        case "start": return .tunnel(.start(try readStartOptions(&line)))
        case "stop": return .tunnel(.stop)
        case "send": return .tunnel(.send(try line.word("a packet in hexadecimal digits, or @FILE").text))
        case "message": return .tunnel(.message(try line.word("a text").text))
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with a tunnel", remedy: "Write start, stop, send or message")
        }
    }

    /// Reads `files list PATH`, `files read PATH`, `files put FILE PATH` or `files remove PATH`.
    mutating func readFiles(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("files")
        let step = try line.word("list, read, put or remove")
        switch step.text {
        case "list": return .files(.list(line.optional()?.text ?? "/"))
        case "read": return .files(.read(try line.word("the path of a file of the provider").text))
        case "remove": return .files(.remove(try line.word("the path of an item of the provider").text))
        case "put":
            let file = try line.word("a file of this machine").text
            return .files(.put(file: file, path: try line.word("its path at the provider").text))
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with files", remedy: "Write list, read, put or remove")
        }
    }

    /// Reads `pick import|open [TYPE …]`, or `pick exportToService|moveToService FILE`.
    mutating func readPick(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("pick")
        let mode = try line.word("a mode")
        switch mode.text {
        case "import", "open":
            var types: [String] = []
            while let word = line.optional() { types.append(word.text) }
            return .pick(mode: mode.text, types: types.isEmpty ? ["public.item", "public.content"] : types, file: nil)
        case "exportToService", "moveToService":
            return .pick(mode: mode.text, types: [], file: try line.word("the path of a file").text)
        default:
            throw line.fault(
                mode, "“\(mode.text)” is no mode of a document picker",
                remedy: "Write import, open, exportToService or moveToService")
        }
    }

    /// Reads `action NAME [FILE]`.
    mutating func readAction(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("action")
        let name = try line.word("the identifier of an action")
        return .action(name.text, items: line.optional()?.text)
    }

    /// Reads `load URL [page URL] [type NAME]`.
    mutating func readLoad(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("load")
        let url = try line.word("a URL")
        var (page, frame, type): (String?, String?, String?)
        while let word = line.optional() {
            switch word.text {
            case "page" where page == nil: page = try line.word("the URL of the page").text
            case "frame" where frame == nil: frame = try line.word("the URL of the frame").text
            case "type" where type == nil: type = try line.word("a type such as script").text
            default:
                throw line.fault(
                    word, "“\(word.text)” is not expected here", remedy: "Write page URL, frame URL or type NAME")
            }
        }
        return .load(url: url.text, page: page, frame: frame, type: type)
    }

    /// Reads `focus ["TEXT"] [FIELD]`.
    mutating func readFocus(_ line: inout LineReader) throws(ScenarioFault) -> KeyboardStep {
        hasRequest = true
        points.insert("focus")
        let text = line.peek?.isQuoted == true ? line.optional()?.text ?? "" : ""
        guard let word = line.optional() else { return .focus(text, .plain) }
        guard let field = KeyboardStep.Field(rawValue: word.text) else {
            throw line.fault(
                word, "“\(word.text)” is no kind of field",
                remedy: "Write the text in quotes, and one of: "
                    + KeyboardStep.Field.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return .focus(text, field)
    }

    func readKeyboard(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> KeyboardStep {
        switch verb.text {
        case "type": return .type(try line.word("the words in quotes").text)
        case "tap": return .tap(try line.word("the key").text)
        case "select":
            let start = try line.count()
            let place = line.peek ?? line.end
            let end = try line.count()
            guard end >= start else {
                throw line.fault(place, "the selection ends before it starts", remedy: "Write its start, and its end")
            }
            return .select(start..<end)
        case "switch": return .next
        default: return .dismiss
        }
    }

    func readEditing(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> PointStep {
        switch verb.text {
        case "finish": return .finish
        case "revert": return .revert
        default:
            guard let word = line.optional() else { return .discard(goesOn: false) }
            guard ["confirm", "goOn"].contains(word.text) else {
                throw line.fault(
                    word, "“\(word.text)” is not expected here", remedy: "Write confirm or goOn, or nothing")
            }
            return .discard(goesOn: word.text == "goOn")
        }
    }

    /// Reads `flow URL|tcp:HOST:PORT [inbound FILE] [outbound FILE] [control ID]`.
    mutating func readFlow(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("flow")
        let url = try line.word("a URL, or tcp:HOST:PORT")
        var flow = FlowStep(url: url.text)
        while let word = line.optional() {
            switch word.text {
            case "inbound" where flow.inbound == nil: flow.inbound = try line.word("a file of bytes").text
            case "outbound" where flow.outbound == nil: flow.outbound = try line.word("a file of bytes").text
            case "control" where flow.control == nil: flow.control = try line.word("a control provider").text
            default:
                throw line.fault(
                    word, "“\(word.text)” is not expected here",
                    remedy: "Write inbound FILE, outbound FILE or control ID, each once")
            }
        }
        return .flow(flow)
    }

    /// Reads `proxy start [KEY=VALUE …]`, `proxy stop`, `proxy message TEXT` or
    /// `proxy tcp:HOST:PORT|udp:HOST:PORT [send TEXT|@FILE] …`.
    mutating func readProxy(_ line: inout LineReader) throws(ScenarioFault) -> ProxyStep {
        hasRequest = true
        points.insert("proxy")
        let step = try line.word("start, stop, message, or a place as tcp:HOST:PORT")
        switch step.text {
        case "start": return .start(try readStartOptions(&line))
        case "stop": return .stop
        case "message": return .message(try line.word("a text").text)
        default: break
        }
        let parts = step.text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 2, ["tcp", "udp"].contains(parts[0]), let port = Int(parts[parts.count - 1]),
            (1...65_535).contains(port), !parts[1].isEmpty
        else {
            throw line.fault(
                step, "“\(step.text)” is nothing to do with a proxy",
                remedy: "Write start, stop, message, or a place as tcp:example.org:80 or udp:192.0.2.1:53")
        }
        var sent: [String] = []
        while let word = line.optional() {
            guard word.text == "send" else {
                throw line.fault(word, "“\(word.text)” is not expected here", remedy: "Write send TEXT or send @FILE")
            }
            let text = try line.word("a text, or @FILE")
            guard !text.text.isEmpty else {
                throw line.fault(text, "the text is empty", remedy: "Omit it: the end of the bytes comes anyway")
            }
            sent.append(text.text)
        }
        // An address of IPv6 has colons itself.
        let host = parts[1..<(parts.count - 1)].joined(separator: ":")
        return .flow(isDatagrams: parts[0] == "udp", host: host, port: port, sent: sent)
    }

    /// Reads `resolve NAME [A|AAAA]`.
    mutating func readResolve(_ line: inout LineReader) throws(ScenarioFault) -> ProxyStep {
        hasRequest = true
        points.insert("resolve")
        let name = try line.word("a name")
        let labels = name.text.split(separator: ".", omittingEmptySubsequences: false)
        guard name.text.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else {
            throw line.fault(
                name, "“\(name.text)” is no name of a host", remedy: "Write labels of at most 63 bytes, as printer.home"
            )
        }
        guard let type = line.optional() else { return .resolve(name.text, isIPv6: false) }
        guard ["A", "AAAA"].contains(type.text) else {
            throw line.fault(type, "“\(type.text)” is not expected here", remedy: "Write A or AAAA, or nothing")
        }
        return .resolve(name.text, isIPv6: type.text == "AAAA")
    }

    /// Reads the options of a start: KEY=VALUE each.
    private func readStartOptions(_ line: inout LineReader) throws(ScenarioFault) -> [String] {
        var options: [String] = []
        while let word = line.optional() {
            guard let equals = word.text.firstIndex(of: "="), equals != word.text.startIndex else {
                throw line.fault(word, "“\(word.text)” is not KEY=VALUE", remedy: "Write an option as mode=fast")
            }
            options.append(word.text)
        }
        return options
    }

    /// Reads `reload` or `lookup NUMBER`.
    mutating func readDirectory(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert(verb.text)
        guard verb.text == "lookup" else { return .reload }
        return .lookup(try line.word("a telephone number").text)
    }

    /// Reads `intent CLASS [NAME=VALUE …] [reply NAME=VALUE …] [locked]`, and after `view` also
    /// `[code NAME] [result NAME=VALUE …] [by EXTENSION]`.
    mutating func readIntent(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("intent")
        var step = IntentStep(
            try line.word("the class of an intent").text, parameters: [], replies: [], isLocked: false)
        while let word = line.optional() {
            switch word.text {
            case "locked" where !step.isLocked: step.isLocked = true
            case "view" where step.view == nil: step.view = IntentStep.View()
            case "code" where step.view != nil: step.view?.code = try line.word("the name of a code").text
            case "by" where step.view != nil: step.view?.handler = try line.word("an intents extension").text
            case "reply": step.replies.append(try readPair(&line, "reply"))
            case "result" where step.view != nil: step.view?.results.append(try readPair(&line, "result"))
            default:
                guard let pair = IntentStep.Pair(word.text) else {
                    throw line.fault(
                        word, "“\(word.text)” is not expected here",
                        remedy: step.view == nil
                            ? "Write NAME=VALUE, reply NAME=VALUE, locked or view"
                            : "Write NAME=VALUE, code NAME, result NAME=VALUE or by EXTENSION")
                }
                step.parameters.append(pair)
            }
        }
        return .intent(step)
    }

    private func readPair(_ line: inout LineReader, _ word: String) throws(ScenarioFault) -> IntentStep.Pair {
        let next = try line.word("\(word) NAME=VALUE")
        guard let pair = IntentStep.Pair(next.text) else {
            throw line.fault(next, "“\(next.text)” has no name and value", remedy: "Write \(word) NAME=VALUE")
        }
        return pair
    }

    /// Reads `credential SERVICE [identity USER]` and `credential configure`.
    mutating func readCredential(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("credential")
        let service = try line.word("a service, or configure")
        guard service.text != "configure" else { return .credentialConfiguration }
        guard let word = line.optional() else { return .credential(service: service.text, user: nil) }
        guard word.text == "identity" else {
            throw line.fault(word, "“\(word.text)” is not expected here", remedy: "Write identity USER")
        }
        return .credential(service: service.text, user: try line.word("the name of a user").text)
    }

    /// Reads `broadcast start [KEY=VALUE …]`, `play FILE [sound FILE]`, `pause`, `resume`, `annotate APP` or `finish`.
    mutating func readBroadcast(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("broadcast")
        let step = try line.word("start, play, pause, resume, annotate or finish")
        switch step.text {
        case "start": return .broadcast(.start(try readStartOptions(&line)))
        case "play":
            let video = try line.word("a file of raw video").text
            guard let word = line.optional() else { return .broadcast(.play(video: video, sound: nil)) }
            guard word.text == "sound" else {
                throw line.fault(word, "“\(word.text)” is not expected here", remedy: "Write sound FILE, or nothing")
            }
            return .broadcast(.play(video: video, sound: try line.word("a WAV file").text))
        case "pause": return .broadcast(.pause)
        case "resume": return .broadcast(.resume)
        case "annotate": return .broadcast(.annotate(try line.word("the identifier of an app").text))
        case "finish": return .broadcast(.finish)
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with a broadcast",
                remedy: "Write start, play, pause, resume, annotate or finish")
        }
    }

    /// Reads `sms TEXT [from NUMBER] [answer FILE]`.
    mutating func readMessage(_ line: inout LineReader) throws(ScenarioFault) -> PointStep {
        hasRequest = true
        points.insert("sms")
        let text = try line.word("the text of a message, in quotes")
        var (sender, answer): (String?, String?)
        while let word = line.optional() {
            switch word.text {
            case "from" where sender == nil: sender = try line.word("the number of the sender").text
            case "answer" where answer == nil: answer = try line.word("the file with the server's answer").text
            default:
                throw line.fault(
                    word, "“\(word.text)” is not expected here",
                    remedy: "Write from NUMBER or answer FILE, each once")
            }
        }
        return .sms(text.text, sender: sender, answer: answer)
    }

    /// Reads `report message TEXT … [from NUMBER]`, `report call [from NUMBER]`, `report done` or `report cancel`.
    mutating func readReport(_ line: inout LineReader) throws(ScenarioFault) -> ReportStep {
        hasRequest = true
        points.insert("report")
        let step = try line.word("message, call, done or cancel")
        switch step.text {
        case "message":
            var texts = [try line.word("the text of a message, in quotes").text]
            while let word = line.optional() {
                if word.text == "from", !word.isQuoted {
                    return .messages(texts, sender: try line.word("the number of the sender").text)
                }
                texts.append(word.text)
            }
            return .messages(texts, sender: nil)
        case "call":
            guard let word = line.optional() else { return .call(sender: nil) }
            guard word.text == "from" else {
                throw line.fault(word, "“\(word.text)” is not expected here", remedy: "Write from NUMBER, or nothing")
            }
            return .call(sender: try line.word("the number of the sender").text)
        case "done": return .done
        case "cancel": return .cancel
        default:
            throw line.fault(
                step, "“\(step.text)” is nothing to do with a report",
                remedy: "Write message, call, done or cancel")
        }
    }

    // MARK: Results

    /// Checks that a step above the line can have such a result.
    func check(
        _ expectation: ScenarioExpectation, _ place: ScenarioWord, _ line: LineReader
    ) throws(ScenarioFault) {
        let verbs: [String]
        switch expectation {
        case .result: verbs = PointStepKind.all.flatMap(\.verbs)
        case .shown: verbs = PointStepKind.all.filter(\.hasValues).flatMap(\.verbs)
        case .picture: verbs = ["update", "open"]
        case .field, .keyboard: verbs = ["focus"]
        default: return
        }
        guard !points.isDisjoint(with: verbs) else {
            throw line.fault(
                place, "nothing above has such a result",
                remedy: "Write a line \(verbs.joined(separator: " or ")) above it")
        }
        guard case .result(let result) = expectation else { return }
        let kinds = PointStepKind.all.filter { $0.results.contains(result) }
        guard !kinds.contains(where: { !points.isDisjoint(with: $0.verbs) }), let usual = kinds.first else { return }
        throw line.fault(
            place, "\(result.rawValue) is the result of \(usual.name)",
            remedy: "Write a line \(usual.example ?? usual.verbs[0]) above it")
    }
}
