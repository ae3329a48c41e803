// MessageSamples: every message with all of its keys, and with those only that it must have.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

import ExtensionProtocol
import PropertyListCoding

extension Sample {
    private static let fullWindow = Window(packets: 1 << 33, bytes: 2 << 33)
    private static let bareWindow = Window(packets: 0, bytes: 0)
    private static let fullResumption = Resumption(token: [1, 0xff], received: 2)
    private static let bareResumption = Resumption(token: [], received: 0)
    private static let fullExecution = Execution(
        identifier: "identifier", point: "point", principalClass: "principalClass", bundle: "bundle", socket: "socket",
        time: 6 << 33, prewarms: true, framework: "framework", support: "support", ends: "ends")
    private static let bareExecution = Execution(identifier: "", point: "", principalClass: nil, bundle: nil)
    private static let fullExtensionHostError = ExtensionHostError(
        .timedOut, "it took too long", remedy: "Be quick", cause: "errno 110")
    private static let bareExtensionHostError = ExtensionHostError(.internalError, "no")
    private static let fullTimings = Timings(spawn: 1.5, ready: 2.5, delivered: 3.5, finished: 4.5)
    private static let bareTimings = Timings()
    private static let fullRefusalRecord = RefusalRecord(
        layer: "seccomp", kind: "network", call: "socket", about: "AF_INET", allowance: "a = true", remedy: "Ask")
    private static let bareRefusalRecord = RefusalRecord(
        layer: "landlock", kind: "file", call: "open", about: "", remedy: "Ask")
    private static let fullServiceClient = ServiceClient(
        role: Role.service, identifier: "identifier", containingApp: "containingApp", app: "app", pid: 5 << 33,
        groups: ["groups"], isNetworkClient: true, isInBackground: true)
    private static let bareServiceClient = ServiceClient(role: Role.host, pid: 0)
    private static let fullExtensionRecord = ExtensionRecord(
        identifier: "identifier", version: "version", shortVersion: "shortVersion", point: "point", path: "path",
        containingApp: "containingApp", displayName: "displayName", problems: ["problems"], shortName: "shortName",
        parentName: "parentName", election: Election.default, prefix: "prefix", rule: ReductionRule.disabled,
        uuid: "uuid", registered: 15 << 33, warnings: ["warnings"])
    private static let bareExtensionRecord = ExtensionRecord(
        identifier: "", version: "", shortVersion: "", point: "", path: "", containingApp: nil, displayName: "",
        problems: [])
    private static let fullProcessRecord = ProcessRecord(
        extensionIdentifier: "extension", pid: 2 << 33, state: "state", requests: [RequestIdentifier(words: (1, 4))],
        started: 5 << 33, memory: 6 << 33, sandbox: "sandbox", kind: "kind")
    private static let bareProcessRecord = ProcessRecord(
        extensionIdentifier: "", pid: 0, state: "", requests: [], started: 0, memory: nil)
    private static let fullHostRecord = HostRecord(
        host: "host", user: 2 << 33, pid: 3 << 33, state: HostStateName.background, sequence: 5 << 33,
        requests: [RequestIdentifier(words: (1, 6))])
    private static let bareHostRecord = HostRecord(
        host: "", user: 0, pid: 0, state: HostStateName.active, sequence: 0, requests: [])
    private static let fullRequestRecord = RequestRecord(
        request: RequestIdentifier(words: (1, 1)), extensionIdentifier: "extension", host: "host", pid: 4 << 33,
        state: "state", began: 6 << 33)
    private static let bareRequestRecord = RequestRecord(
        request: RequestIdentifier(words: (1, 1)), extensionIdentifier: "", host: "", pid: nil, state: "", began: 0)
    private static let fullDeathRecord = DeathRecord(
        extensionIdentifier: "extension", pid: 2 << 33, exit: fullExitRecord, decidedBy: "decidedBy",
        requests: [RequestIdentifier(words: (1, 5))], loads: [fullLoadRecord], stderrTail: "stderrTail", tail: nil,
        time: 9 << 33)
    private static let bareDeathRecord = DeathRecord(
        extensionIdentifier: "", pid: 0, exit: bareExitRecord, decidedBy: "", requests: [], stderrTail: "", time: 0)
    private static let fullExitRecord = ExitRecord(
        status: 1 << 33, signal: 2 << 33, cause: .crashed, peakMemory: 4 << 33, expired: true, memoryLimit: 6 << 33,
        reached: fullLimitRecord, coreDump: "coreDump", sandbox: "sandbox")
    private static let bareExitRecord = ExitRecord(
        status: nil, signal: nil, cause: .idle, peakMemory: nil, expired: false)
    private static let fullLimitRecord = LimitRecord(name: "name", limit: 2 << 33, used: 3 << 33)
    private static let bareLimitRecord = LimitRecord(name: "", limit: 0, used: 0)
    private static let fullLoadRecord = LoadRecord(
        request: RequestIdentifier(words: (1, 1)), provider: 2 << 33, type: "type")
    private static let bareLoadRecord = LoadRecord(request: RequestIdentifier(words: (1, 1)), provider: 0, type: "")
    private static let fullEventRecord = EventRecord(
        sequence: 9, time: 1_700_000_000_000_000, event: .hostStateChanged, request: RequestIdentifier(words: (0, 4)),
        extensionIdentifier: "e", host: "h", pid: 4, from: "active", to: "inactive", cause: .quota, detail: "größer")
    private static let bareEventRecord = EventRecord(sequence: 1, time: 0, event: .busLost)
    private static let fullBreakerRecord = BreakerRecord(
        extensionIdentifier: "extension", state: "state", failures: 3 << 33, delay: 4.5)
    private static let bareBreakerRecord = BreakerRecord(extensionIdentifier: "", state: "", failures: 0, delay: 0)
    private static let fullKillTarget = Kill.Target.identifier("extension")
    private static let bareKillTarget = Kill.Target.identifier("")
    private static let fullLogLine = LogLine(
        extensionIdentifier: "extension", pid: 2 << 33, stream: "stream", time: 4 << 33, bytes: [5, 0xff])
    private static let bareLogLine = LogLine(extensionIdentifier: "", pid: 0, stream: "", time: 0, bytes: [])
    private static let fullSettingRecord = SettingRecord(name: "name", value: "value", source: "source")
    private static let bareSettingRecord = SettingRecord(name: "", value: nil, source: "")
    private static let fullSettingProblem = SettingProblem(source: "source", name: "name", message: "message")
    private static let bareSettingProblem = SettingProblem(source: "", name: nil, message: "")
    private static let fullMetricFamily = MetricFamily(
        name: "name", kind: MetricFamily.Kind.histogram, unit: "unit", help: "help", bounds: [5.5],
        samples: [fullMetricSample])
    private static let bareMetricFamily = MetricFamily(
        name: "", kind: MetricFamily.Kind.counter, help: "", samples: [bareMetricSample])
    private static let fullMetricSample = MetricSample(labels: ["labels"], value: 2 << 33, buckets: [3 << 33], sum: 4.5)
    private static let bareMetricSample = MetricSample(value: 0)
    private static let fullPointRecord = PointRecord(
        identifier: "identifier", name: "name", hasInterface: true, policy: "policy", prewarm: 5 << 33,
        takesActivationRules: true, timers: [fullPointRecordTimer], memoryLimit: fullPointRecordMemoryLimit,
        limits: [fullPointRecordLimit], urlPolicy: "openURL", hostNotifications: true, accepts: ["accepts"],
        sends: ["sends"], callLimits: [fullPointRecordTimer], framework: "framework", support: "support", ends: "ends",
        consents: ["consents"], entitlement: "entitlement", confinement: fullPointRecordConfinement, source: "source",
        path: "path", problems: ["problems"])
    private static let barePointRecord = PointRecord(
        identifier: "", name: "", hasInterface: false, policy: "", takesActivationRules: false,
        timers: [barePointRecordTimer], memoryLimit: nil, urlPolicy: "", hostNotifications: false, accepts: [],
        sends: [], source: nil, path: nil, problems: [])
    private static let fullPointRecordTimer = PointRecord.Timer(name: "name", delay: 2.5)
    private static let barePointRecordTimer = PointRecord.Timer(name: "", delay: 0)
    private static let fullPointRecordMemoryLimit = PointRecord.MemoryLimit(
        bytes: 1 << 33, provenance: "provenance", source: "source")
    private static let barePointRecordMemoryLimit = PointRecord.MemoryLimit(bytes: 0, provenance: "", source: "")
    private static let fullPointRecordConfinement = PointRecord.Confinement(
        network: "network", groupContainers: "groupContainers", consent: "consent", attribute: "attribute")
    private static let barePointRecordConfinement = PointRecord.Confinement(
        network: "", groupContainers: "", consent: nil, attribute: nil)
    private static let fullPointRecordLimit = PointRecord.Limit(name: "name", limit: 2 << 33)
    private static let barePointRecordLimit = PointRecord.Limit(name: "", limit: 0)
    private static let fullOfferedTypes = OfferedTypes(
        attachments: [[["attachments"], []], []], webPages: [["webPages"], []])
    private static let bareOfferedTypes = OfferedTypes(attachments: [])
    private static let fullOfferRecord = OfferRecord(
        identifier: "identifier", path: "path", shown: true, why: "why", wantsWebPage: true)
    private static let bareOfferRecord = OfferRecord(identifier: "", path: "", shown: false, why: "")
    private static let fullOfferExplanationClause = OfferExplanation.Clause(
        clause: "clause", result: true, detail: "detail", level: 4 << 33)
    private static let bareOfferExplanationClause = OfferExplanation.Clause(clause: "", result: false, detail: "")
    private static let fullFaultOrder = FaultOrder(
        .cut, at: .two, extensionIdentifier: "extension", after: 4 << 33, times: 5 << 33, seed: 6 << 33, delay: 7.5,
        sent: true)
    private static let bareFaultOrder = FaultOrder(.kill, at: .starting)
    private static let fullFaultRecord = FaultRecord(order: fullFaultOrder, struck: 2 << 33)
    private static let bareFaultRecord = FaultRecord(order: bareFaultOrder, struck: 0)

    /// Each kind with all keys.
    static let full: [Sample] = [
        Sample(
            Hello(
                role: Role.service, name: "name", sdk: "sdk", window: fullWindow, resumption: fullResumption,
                resumable: true, output: true)),
        Sample(
            Welcome(
                version: ProtocolVersion(major: 1, minor: 65535), window: fullWindow, token: [3, 0xff], received: 4,
                host: "host", execution: fullExecution, survives: true, isRecognized: true, started: 9 << 33)),
        Sample(Fence()),
        Sample(FenceReply()),
        Sample(Credit(fullWindow)),
        Sample(Acknowledge(request: RequestIdentifier(words: (1, 1)))),
        Sample(Goodbye()),
        Sample(
            StillOpen(
                requests: [RequestIdentifier(words: (1, 1))], answers: [RequestIdentifier(words: (1, 2))],
                work: [RequestIdentifier(words: (1, 3))])),
        Sample(Success()),
        Sample(ErrorReply(fullExtensionHostError)),
        Sample(
            Begin(
                request: RequestIdentifier(words: (1, 1)), extensionIdentifier: "extension",
                attachments: [[["attachments"], []], []], timeout: 4.5, force: true, waits: true, again: true,
                wasBegun: true, isUnreported: true)),
        Sample(Begun(request: RequestIdentifier(words: (1, 1)), pid: 2 << 33)),
        Sample(Cancel(request: RequestIdentifier(words: (1, 1)))),
        Sample(SetState(state: HostStateName.background)),
        Sample(
            Finished(
                request: RequestIdentifier(words: (1, 1)), cause: .crashed, detail: fullExtensionHostError,
                pid: 5 << 33, process: 6 << 33, hostState: HostStateName.background, created: 8 << 33,
                timings: fullTimings, refusals: [fullRefusalRecord], isFinal: true)),
        Sample(Exited(process: 1 << 33, exit: fullExitRecord, time: 3 << 33)),
        Sample(Output(extensionIdentifier: "extension", pid: 2 << 33, stream: "stream", bytes: [4, 0xff])),
        Sample(Held(request: RequestIdentifier(words: (1, 1)), pid: 2 << 33)),
        Sample(Deliver(request: RequestIdentifier(words: (1, 1)), host: "host", hostState: HostStateName.background)),
        Sample(
            HostStateChanged(
                notification: HostNotification.didBecomeActive, requests: [RequestIdentifier(words: (1, 2))],
                sequence: 3 << 33)),
        Sample(Cancelled(request: RequestIdentifier(words: (1, 1)), cause: .crashed)),
        Sample(Expired(request: RequestIdentifier(words: (1, 1)))),
        Sample(Terminate(cause: .crashed)),
        Sample(CheckMainQueue()),
        Sample(MainQueueRuns()),
        Sample(Complete(request: RequestIdentifier(words: (1, 1)), work: true, isFinal: true)),
        Sample(CancelRequest(request: RequestIdentifier(words: (1, 1)), isFinal: true)),
        Sample(HandlerFinished(request: RequestIdentifier(words: (1, 1)))),
        Sample(ContextFault(request: RequestIdentifier(words: (1, 1)), detail: "detail")),
        Sample(
            LoadItem(
                request: RequestIdentifier(words: (1, 1)), provider: 2 << 33, type: "type", load: 4 << 33,
                form: "form")),
        Sample(CancelLoad(request: RequestIdentifier(words: (1, 1)), load: 2 << 33)),
        Sample(
            LoadProgress(request: RequestIdentifier(words: (1, 1)), load: 2 << 33, completed: 3 << 33, total: 4 << 33)),
        Sample(ItemLoaded()),
        Sample(ShowView(request: RequestIdentifier(words: (1, 1)), sequence: 2 << 33)),
        Sample(UseView(request: RequestIdentifier(words: (1, 1)), action: "action", name: "name", text: "text")),
        Sample(ViewUsed(sequence: 1 << 33)),
        Sample(OpenURL(request: RequestIdentifier(words: (1, 1)), url: "url")),
        Sample(FollowClock()),
        Sample(ClockMoved(time: 1 << 33)),
        Sample(Sleep(until: 1 << 33, number: 2 << 33)),
        Sample(CancelSleep(number: 1 << 33)),
        Sample(Annotate(extensionIdentifier: "extension", name: "name")),
        Sample(Provide(service: "service", connections: [RequestIdentifier(words: (1, 2))])),
        Sample(
            OpenService(connection: RequestIdentifier(words: (1, 1)), service: "service", client: fullServiceClient)),
        Sample(CloseService(connection: RequestIdentifier(words: (1, 1)))),
        Sample(WakeApp(app: "app", detail: "detail", window: 3.5)),
        Sample(Rest()),
        Sample(AppRemoved(app: "app")),
        Sample(Call(request: RequestIdentifier(words: (1, 1)), number: 2 << 33, name: "name", limit: 4.5, grace: 5.5)),
        Sample(Called()),
        Sample(CancelCall(request: RequestIdentifier(words: (1, 1)), number: 2 << 33)),
        Sample(CallPart(request: RequestIdentifier(words: (1, 1)), number: 2 << 33)),
        Sample(CallExpires(request: RequestIdentifier(words: (1, 1)), number: 2 << 33)),
        Sample(
            Activate(
                reason: OpeningReason.activity, url: "url", source: "source", detail: "detail", activity: "activity",
                values: [6, 0xff])),
        Sample(
            ListExtensions(offset: 1 << 33, criteria: ["criteria"], allVersions: true, allCopies: true, groups: true)),
        Sample(Page<ExtensionRecord>(entries: [fullExtensionRecord], offset: 1, count: 2)),
        Sample(ListProcesses(offset: 1 << 33)),
        Sample(Page<ProcessRecord>(entries: [fullProcessRecord], offset: 1, count: 2)),
        Sample(ListHosts(offset: 1 << 33)),
        Sample(Page<HostRecord>(entries: [fullHostRecord], offset: 1, count: 2)),
        Sample(ListExits(offset: 1 << 33)),
        Sample(Page<DeathRecord>(entries: [fullDeathRecord], offset: 1, count: 2)),
        Sample(ListRequests(offset: 1 << 33)),
        Sample(Page<RequestRecord>(entries: [fullRequestRecord], offset: 1, count: 2)),
        Sample(SetHostState(host: "host", state: HostStateName.background)),
        Sample(Watch(since: 1 << 33, follow: true)),
        Sample(EventBatch(events: [fullEventRecord], oldest: 2 << 33)),
        Sample(AdvanceClock(delay: 1.5)),
        Sample(Status()),
        Sample(
            DaemonStatus(
                version: "version", pid: 2 << 33, user: 3 << 33, started: 4 << 33, time: 5 << 33, socket: "socket",
                bus: "bus", clock: "clock", extensions: 9 << 33, disabled: 10 << 33, processes: 11 << 33,
                requests: 12 << 33, hosts: 13 << 33, memory: 14 << 33, peakMemory: 15 << 33, sandbox: "sandbox",
                limits: "limits", treeKill: "treeKill", lastDeath: fullDeathRecord, detail: fullExtensionHostError,
                missing: ["missing"], state: "state", breakers: [fullBreakerRecord], folders: ["folders"],
                watching: "watching", kept: "kept", minimum: ProtocolVersion(major: 27, minor: 65535),
                maximum: ProtocolVersion(major: 28, minor: 65535))),
        Sample(ResetBreaker(extensionIdentifier: "extension")),
        Sample(Kill(fullKillTarget)),
        Sample(Killed(pids: [1 << 33])),
        Sample(Register(path: "path")),
        Sample(Registered(identifier: "identifier")),
        Sample(ReadLog(name: "name", follow: true)),
        Sample(LogBatch(lines: [fullLogLine], lost: true)),
        Sample(GetConfiguration()),
        Sample(ConfigurationReport(settings: [fullSettingRecord], problems: [fullSettingProblem], files: ["files"])),
        Sample(GetStatistics()),
        Sample(Statistics(started: 1 << 33, time: 2 << 33, metrics: [fullMetricFamily])),
        Sample(ListPoints(offset: 1 << 33)),
        Sample(Page<PointRecord>(entries: [fullPointRecord], offset: 1, count: 2)),
        Sample(AddBundle(path: "path")),
        Sample(RemoveBundle(path: "path")),
        Sample(Elect(extensionIdentifier: "extension", election: Election.default)),
        Sample(SetConsent(extensionIdentifier: "extension", name: "name", isGiven: true)),
        Sample(ReadAnnotations(extensionIdentifier: "extension")),
        Sample(Annotations()),
        Sample(GetStreamCarrier()),
        Sample(StreamCarrierName(isRouted: true)),
        Sample(BundleList(entries: [fullExtensionRecord], count: 2 << 33, deleted: ["deleted"], kept: ["kept"])),
        Sample(ShowExtension(name: "name")),
        Sample(
            ExtensionDetail(
                record: fullExtensionRecord, principalClass: "principalClass", executable: "executable",
                information: [8, 0xff], count: 9 << 33, groups: ["groups"], refused: ["refused"],
                network: ["network"], consents: ["consents"])),
        Sample(MatchItems(types: fullOfferedTypes, offset: 2 << 33)),
        Sample(Page<OfferRecord>(entries: [fullOfferRecord], offset: 1, count: 2)),
        Sample(ExplainOffer(extensionIdentifier: "extension", types: fullOfferedTypes)),
        Sample(OfferExplanation(offer: fullOfferRecord, clauses: [fullOfferExplanationClause], nearMiss: "nearMiss")),
        Sample(
            OpenApp(
                path: "path", reason: OpeningReason.activity, url: "url", activity: "activity", values: [5, 0xff],
                arguments: ["arguments"], follow: true)),
        Sample(AppOpened(identifier: "identifier", pid: 2 << 33, process: 3 << 33, isLaunched: true)),
        Sample(CloseApp(identifier: "identifier")),
        Sample(AddFault(fullFaultOrder)),
        Sample(ListFaults(offset: 1 << 33)),
        Sample(Page<FaultRecord>(entries: [fullFaultRecord], offset: 1, count: 2)),
        Sample(ClearFaults()),
        Sample(Record(contents: true)),
        Sample(
            Recording(
                version: "version", clock: "clock", time: 3 << 33, contents: true, timers: [fullPointRecordTimer])),
        Sample(Recorded(count: 1 << 33)),
        Sample(EndRecording()),
    ]

    /// The kinds that have keys, with those only that must be there.
    static let bare: [Sample] = [
        Sample(Hello(role: Role.host, sdk: "")),
        Sample(Welcome(version: ProtocolVersion.lowest, window: bareWindow, token: [])),
        Sample(Credit(bareWindow)),
        Sample(Acknowledge(request: RequestIdentifier(words: (1, 1)))),
        Sample(StillOpen(requests: [])),
        Sample(ErrorReply(bareExtensionHostError), writesThoughOptional: [.remedy]),
        Sample(Begin(request: RequestIdentifier(words: (1, 1)), extensionIdentifier: "", attachments: [])),
        Sample(Begun(request: RequestIdentifier(words: (1, 1)), pid: nil)),
        Sample(Cancel(request: RequestIdentifier(words: (1, 1)))),
        Sample(SetState(state: HostStateName.active)),
        Sample(
            Finished(
                request: RequestIdentifier(words: (1, 1)), cause: .idle, detail: nil, pid: nil, process: nil,
                hostState: HostStateName.active, created: 0, timings: bareTimings)),
        Sample(Exited(process: 0, exit: bareExitRecord, time: 0)),
        Sample(Output(extensionIdentifier: "", pid: 0, stream: "", bytes: [])),
        Sample(Held(request: RequestIdentifier(words: (1, 1)), pid: 0)),
        Sample(Deliver(request: RequestIdentifier(words: (1, 1)), host: "", hostState: HostStateName.active)),
        Sample(HostStateChanged(notification: HostNotification.willResignActive, requests: [], sequence: 0)),
        Sample(Cancelled(request: RequestIdentifier(words: (1, 1)), cause: .idle)),
        Sample(Expired(request: RequestIdentifier(words: (1, 1)))),
        Sample(Terminate(cause: .idle)),
        Sample(Complete(request: RequestIdentifier(words: (1, 1)), work: false)),
        Sample(CancelRequest(request: RequestIdentifier(words: (1, 1)))),
        Sample(HandlerFinished(request: RequestIdentifier(words: (1, 1)))),
        Sample(ContextFault(request: RequestIdentifier(words: (1, 1)), detail: "")),
        Sample(LoadItem(request: RequestIdentifier(words: (1, 1)), provider: 0, type: "")),
        Sample(CancelLoad(request: RequestIdentifier(words: (1, 1)), load: 0)),
        Sample(LoadProgress(request: RequestIdentifier(words: (1, 1)), load: 0, completed: 0, total: 0)),
        Sample(ShowView(request: RequestIdentifier(words: (1, 1)), sequence: 0)),
        Sample(UseView(request: RequestIdentifier(words: (1, 1)), action: "")),
        Sample(ViewUsed(sequence: 0)),
        Sample(OpenURL(request: RequestIdentifier(words: (1, 1)), url: "")),
        Sample(ClockMoved(time: 0)),
        Sample(Sleep(until: 0, number: 0)),
        Sample(CancelSleep(number: 0)),
        Sample(Annotate(extensionIdentifier: "", name: "")),
        Sample(Provide(service: "")),
        Sample(OpenService(connection: RequestIdentifier(words: (1, 1)), service: "")),
        Sample(CloseService(connection: RequestIdentifier(words: (1, 1)))),
        Sample(WakeApp(app: "", detail: ""), writesThoughOptional: [.window]),
        Sample(AppRemoved(app: "")),
        Sample(Call(request: RequestIdentifier(words: (1, 1)), number: 0, name: "")),
        Sample(CancelCall(request: RequestIdentifier(words: (1, 1)), number: 0)),
        Sample(CallPart(request: RequestIdentifier(words: (1, 1)), number: 0)),
        Sample(CallExpires(request: RequestIdentifier(words: (1, 1)), number: 0)),
        Sample(Activate(reason: OpeningReason.opened)),
        Sample(ListExtensions(), writesThoughOptional: [.offset]),
        Sample(Page<ExtensionRecord>(entries: [bareExtensionRecord], offset: 1, count: 2)),
        Sample(ListProcesses(), writesThoughOptional: [.offset]),
        Sample(Page<ProcessRecord>(entries: [bareProcessRecord], offset: 1, count: 2)),
        Sample(ListHosts(), writesThoughOptional: [.offset]),
        Sample(Page<HostRecord>(entries: [bareHostRecord], offset: 1, count: 2)),
        Sample(ListExits(), writesThoughOptional: [.offset]),
        Sample(Page<DeathRecord>(entries: [bareDeathRecord], offset: 1, count: 2)),
        Sample(ListRequests(), writesThoughOptional: [.offset]),
        Sample(Page<RequestRecord>(entries: [bareRequestRecord], offset: 1, count: 2)),
        Sample(SetHostState(host: "", state: HostStateName.active)),
        Sample(Watch(since: nil, follow: false)),
        Sample(EventBatch(events: [bareEventRecord])),
        Sample(AdvanceClock(delay: 0)),
        Sample(
            DaemonStatus(
                version: "", pid: 0, user: 0, started: 0, time: 0, socket: nil, bus: nil, clock: "", extensions: 0,
                disabled: 0, processes: 0, requests: 0, hosts: 0, memory: nil, peakMemory: nil, sandbox: "",
                limits: "", treeKill: "", lastDeath: nil, detail: nil)),
        Sample(ResetBreaker(extensionIdentifier: "")),
        Sample(Kill(bareKillTarget)),
        Sample(Killed(pids: [])),
        Sample(Register(path: "")),
        Sample(Registered(identifier: "")),
        Sample(ReadLog(name: "", follow: false)),
        Sample(LogBatch(lines: [bareLogLine])),
        Sample(ConfigurationReport(settings: [bareSettingRecord], problems: [bareSettingProblem], files: [])),
        Sample(Statistics(started: 0, time: 0, metrics: [bareMetricFamily])),
        Sample(ListPoints(), writesThoughOptional: [.offset]),
        Sample(Page<PointRecord>(entries: [barePointRecord], offset: 1, count: 2)),
        Sample(AddBundle(path: "")),
        Sample(RemoveBundle(path: "")),
        Sample(Elect(extensionIdentifier: "", election: Election.use)),
        Sample(SetConsent(extensionIdentifier: "", name: "", isGiven: false)),
        Sample(ReadAnnotations(extensionIdentifier: "")),
        Sample(StreamCarrierName(isRouted: false)),
        Sample(BundleList(entries: [bareExtensionRecord], count: 0)),
        Sample(ShowExtension(name: "")),
        Sample(
            ExtensionDetail(
                record: bareExtensionRecord, principalClass: nil, executable: nil, information: nil, count: 0)),
        Sample(MatchItems(types: bareOfferedTypes), writesThoughOptional: [.offset]),
        Sample(Page<OfferRecord>(entries: [bareOfferRecord], offset: 1, count: 2)),
        Sample(ExplainOffer(extensionIdentifier: "", types: bareOfferedTypes)),
        Sample(OfferExplanation(offer: bareOfferRecord)),
        Sample(OpenApp(path: "", reason: OpeningReason.opened)),
        Sample(AppOpened(identifier: "", pid: 0, process: 0, isLaunched: false)),
        Sample(CloseApp(identifier: "")),
        Sample(AddFault(bareFaultOrder), writesThoughOptional: [.after, .count, .seed, .delay, .sent]),
        Sample(ListFaults(), writesThoughOptional: [.offset]),
        Sample(Page<FaultRecord>(entries: [bareFaultRecord], offset: 1, count: 2)),
        Sample(Record()),
        Sample(Recording(version: "", clock: "", time: 0, contents: false, timers: [barePointRecordTimer])),
        Sample(Recorded(count: 0)),
    ]
}
