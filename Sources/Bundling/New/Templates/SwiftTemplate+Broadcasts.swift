// SwiftTemplate+Broadcasts: the templates for broadcasts.

extension SwiftTemplate {
    /// The upload of a broadcast.
    var upload: Parts {
        var parts = Parts(
            "an upload of a broadcast that counts frames", className: "SampleHandler",
            modules: ["ExtensionFoundation", "ReplayKit"], run: "exthostctl run . --video screen.y4m")
        parts.source = """
            // SampleHandler: an upload of a broadcast that counts frames.

            import ReplayKit

            final class SampleHandler: RPBroadcastSampleHandler {
                private var frames = 0

                override func processSampleBuffer(
                    _ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType
                ) {
                    // An upload has 50 MiB, so it keeps no sample.
                    if sampleBufferType == .video { frames += 1 }
                }

                override func broadcastFinished() { updateServiceInfo(["frames": NSNumber(value: frames)]) }
            }

            """
        parts.test = "framesAreCounted"
        parts.session = """
                        let session = try await BroadcastHost(host.application).start("\(project.extensionIdentifier)")
                        let grey = [UInt8](repeating: 128, count: 64 * 36 * 3 / 2)
                        try session.offer(
                            video: grey, .video(width: 64, height: 36, isFullRange: true, orientation: 1), at: .zero)
                        let report = await session.finish()
                        #expect(report.video.processed == 1 && report.failure == nil && report.error == nil)
            """
        return parts
    }

    /// The set-up of a broadcast.
    var broadcastSetup: Parts {
        var parts = Parts(
            "a set-up of a broadcast with a button", className: "BroadcastSetupViewController",
            modules: ["ExtensionFoundation", "ReplayKit"], run: "exthostctl run . --tap Start")
        parts.source = """
            // BroadcastSetupViewController: a set-up of a broadcast with a button.

            import ReplayKit

            final class BroadcastSetupViewController: UIViewController {
                override func viewDidLoad() {
                    super.viewDidLoad()
                    let start = UIButton(type: .system)
                    start.setTitle("Start", for: .normal)
                    start.addAction(UIAction { [weak self] _ in self?.start() }, for: .touchUpInside)
                    view.addSubview(start)
                }

                private func start() {
                    guard let url = URL(string: "https://live.example/room") else { return }
                    extensionContext?.completeRequest(
                        withBroadcast: url, setupInfo: ["title": "\(name)" as NSString])
                }
            }

            """
        parts.test = "theBroadcastIsSetUp"
        parts.session = """
                        let session = try await BroadcastHost(host.application).setUp(
                            "\(project.extensionIdentifier)", for: .init("org.example.game", displayName: "Game"))
                        try await session.use(.tap("Start"))
                        #expect(try await session.setup()?.url.host == "live.example")
            """
        return parts
    }
}
