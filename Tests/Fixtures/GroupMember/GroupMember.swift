// GroupMember: a program that uses an app group's shared defaults as its standard input says, one line a time; for
// tests.

import ExtensionFoundation
import Foundation
import LinuxSystem

/// Orders are words with spaces between; each is answered with one line, once it is done.
@main struct GroupMember {
    static func main() {
        StandardStreams.lineBufferOutput()
        guard let group = CommandLine.arguments.dropFirst().first, let defaults = UserDefaults(suiteName: group) else {
            print("no suite")
            exit(1)
        }
        let member = Member(group, defaults)
        print("ready")
        while let line = readLine() { print(member.obey(line.split(separator: " ").map(String.init))) }
    }
}

private final class Member {
    let group: String
    let defaults: UserDefaults

    init(_ group: String, _ defaults: UserDefaults) { (self.group, self.defaults) = (group, defaults) }

    func obey(_ words: [String]) -> String {
        switch (words.first, words.count) {
        case ("set", 3):
            defaults.setValue(words[2], forKey: words[1])
            return "done"
        case ("fill", 4):
            defaults.set(String(repeating: words[2], count: Int(words[3]) ?? 0), forKey: words[1])
            return "done"
        case ("get", 2): return defaults.value(forKey: words[1]) as? String ?? "nothing"
        case ("remove", 2):
            defaults.removeObject(forKey: words[1])
            return "done"
        case ("keep", 1): return "\(defaults.synchronize())"
        case ("hammer", 4): return hammer(words[1], from: Int(words[2]) ?? 0, blob: Int(words[3]) ?? 0)
        case ("news", 1): return hearNews()
        case ("container", 1):
            return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.path ?? "nothing"
        default: return "what?"
        }
    }

    /// Sets one key after the other and tells of each when it is set, until it is killed. With each comes data of one
    /// byte again and again under one key, which must never be seen mixed.
    private func hammer(_ name: String, from first: Int, blob: Int) -> String {
        var number = first
        while true {
            defaults.set(number, forKey: "\(name)-\(number)")
            print(number)
            if blob > 0 {
                defaults.set(Data(repeating: UInt8(truncatingIfNeeded: number), count: blob), forKey: "blob")
            }
            number += 1
        }
    }

    /// Waits for the next change by another process.
    private func hearNews() -> String {
        let heard = DispatchSemaphore(value: 0)
        let token = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
        ) { _ in heard.signal() }
        defer { NotificationCenter.default.removeObserver(token) }
        print("listening")
        return heard.wait(timeout: .now() + 30) == .success ? "heard" : "nothing"
    }
}
