// AppService: orders to open and to close apps.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry

extension ControlService {
    func openApp(_ message: OpenApp, _ reply: Reply<AppOpened>) throws(ExtensionHostError) {
        // The app runs with the daemon's rights.
        try checkMayRegister()
        guard !context.options.isSystem else {
            throw ExtensionHostError(
                .notPermitted,
                "the system's daemon opens apps only for extensions that request it, with their user's rights",
                remedy: "Open it with a daemon of your own: exthostctl --user")
        }
        if let problem = problem(of: message) { throw problem }
        try takePlace()
        var launch = AppLauncher.LaunchOptions(arguments: message.arguments)
        if message.follow {
            following = AppFollower(peer) { [weak self] in self?.following = nil }
            launch.follower = following
        }
        let activate = Activate(
            reason: message.reason, url: message.url, activity: message.activity, values: message.values)
        let opening = AppOpening(activate) { [weak self, weak follower = launch.follower] result in
            guard let self else { return }
            ordering -= 1
            guard isConnected else { return }
            switch result {
            case .success(let opened):
                // An app that ran already does not belong to this connection.
                if !opened.isLaunched { drop(follower) }
                reply(opened)
            case .failure(let error):
                // A client that gets the error follows nothing, even if the app runs and has not taken its URL.
                drop(follower)
                reply(error)
            }
        }
        engine.apps.open(message.path, opening, launch)
    }

    private func drop(_ follower: AppFollower?) {
        guard let follower, follower === following else { return }
        following = nil
        follower.leave()
    }

    private func problem(of message: OpenApp) -> ExtensionHostError? {
        if message.reason == .unrecognized {
            return ExtensionHostError(
                .invalidArgument, "this daemon does not know the reason for opening the app",
                remedy: "Bring the older of the two programs up to date")
        }
        if (message.reason == .url) != (message.url != nil) {
            return ExtensionHostError(
                .invalidArgument, "a URL and the reason url need each other", remedy: "Give both or neither")
        }
        if let url = message.url, Application.scheme(of: url) == nil {
            return ExtensionHostError(
                .invalidArgument, "a URL without a scheme cannot be opened", remedy: "Give an absolute URL")
        }
        if let url = message.url, url.utf8.count > AppOpening.urlLimit {
            return ExtensionHostError(
                .payloadTooLarge, "a URL has at most \(AppOpening.urlLimit) bytes",
                remedy: "Share longer data through an app group")
        }
        if (message.reason == .activity) != (message.activity != nil) {
            return ExtensionHostError(
                .invalidArgument, "an activity and the reason activity need each other", remedy: "Give both or neither")
        }
        if message.activity?.isEmpty ?? (message.values != nil) {
            return ExtensionHostError(
                .invalidArgument, "an activity has no type", remedy: "Give the type of the activity")
        }
        if (message.activity?.utf8.count ?? 0) + (message.values?.count ?? 0) > AppOpening.urlLimit {
            return ExtensionHostError(
                .payloadTooLarge, "an activity has at most \(AppOpening.urlLimit) bytes",
                remedy: "Share longer data through an app group")
        }
        if message.arguments.contains(where: { $0.utf8.contains(0) }) {
            return ExtensionHostError(.invalidArgument, "an argument has a zero byte", remedy: "Omit the argument")
        }
        if message.follow, following != nil {
            return ExtensionHostError(
                .invalidArgument, "this connection already follows an app",
                remedy: "Open others on their own connections")
        }
        return nil
    }

    func closeApp(_ message: CloseApp) throws(ExtensionHostError) -> Success {
        try checkMayRegister()
        try engine.apps.close(message.identifier)
        return Success()
    }
}
