// Broadcaster: does what the set-up's dictionary says under “act”, for BroadcastTests.

import ReplayKit

final class Broadcaster: RPBroadcastSampleHandler {
    private var act = ""
    private var frames = 0
    private var steps: [String] = []

    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    override func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {
        act = (setupInfo?["act"] as? NSString).map { $0 as String } ?? ""
        say("started \(setupInfo?.count ?? -1)")
        switch act {
        case "fail-at-start":
            finishBroadcastWithError(RPRecordingError(.disabled))
            finishBroadcastWithError(RPRecordingError(.failed))
        case "hang-at-start": while true { sleep(1) }
        case "die-at-start": exit(3)
        default: break
        }
    }

    override func processSampleBuffer(_ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType) {
        guard sampleBufferType == .video else {
            if act == "describe" { say(Self.sound(sampleBuffer, sampleBufferType)) }
            return
        }
        frames += 1
        steps.append("frame")
        switch act {
        case "describe" where frames == 1: say(Self.picture(sampleBuffer))
        case "hang": while true { sleep(1) }
        case "die" where frames == 3: exit(3)
        case "fail" where frames == 2:
            finishBroadcastWithError(
                NSError(domain: "Broadcaster", code: 7, userInfo: [NSLocalizedDescriptionKey: "enough"]))
        case "keep": Self.kept.append(sampleBuffer)
        default: break
        }
    }

    nonisolated(unsafe) private static var kept: [CMSampleBuffer] = []

    override func broadcastPaused() { steps.append("paused") }
    override func broadcastResumed() { steps.append("resumed") }

    override func broadcastAnnotated(withApplicationInfo applicationInfo: [AnyHashable: Any]) {
        steps.append("annotated \(applicationInfo[RPApplicationInfoBundleIdentifierKey] as? String ?? "nothing")")
    }

    override func broadcastFinished() {
        if act == "fail-at-end" { finishBroadcastWithError(RPRecordingError(.interrupted)) }
        if act == "hang-at-end" { while true { sleep(1) } }
        updateServiceInfo(["steps": steps.joined(separator: ", ") as NSString, "frames": NSNumber(value: frames)])
        if let url = URL(string: "https://live.example/last") { updateBroadcast(url) }
    }

    private static func picture(_ sample: CMSampleBuffer) -> String {
        guard let image = CMSampleBufferGetImageBuffer(sample) else { return "no image" }
        let unlocked = CVPixelBufferGetBaseAddress(image) == nil
        CVPixelBufferLockBaseAddress(image, .readOnly)
        defer { CVPixelBufferUnlockBaseAddress(image, .readOnly) }
        func bytes(_ plane: Int, _ row: Int, _ count: Int) -> [UInt8] {
            guard let base = CVPixelBufferGetBaseAddressOfPlane(image, plane) else { return [] }
            let start = base + row * CVPixelBufferGetBytesPerRowOfPlane(image, plane)
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }
        let code = CVPixelBufferGetPixelFormatType(image)
        let size = sample.formatDescription.map { CMVideoFormatDescriptionGetDimensions($0) }
        let orientation = CMGetAttachment(sample, key: RPVideoSampleOrientationKey as CFString, attachmentModeOut: nil)
        let age = CMTimeGetSeconds(CMClockGetTime(CMClockGetHostTimeClock()) - sample.presentationTimeStamp)
        return
            "picture \(size?.width ?? 0)x\(size?.height ?? 0) "
            + "\(code == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange ? "420f" : "420v") "
            + "\(CVPixelBufferGetPlaneCount(image)) planes, rows of \(CVPixelBufferGetBytesPerRowOfPlane(image, 0)), "
            + "luma \(bytes(0, 1, 3)), chroma \(bytes(1, 0, 4)), "
            + "orientation \((orientation as? NSNumber)?.intValue ?? 0), unlocked \(unlocked), "
            + "duration \(sample.duration.value) recent \(age >= 0 && age < 60)"
    }

    private static func sound(_ sample: CMSampleBuffer, _ type: RPSampleBufferType) -> String {
        guard let data = CMSampleBufferGetDataBuffer(sample), let format = sample.formatDescription,
            let description = CMAudioFormatDescriptionGetStreamBasicDescription(format)?.pointee
        else { return "no sound" }
        var first = [Int16](repeating: 0, count: 2)
        CMBlockBufferCopyDataBytes(data, atOffset: 0, dataLength: 4, destination: &first)
        return "sound \(type.rawValue): \(sample.numSamples) frames, \(Int(description.mSampleRate)) Hz, "
            + "\(description.mChannelsPerFrame) channels, \(CMBlockBufferGetDataLength(data)) bytes, \(first)"
    }
}

/// Sets a broadcast up, as its buttons say.
final class Setter: UIViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        add("Good") { $0.complete("https://live.example/room", ["act": "describe" as NSString]) }
        add("Bare") { $0.complete("https://live.example/", nil) }
        add("Empty") { $0.extensionContext?.completeRequest(returningItems: []) }
        add("Odd") { $0.complete("https://live.example/", ["x": Odd()]) }
        add("Die") { _ in exit(3) }
        add("Fail") { $0.extensionContext?.cancelRequest(withError: RPRecordingError(.userDeclined)) }
        add("Cancel") { $0.extensionContext?.cancelRequest(withError: CocoaError(.userCancelled)) }
        extensionContext?.loadBroadcastingApplicationInfo { identifier, name, icon in
            DispatchQueue.main.async { [self] in
                let label = UILabel()
                label.text = "\(identifier) \(name) \(icon == nil ? "plain" : "with icon")"
                view.addSubview(label)
            }
        }
    }

    private func add(_ title: String, _ body: @escaping @MainActor @Sendable (Setter) -> Void) {
        let button = UIButton(type: .system)
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { [weak self] _ in if let self { body(self) } }, for: .touchUpInside)
        view.addSubview(button)
    }

    private func complete(_ url: String, _ info: [String: any NSCoding & NSObjectProtocol]?) {
        guard let url = URL(string: url) else { return }
        extensionContext?.completeRequest(withBroadcast: url, setupInfo: info)
    }
}

/// A value that no property list has.
final class Odd: NSObject, NSCoding {
    override init() {}
    init?(coder: NSCoder) { nil }
    func encode(with coder: NSCoder) {}
}

/// No handler of samples.
final class NoHandler: NSObject {}

/// An upload of iOS 10, which gets clips.
final class ClipHandler: RPBroadcastMP4ClipHandler {}

@main struct Main { static func main() { NSExtensionMain() } }
