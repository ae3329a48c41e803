// GoLive: the set-up of a broadcast: a title, and two buttons.

import ReplayKit

final class GoLiveController: UIViewController {
    private let application = UILabel()
    private let name = UITextField()

    override func viewDidLoad() {
        super.viewDidLoad()
        application.text = "Broadcast"
        name.placeholder = "Title"
        let start = UIButton(type: .system)
        start.setTitle("Go Live", for: .normal)
        start.addAction(UIAction { [weak self] _ in self?.start() }, for: .touchUpInside)
        let cancel = UIButton(type: .system)
        cancel.setTitle("Cancel", for: .normal)
        cancel.addAction(UIAction { [weak self] _ in self?.cancel() }, for: .touchUpInside)
        for part in [application, name, start, cancel] { view.addSubview(part) }
        extensionContext?.loadBroadcastingApplicationInfo { _, name, _ in
            DispatchQueue.main.async { self.application.text = "Broadcast of \(name)" }
        }
    }

    private func start() {
        guard let url = URL(string: "https://live.example/room") else { return }
        let title = name.text.flatMap { $0.isEmpty ? nil : $0 } ?? "A broadcast"
        extensionContext?.completeRequest(withBroadcast: url, setupInfo: ["title": title as NSString])
    }

    private func cancel() {
        extensionContext?.cancelRequest(withError: CocoaError(.userCancelled))
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
