// Puppet: an extension that does what its request tells it, for tests of everything an extension may do.

import ExtensionFoundation
import Foundation
import Locks

/// The first item's `userInfo["do"]` names the act, or its title where a command line has no other place;
/// `userInfo["argument"]` is its argument.
final class Puppet: NSObject, NSExtensionRequestHandling {
    /// Survives from request to request in a shared process.
    private static let begun = Atomic<Int>(0)
    private static let made = Atomic<Int>(0)
    /// This object's number among all of the process.
    private let number = Puppet.made.add(1, ordering: .relaxed).newValue
    /// How often this object was begun.
    private let beginnings = Atomic<Int>(0)

    func beginRequest(with context: NSExtensionContext) {
        let number = Self.begun.add(1, ordering: .relaxed).newValue
        let beginning = beginnings.add(1, ordering: .relaxed).newValue
        let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
        let order = items.first?.userInfo ?? [:]
        let argument = order["argument"] as? String ?? ""
        if goBeyondLimit(order["do"] as? String, argument, items, context) { return }
        if waitForClock(order["do"] as? String, argument, context) { return }
        switch order["do"] as? String ?? items.first?.attributedTitle?.string {
        case nil where items.isEmpty:
            context.completeRequest(returningItems: [Self.item(["passed": context.inputItems.count])])
        case "return": context.completeRequest(returningItems: items)
        case "count": context.completeRequest(returningItems: [Self.item(["begun": number])])
        case "object":
            context.completeRequest(
                returningItems: [
                    Self.item([
                        "begun": number, "object": self.number, "beginning": beginning, "context": context.description,
                    ])
                ])
        case "nothing": context.completeRequest(returningItems: nil)
        case "change":
            items.first?.attributedTitle = NSAttributedString(string: "the extension's")
            context.completeRequest(returningItems: context.inputItems)
        case "completeTwice":
            context.completeRequest(returningItems: [Self.item(["answer": 1])])
            context.completeRequest(returningItems: [Self.item(["answer": 2])])
        case "cancelAfterComplete":
            context.completeRequest(returningItems: [Self.item(["answer": 1])])
            context.cancelRequest(withError: CocoaError(.userCancelled))
        case "handler": completeWithHandler(context, argument)
        case "handlerQueue":
            context.completeRequest(returningItems: []) { expired in
                print("handler \(expired) on", queueLabel(nil).map { String(cString: $0) } ?? "no queue")
            }
        case "mainThread":
            // Again and again from elsewhere: the queue wakes a thread that sleeps.
            for count in 1...100 { DispatchQueue.global().sync { DispatchQueue.main.async { _ = count } } }
            DispatchQueue.main.async {
                context.completeRequest(returningItems: [Self.item(["main": Thread.isMainThread])])
            }
        case "hang": print("hanging")
        case "blockMain":
            DispatchQueue.main.async { Thread.sleep(forTimeInterval: Double(argument) ?? 1000) }
            print("blocking")
        case "lock": lock(argument)
        case "defaults": changeDefaults(of: argument)
        case "crash": abort()
        case "exit": exit(Int32(argument) ?? 0)
        case "stop": raise(SIGSTOP)
        case "load": load(items, context)
        case "noteAndLoad":
            note(context, in: argument)
            load(items, context)
        case "lose":
            // Again and again with something on the way each time.
            for _ in 0..<(Int(argument) ?? 1) {
                print("losing")
                Self.loseConnection()
            }
            load(items, context)
            Self.loseConnection()
            print("lost for the last time")
        case "loadAfterComplete":
            context.completeRequest(returningItems: [])
            items.first?.attachments?.first?.loadItem(forTypeIdentifier: "public.url", options: nil) { _, error in
                print("late load:", (error as NSError?)?.code ?? 0)
            }
        case "print":
            print(String(repeating: "x", count: Int(argument) ?? 1))
            context.completeRequest(returningItems: [])
        case "notices": returnNotices(context, count: Int(argument) ?? 1)
        case "collect":
            _ = PostBook.shared
            print("collecting")
        case "collected": context.completeRequest(returningItems: [Self.item(["posts": PostBook.shared.posts])])
        case "ignoreTerm":
            signal(SIGTERM, SIG_IGN)
            context.completeRequest(returningItems: [])
        case "digest": digest(items, context, as: argument)
        case "derive": context.completeRequest(returningItems: [Self.derived(from: items)])
        case "leave": leave(context)
        case "returnMuch":
            let piece = Data(repeating: 1, count: 5 << 20)
            context.completeRequest(returningItems: [Self.item(["pieces": Array(repeating: piece, count: 30)])])
        case "remake": context.completeRequest(returningItems: items.map(Self.remade))
        case "largeError":
            context.cancelRequest(
                withError: NSError(domain: "puppet", code: 8, userInfo: ["bytes": Data(repeating: 1, count: 70 << 20)]))
        case "order": loadAll(items, context)
        case "pump": pump(items, context, argument)
        case "cancelLoad": cancelLoad(items, context)
        case "progress": watchLoad(items, context)
        case "types": context.completeRequest(returningItems: [Self.item(["types": Self.types(of: items)])])
        case "results": returnResults(items, context)
        case "restricted": tryRestrictedActivities(context)
        case "greeting": loadLibrary(argument, context)
        case "camera": cancelForCamera(context)
        case "makeFiles": context.completeRequest(returningItems: [Self.files(Int(argument) ?? 1)])
        case "openURLs": Self.openURLs(argument, context)
        case "make": context.completeRequest(returningItems: [Self.made(argument)])
        case let act:
            let unknown = [NSLocalizedDescriptionKey: "the puppet cannot \(act ?? "do nothing")"]
            context.cancelRequest(withError: NSError(domain: "puppet", code: 1, userInfo: unknown))
        }
    }

    /// One line for each request that was begun, in a file that outlives everybody; of a confined puppet in its home.
    private func note(_ context: NSExtensionContext, in argument: String) {
        let path = argument.hasPrefix("/") ? argument : NSHomeDirectory() + "/" + argument
        let uuid = context.description.split(separator: "UUID: ").last?.prefix(36) ?? ""
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let line = Array("\(uuid) \(getpid())\n".utf8)
        _ = write(file, line, line.count)
        close(file)
    }

    /// URLs, one after the other, with blanks between; returns whether each was opened.
    private static func openURLs(_ argument: String, _ context: NSExtensionContext, _ opened: [Bool] = []) {
        let urls = argument.split(separator: " ").map(String.init)
        guard opened.count < urls.count else {
            let words = opened.map(String.init).joined(separator: " ")
            return context.completeRequest(returningItems: [item(["opened": words])])
        }
        guard let url = URL(string: urls[opened.count]) else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        context.open(url) { openURLs(argument, context, opened + [$0]) }
    }

    /// `posix:PATH`, `flock:PATH` or `ofd:PATH`: takes that lock on the file, and keeps it.
    private func lock(_ argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
        let file = open(parts[1], O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var whole = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        let openFileLock: Int32 = 37  // F_OFD_SETLK
        let code =
            switch parts[0] {
            case "posix": fcntl(file, F_SETLK, &whole)
            case "ofd": fcntl(file, openFileLock, &whole)
            default: flock(file, LOCK_EX | LOCK_NB)
            }
        print(code == 0 ? "locked" : "not locked: \(errno)")
    }

    /// Cuts the connection to the daemon, as a fault would: its socket is the process's only one, but for the door, 4.
    private static func loseConnection() {
        for number in Int32(3)..<64 where number != 4 {
            var status = stat()
            if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { shutdown(number, Int32(SHUT_RDWR)) }
        }
    }

    /// `quick` returns at once; `obey` blocks until it is called with true; `ignore` blocks for ever.
    private func completeWithHandler(_ context: NSExtensionContext, _ manner: String) {
        let printed = DispatchSemaphore(value: 0)
        let released = DispatchSemaphore(value: 0)
        let returned: Any = manner == "faulty" ? "no item" : Self.item(["manner": manner])
        context.completeRequest(returningItems: [returned]) { expired in
            // The second call does not wait for the first, which may be begun and not have come to print.
            if expired { printed.wait() }
            print("handler: \(expired)")
            printed.signal()
            switch (manner, expired) {
            case ("obey", false): released.wait()
            case ("obey", true): released.signal()
            case ("ignore", false): released.wait()
            default: break
            }
        }
    }

    func load(_ items: [NSExtensionItem], _ context: NSExtensionContext) {
        guard let provider = items.first?.attachments?.first, let type = provider.registeredTypeIdentifiers.first else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        provider.loadItem(forTypeIdentifier: type, options: nil) { value, error in
            if let error {
                let code = (error as NSError).code
                print("load: \(code)")
                return context.completeRequest(returningItems: [Self.item(["error": code])])
            }
            context.completeRequest(returningItems: [Self.item(["value": "\(value ?? "nil")"])])
        }
    }

    private func returnNotices(_ context: NSExtensionContext, count: Int) {
        let seen = Mutex<[String]>([])
        let log = Log(seen)
        let names: [NSNotification.Name] = [
            .NSExtensionHostWillResignActive, .NSExtensionHostDidEnterBackground, .NSExtensionHostWillEnterForeground,
            .NSExtensionHostDidBecomeActive,
        ]
        for name in names {
            _ = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
                let all = log.add(notification.name.rawValue)
                if all.count == count { context.completeRequest(returningItems: [Self.item(["seen": all])]) }
            }
        }
        print("watching")
    }

    /// Returns what the script of a page gave.
    private func returnResults(_ items: [NSExtensionItem], _ context: NSExtensionContext) {
        let type = "com.apple.property-list"
        let attachments = items.flatMap { $0.attachments ?? [] }
        guard let page = attachments.first(where: { $0.hasItemConformingToTypeIdentifier(type) }) else {
            return context.completeRequest(returningItems: [])
        }
        page.loadItem(forTypeIdentifier: type) { value, _ in
            let results = (value as? [String: Any])?[NSExtensionJavaScriptPreprocessingResultsKey] as? [String: String]
            context.completeRequest(returningItems: [Self.item(["results": results ?? ["none": ""]])])
        }
    }

    static func item(_ userInfo: [String: Any]) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.userInfo = userInfo
        return item
    }
}

private final class Log: Sendable {
    private let seen: Mutex<[String]>
    init(_ seen: consuming sending Mutex<[String]>) { self.seen = seen }
    func add(_ name: String) -> [String] {
        seen.withLock {
            $0.append(name)
            return $0
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }

/// The label of the queue that runs the caller: the overlay shows those of objects only.
@_silgen_name("dispatch_queue_get_label") private func queueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>?
