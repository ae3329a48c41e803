// Samples: every message of the protocol twice: with all of its fields, and with those only that it must have.

import ExtensionProtocol
import PropertyListCoding

/// A message reduced to what the tests ask of each: its dictionary, its text, and how it is read again.
struct Sample: Sendable, CustomStringConvertible {
    let kind: MessageKind
    let dictionary: PropertyListDictionary
    /// Every stored value, by reflection; equal for equal messages.
    let text: String
    /// Keys that the bare form writes although a reader does without.
    let written: [Key]
    let read: @Sendable (PropertyListDictionary) throws(ProtocolError) -> (dictionary: PropertyListDictionary, text: String)

    init<M: Message>(_ message: M, writesThoughOptional written: [Key] = []) {
        kind = M.kind
        dictionary = message.dictionary
        text = String(reflecting: message)
        self.written = written
        read = { (dictionary) throws(ProtocolError) in
            let message = try M(dictionary: dictionary)
            return (message.dictionary, String(reflecting: message))
        }
    }

    var description: String { "\(kind) with \(dictionary.keys.joined(separator: ", "))" }

    /// The keys without which the message cannot be read; of the bare form.
    var required: [String] { dictionary.keys.filter { key in !written.contains { $0.rawValue == key } } }
}

extension Sample {
    private static let request = RequestIdentifier("6BA7B810-9DAD-41D1-80B4-00C04FD430C8")!  // a literal of the right form
    private static let other = RequestIdentifier("00000000-0000-4000-8000-000000000001")!  // as above
    private static let error = ExtensionHostError(.timedOut, "it took too long", remedy: "Be quick", cause: "errno 110")
    private static let exit = ExitRecord(
        status: 3, signal: 9, cause: .crashed, peakMemory: 1 << 33, expired: true, memoryLimit: 1 << 30,
        reached: LimitRecord(name: "memory", limit: 1 << 30, used: 1 << 33), coreDump: "core.share.0.f.1.2.zst",
        sandbox: "landlock:7,seccomp")
    private static let bareExit = ExitRecord(status: nil, signal: nil, cause: .idle, peakMemory: nil, expired: false)
    private static let execution = Execution(
        identifier: "com.example.app.share", point: "com.apple.share-services", principalClass: "Share.Handler",
        bundle: "/a/b.appex", socket: "/s", time: 1 << 40, prewarms: true)
    private static var timings: Timings {
        var timings = Timings()
        (timings.spawn, timings.ready, timings.delivered) = (0.5, 1.25, 2)
        timings.finished = 3.5
        return timings
    }
    private static var hello: Hello {
        var hello = Hello(
            role: .host, name: "Photos", sdk: "swift 1.0", window: Window(packets: 7, bytes: 200_000),
            resumption: Resumption(token: [9, 8], received: 4), resumable: true,
            output: true)
        (hello.minimum, hello.maximum) = (ProtocolVersion(major: 1, minor: 2), ProtocolVersion(major: 65535, minor: 0))
        return hello
    }
    private static let event = EventRecord(
        sequence: 9, time: 1_700_000_000_000_000, event: .hostStateChanged, request: request, extensionIdentifier: "e", host: "h",
        pid: 4, from: "active", to: "inactive", cause: .quota, detail: "größer")

    private static let death = DeathRecord(
        extensionIdentifier: "e", pid: 3, exit: exit, decidedBy: "daemon", requests: [request],
        loads: [LoadRecord(request: request, provider: 2, type: "public.url")], stderrTail: "last", time: 6)
    private static let bundle = ExtensionRecord(
        identifier: "e", version: "2", shortVersion: "1.1", point: "p", path: "/x.appex", containingApp: "/x.app",
        displayName: "E", problems: ["one", "two"], shortName: "e", parentName: "X", election: .use, prefix: "+",
        rule: .lastRegistered, uuid: "u", registered: 7, warnings: ["three"])
    private static let offered = OfferedTypes(
        attachments: [[["public.url"]], []], webPages: [["com.apple.property-list"], []])
    private static let offer = OfferRecord(
        identifier: "e", path: "/x.appex", shown: true, why: "its rule accepts these items", wantsWebPage: true)
    private static let line = LogLine(extensionIdentifier: "e", pid: 3, stream: "stdout", time: 6, bytes: [0xff])

    private static let point = PointRecord(
        identifier: "p", name: "P", hasInterface: true, policy: "onePerRequest", prewarm: 3, takesActivationRules: true,
        timers: [PointRecord.Timer(name: "idle", delay: 0.5)],
        memoryLimit: PointRecord.MemoryLimit(bytes: 1 << 24, provenance: "guess", source: "somebody"),
        limits: [PointRecord.Limit(name: "tasks", limit: 9)], urlPolicy: "any",
        hostNotifications: true, accepts: ["post"], sends: ["done"], source: "a page", path: "/p.plist", problems: ["one"])
    private static let fault = FaultOrder(
        .slow, at: .loadOpen, extensionIdentifier: "e", after: 1, times: 3, seed: 7, delay: 0.5, sent: true)
    private static let barePoint = PointRecord(
        identifier: "p", name: "", hasInterface: false, policy: "", takesActivationRules: false, timers: [], memoryLimit: nil,
        urlPolicy: "", hostNotifications: false, accepts: [], sends: [], source: nil, path: nil, problems: [])

    /// Each kind with all fields set.
    static let full: [Sample] = [
        Sample(hello),
        Sample(
            Welcome(
                version: ProtocolVersion(major: 1, minor: 9), window: .standard, token: [1, 2, 3], received: 7,
                host: "Photos#2",
                execution: execution, keeps: true, isKept: true, started: 1_700_000_000_000_000)),
        Sample(Fence()), Sample(FenceReply()), Sample(Goodbye()),
        Sample(StillOpen(requests: [.init(), .init()], answers: [.init()], work: [.init()])),
        Sample(Credit(Window(packets: 3, bytes: 70))),
        Sample(Acknowledge(request: request)),
        Sample(Success()), Sample(ErrorReply(error)),
        Sample(
            Begin(
                request: request, extensionIdentifier: "com.example.app.share",
                attachments: [[["public.url", "public.text"], []], []],
                timeout: 2.5, force: true)),
        Sample(Begun(request: request, pid: 77)), Sample(Cancel(request: request)), Sample(SetState(state: .background)),
        Sample(
            Finished(
                request: request, cause: .requestTimeout, detail: error, pid: 77, process: 3, hostState: .inactive, created: 12,
                timings: timings,
                refusals: [
                    RefusalRecord(
                        layer: "seccomp", kind: "network", call: "socket", about: "AF_INET SOCK_STREAM", allowance: "a = true",
                        remedy: "Ask")
                ])),
        Sample(Exited(process: 3, exit: exit, time: 99)),
        Sample(Output(extensionIdentifier: "e", pid: 77, stream: "stderr", bytes: [0xff, 0x0a])),
        Sample(Deliver(request: request, host: "Photos", hostState: .active)),
        Sample(HostStateChanged(notification: .willEnterForeground, requests: [request, other], sequence: 12)),
        Sample(Cancelled(request: request, cause: .cancelledByHost)), Sample(Expired(request: request)),
        Sample(Terminate(cause: .idle)), Sample(Complete(request: request, work: true)), Sample(CancelRequest(request: request)),
        Sample(HandlerFinished(request: request)), Sample(ContextFault(request: request, detail: "completed twice")),
        Sample(LoadItem(request: request, provider: 3, type: "public.jpeg", load: 8, form: "file")), Sample(ItemLoaded()),
        Sample(CancelLoad(request: request, load: 8)),
        Sample(ShowView(request: request, sequence: 3)), Sample(ViewUsed(sequence: 4)),
        Sample(UseView(request: request, action: "setText", name: "note", text: "x")),
        Sample(LoadProgress(request: request, load: 8, completed: 1 << 40, total: 1 << 41)),
        Sample(
            ListExtensions(offset: 64, criteria: ["a", "b=c"], allVersions: true, allCopies: true),
            writesThoughOptional: [.offset]),
        Sample(AddBundle(path: "/x.app")), Sample(RemoveBundle(path: "/x.app")),
        Sample(Elect(extensionIdentifier: "e", election: .ignore)),
        Sample(BundleList(entries: [bundle], count: 1, deleted: ["/c"], kept: ["/g"])),
        Sample(ShowExtension(name: "e")),
        Sample(MatchItems(types: offered, offset: 64), writesThoughOptional: [.offset]),
        Sample(Page<OfferRecord>(entries: [offer], offset: 1, count: 2)),
        Sample(ExplainOffer(extensionIdentifier: "e", types: offered)),
        Sample(
            OfferExplanation(
                offer: offer, clauses: [.init(clause: "any public.url", result: true, detail: "1", level: 2)],
                nearMiss: "without attachment 1")),
        Sample(
            ExtensionDetail(
                record: bundle, principalClass: "A.B", executable: "/x.appex/x", information: [1, 2], count: 2,
                groups: ["group.a"], refused: ["group.b: no"], network: ["client"])),
        Sample(ListProcesses(offset: 64), writesThoughOptional: [.offset]),
        Sample(ListHosts(offset: 64), writesThoughOptional: [.offset]),
        Sample(ListExits(offset: 64), writesThoughOptional: [.offset]),
        Sample(ListRequests(offset: 64), writesThoughOptional: [.offset]),
        Sample(
            Page(
                entries: [bundle], offset: 1, count: 2)),
        Sample(
            Page(
                entries: [
                    ProcessRecord(
                        extensionIdentifier: "e", pid: 1, state: "busy", requests: [request], started: 5, memory: 1 << 40,
                        sandbox: "seccomp", isApp: true)
                ], offset: 0, count: 1)),
        Sample(
            Page(
                entries: [
                    HostRecord(host: "h", user: 1000, pid: 2, state: .background, sequence: 3, requests: [other, request])
                ],
                offset: 0, count: 1)),
        Sample(
            Page(
                entries: [
                    RequestRecord(request: request, extensionIdentifier: "e", host: "h", pid: 3, state: "active", began: 4)
                ],
                offset: 0, count: 1)),
        Sample(
            Page(entries: [death], offset: 0, count: 1)),
        Sample(SetHostState(host: "Photos", state: .inactive)), Sample(Watch(since: 4, follow: true)),
        Sample(EventBatch(events: [event], oldest: 2)), Sample(AdvanceClock(delay: 0.125)),
        Sample(Status()),
        Sample(
            DaemonStatus(
                version: "1.2", pid: 3, user: 1000, started: 5, time: 6, socket: "/s", bus: "session bus", clock: "real",
                extensions: 7, disabled: 8, processes: 9, requests: 10, hosts: 11, memory: 12, peakMemory: 13, sandbox: "none",
                limits: "none", treeKill: "session", lastDeath: death, detail: error, missing: ["namespaces: no"], state: "kept",
                breakers: [BreakerRecord(extensionIdentifier: "e", state: "open", failures: 5, delay: 0.5)],
                folders: ["/a", "/b"], watching: "inotify", minimum: .lowest, maximum: .current)),
        Sample(OpenApp(path: "/x.app", reason: .url, url: "x:y", arguments: ["-a"], follow: true)),
        Sample(AppOpened(identifier: "x", pid: 4, process: 5, isLaunched: true)), Sample(CloseApp(identifier: "x")),
        Sample(FollowClock()), Sample(ClockMoved(time: 1 << 40)), Sample(Sleep(until: 1 << 41, number: 3)),
        Sample(CancelSleep(number: 3)),
        Sample(AddFault(fault)), Sample(ListFaults(offset: 2)), Sample(ClearFaults()),
        Sample(Page(entries: [FaultRecord(order: fault, struck: 2)], offset: 0, count: 1)),
        Sample(Activate(reason: .url, url: "x:y", source: "e")), Sample(OpenURL(request: request, url: "x:y")),
        Sample(Record(contents: true)), Sample(Recorded(count: 3)), Sample(EndRecording()),
        Sample(
            Recording(
                version: "1.2", clock: "virtual", time: 5, contents: true,
                timers: [PointRecord.Timer(name: "idle", delay: 0.5)])),
        Sample(Held(request: request, pid: 4)), Sample(CheckMainQueue()), Sample(MainQueueRuns()),
        Sample(ResetBreaker(extensionIdentifier: "e")),
        Sample(Kill(.identifier("e"))), Sample(Killed(pids: [4, 5])), Sample(ReadLog(name: "e", follow: true)),
        Sample(LogBatch(lines: [line], lost: true)), Sample(Register(path: "/x/y")), Sample(Registered(identifier: "dev.y")),
        Sample(GetStatistics()),
        Sample(
            Statistics(
                started: 1, time: 2,
                metrics: [
                    MetricFamily(
                        name: "m_seconds", kind: .histogram, unit: "seconds", help: "h", bounds: [0.5],
                        samples: [MetricSample(labels: ["a", "b"], value: 3, buckets: [1, 2], sum: 4.5)])
                ])),
        Sample(GetConfiguration()),
        Sample(
            ConfigurationReport(
                settings: [SettingRecord(name: "Timers.idle", value: "1s", source: "/a")],
                problems: [SettingProblem(source: "/a", name: "Timers.x", message: "m")], files: ["/a"])),
        Sample(ListPoints(offset: 64), writesThoughOptional: [.offset]), Sample(Page(entries: [point], offset: 0, count: 1)),
    ]

    /// The kinds that have optional fields, without them.
    static let bare: [Sample] = [
        Sample(StillOpen(requests: [.init()])),
        Sample(
            Statistics(
                started: 1, time: 2,
                metrics: [MetricFamily(name: "m", kind: .gauge, help: "h", samples: [MetricSample(value: 3)])])),
        Sample(
            ConfigurationReport(
                settings: [SettingRecord(name: "Profile", value: nil, source: "built in")],
                problems: [SettingProblem(source: "/a", name: nil, message: "m")], files: [])),
        Sample(UseView(request: request, action: "post")),
        Sample(Hello(role: .control, sdk: "s")),
        Sample(OpenApp(path: "/x.app", reason: .opened)), Sample(Activate(reason: .woken)),
        Sample(Welcome(version: .current, window: .smallest, token: [])),
        Sample(ErrorReply(ExtensionHostError(.internalError, "no")), writesThoughOptional: [.remedy]),
        Sample(Begin(request: request, extensionIdentifier: "e", attachments: [])),
        Sample(MatchItems(types: OfferedTypes(attachments: [])), writesThoughOptional: [.offset]),
        Sample(ExplainOffer(extensionIdentifier: "e", types: OfferedTypes(attachments: []))),
        Sample(OfferExplanation(offer: offer)),
        Sample(Begun(request: request, pid: nil)),
        Sample(
            Finished(
                request: request, cause: .completed, detail: nil, pid: nil, process: nil, hostState: .active, created: 0,
                timings: Timings())),
        Sample(Exited(process: 4, exit: bareExit, time: 0)),
        Sample(Page<ExtensionRecord>(entries: [], offset: 0, count: 0)),
        Sample(
            Page(
                entries: [
                    ExtensionRecord(
                        identifier: "e", version: "0", shortVersion: "0", point: "", path: "/x", containingApp: nil,
                        displayName: "e",
                        problems: [])
                ], offset: 0, count: 1)),
        Sample(
            Page(
                entries: [ProcessRecord(extensionIdentifier: "e", pid: 1, state: "s", requests: [], started: 0, memory: nil)],
                offset: 0, count: 1)),
        Sample(
            Page(
                entries: [RequestRecord(request: request, extensionIdentifier: "e", host: "h", pid: nil, state: "s", began: 0)],
                offset: 0, count: 1)),
        Sample(
            Page(
                entries: [
                    DeathRecord(
                        extensionIdentifier: "e", pid: 3, exit: bareExit, decidedBy: "daemon", requests: [], stderrTail: "",
                        tail: 9,
                        time: 6)
                ], offset: 0, count: 1)),
        Sample(Record(contents: false)),
        Sample(Watch(since: nil, follow: false)),
        Sample(EventBatch(events: [EventRecord(sequence: 1, time: 0, event: .busLost)])),
        Sample(
            DaemonStatus(
                version: "", pid: 0, user: 0, started: 0, time: 0, socket: nil, bus: nil, clock: "", extensions: 0, disabled: 0,
                processes: 0, requests: 0, hosts: 0, memory: nil, peakMemory: nil, sandbox: "", limits: "", treeKill: "",
                lastDeath: nil, detail: nil)),
        Sample(
            AddFault(FaultOrder(.kill, at: .idle)), writesThoughOptional: [.after, .count, .seed, .delay, .sent]),
        Sample(ListFaults(), writesThoughOptional: [.offset]),
        Sample(LogBatch(lines: [])), Sample(Page(entries: [barePoint], offset: 0, count: 1)),
        Sample(ListExtensions(), writesThoughOptional: [.offset]),
        Sample(
            ExtensionDetail(
                record: ExtensionRecord(
                    identifier: "e", version: "0", shortVersion: "0", point: "", path: "/x", containingApp: nil, displayName: "e",
                    problems: []), principalClass: nil, executable: nil, information: nil, count: 1)),
        Sample(LoadItem(request: request, provider: 1, type: "t")), Sample(BundleList(entries: [], count: 0)),
    ]

    /// Those that show what a message must have: the bare form of a kind, or the full one where all of it is required.
    static let least: [Sample] = bare + full.filter { sample in !bare.contains { $0.kind == sample.kind } }
}
