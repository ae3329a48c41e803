// MessageKind: every message of the protocol on one page, by the range it belongs to.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The number in a packet's header. Answers have the high bit of the low byte set.
public enum MessageKind: UInt16, Sendable, Hashable, CaseIterable {
    // 0x00xx: every connection.
    case hello = 0x0001
    case welcome = 0x0081
    case fence = 0x0002
    case fenceReply = 0x0082
    case credit = 0x0003
    case acknowledge = 0x0004
    case goodbye = 0x0005
    case stillOpen = 0x0006
    case success = 0x00fe
    case error = 0x00ff

    // 0x01xx: a host and the daemon.
    case begin = 0x0101
    case begun = 0x0181
    case cancel = 0x0102
    case setState = 0x0103
    case finished = 0x0104
    case exited = 0x0105
    case output = 0x0106
    case held = 0x0107

    // 0x02xx: an extension and the daemon.
    case deliver = 0x0201
    case hostState = 0x0202
    case cancelled = 0x0203
    case expired = 0x0204
    case terminate = 0x0205
    case checkMainQueue = 0x0206
    case mainQueueRuns = 0x0286
    case complete = 0x0211
    case cancelRequest = 0x0212
    case handlerFinished = 0x0213
    case contextFault = 0x0214
    case loadItem = 0x0221
    case cancelLoad = 0x0222
    case loadProgress = 0x0223
    case itemLoaded = 0x02a1
    case showView = 0x0231
    case useView = 0x0232
    case viewUsed = 0x02b2
    case openURL = 0x0241
    case followClock = 0x0251
    case clockMoved = 0x0252
    case sleep = 0x0253
    case cancelSleep = 0x0254
    case annotate = 0x0271
    case provide = 0x0272
    case openService = 0x0273
    case closeService = 0x0274
    case wakeApp = 0x0275
    case rest = 0x0276
    case appRemoved = 0x0277
    case call = 0x0261
    case called = 0x02e1
    case cancelCall = 0x0262
    case callPart = 0x0263
    case callExpires = 0x0264

    // 0x04xx: an app and the daemon.
    case activate = 0x0401

    // 0x03xx: a tool, or a host, and the daemon.
    case listExtensions = 0x0301
    case extensions = 0x0381
    case listProcesses = 0x0302
    case processes = 0x0382
    case listHosts = 0x0303
    case hosts = 0x0383
    case listExits = 0x0304
    case exits = 0x0384
    case listRequests = 0x0309
    case requests = 0x0389
    case setHostState = 0x0305
    case watch = 0x0306
    case event = 0x0307
    case advanceClock = 0x0308
    case status = 0x030a
    case daemonStatus = 0x038a
    case resetBreaker = 0x0310
    case kill = 0x030b
    case killed = 0x038b
    case register = 0x030e
    case registered = 0x038e
    case readLog = 0x030c
    case logLines = 0x030d
    case getConfiguration = 0x0312
    case configuration = 0x0392
    case getStatistics = 0x0313
    case statistics = 0x0393
    case listPoints = 0x0320
    case points = 0x03a0
    case addBundle = 0x0330
    case removeBundle = 0x0331
    case elect = 0x0332
    case setConsent = 0x0336
    case readAnnotations = 0x0337
    case annotations = 0x03b7
    case getStreamCarrier = 0x0338
    case streamCarrier = 0x03b8
    case bundles = 0x03b2
    case showExtension = 0x0333
    case extensionDetail = 0x03b3
    case match = 0x0334
    case offers = 0x03b4
    case explain = 0x0335
    case explanation = 0x03b5
    case openApp = 0x0340
    case appOpened = 0x03c0
    case closeApp = 0x0341
    case addFault = 0x0360
    case listFaults = 0x0361
    case faults = 0x03e1
    case clearFaults = 0x0362
    case record = 0x0370
    case recording = 0x03f0
    case recorded = 0x0371
    case endRecording = 0x0372
}

extension MessageKind {
    /// The lowest version that knows this kind: to a peer of a lower one it is a violation.
    public var since: ProtocolVersion {
        switch self {
        case .stillOpen, .held, .checkMainQueue, .mainQueueRuns, .cancelLoad, .loadProgress, .showView, .useView,
            .viewUsed, .openURL, .followClock, .clockMoved, .sleep, .cancelSleep, .activate, .resetBreaker,
            .getConfiguration, .configuration, .getStatistics, .statistics, .listPoints, .points, .addBundle,
            .removeBundle, .elect, .bundles, .showExtension, .extensionDetail, .match, .offers, .explain, .explanation,
            .openApp, .appOpened, .closeApp, .addFault, .listFaults, .faults, .clearFaults, .record, .recording,
            .recorded, .endRecording:
            ProtocolVersion(major: 1, minor: 1)
        case .annotate, .provide, .openService, .closeService, .wakeApp, .rest, .appRemoved, .call, .called,
            .cancelCall, .callPart, .callExpires, .setConsent, .readAnnotations, .annotations, .getStreamCarrier,
            .streamCarrier:
            ProtocolVersion(major: 1, minor: 2)
        default: .lowest
        }
    }
}
