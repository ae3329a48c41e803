// KeychainUser: a program that uses the keychain as its standard input says, one line a time; for tests.

import LinuxSystem
import Security

/// Orders are words with spaces between; each is answered with the status and the values that were found.
///
/// An order is a verb, an access group, an account, `plain`, `shared` or `any`, and a password. A hyphen stands for
/// none.
@main struct KeychainUser {
    static func main() {
        StandardStreams.lineBufferOutput()
        print("ready")
        while let line = readLine() { print(obey(line.split(separator: " ").map(String.init))) }
    }

    private static func obey(_ words: [String]) -> String {
        guard words.count == 5 else { return "what?" }
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "org.example.tests",
        ]
        if words[1] != "-" { query[kSecAttrAccessGroup as String] = words[1] }
        if words[2] != "-" { query[kSecAttrAccount as String] = words[2] }
        switch words[3] {
        case "shared": query[kSecAttrSynchronizable as String] = kCFBooleanTrue
        case "any": query[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
        default: break
        }
        let password = Data(words[4].utf8)
        switch words[0] {
        case "add":
            query[kSecValueData as String] = password
            return "\(SecItemAdd(query as CFDictionary, nil))"
        case "get":
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitAll
            var result: AnyObject?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            let found = (result as? [Data] ?? []).map { String(decoding: $0, as: UTF8.self) }
            return (["\(status)"] + found).joined(separator: " ")
        case "groups":
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitAll
            var result: CFTypeRef?
            let status = withUnsafeMutablePointer(to: &result) {
                SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
            }
            let found = (result as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccessGroup as String] as? String }
            return (["\(status)"] + found).joined(separator: " ")
        case "code":
            var (code, file, facts): (SecCode?, SecStaticCode?, CFDictionary?)
            var status = SecCodeCopySelf([], &code)
            if let code { status = max(status, SecCodeCopyStaticCode(code, [], &file)) }
            if let file { status = max(status, SecCodeCopySigningInformation(file, [], &facts)) }
            let entitlements = facts?[kSecCodeInfoEntitlementsDict] as? [String: Any]
            let groups = entitlements?["com.apple.security.application-groups"] as? [String] ?? []
            return (["\(status)"] + groups).joined(separator: " ")
        case "update":
            return "\(SecItemUpdate(query as CFDictionary, [kSecValueData: password] as CFDictionary))"
        case "move":
            return "\(SecItemUpdate(query as CFDictionary, [kSecAttrAccessGroup: words[4]] as CFDictionary))"
        case "delete": return "\(SecItemDelete(query as CFDictionary))"
        case "hammer":
            for number in 0... {
                let status = SecItemUpdate(
                    query as CFDictionary, [kSecValueData as String: Data("\(number)".utf8)] as CFDictionary)
                print(status == errSecSuccess ? "\(number)" : "failed \(status)")
            }
            return ""
        default: return "what?"
        }
    }
}
