// GroupActs: what the puppet does with an app group, and with a library of its app.

import ExtensionFoundation
import Foundation
import Glibc

/// Changes the group's defaults without a pause, for as long as the process lives.
func changeDefaults(of group: String) {
    Thread.detachNewThread {
        guard let defaults = UserDefaults(suiteName: group) else { return print("no suite") }
        var number = 0
        while true {
            defaults.set(number, forKey: "number")
            if number == 0 { print("setting") }
            number += 1
        }
    }
}

/// Loads a library of the app's `Frameworks` while it runs, and returns what its function `greeting` says.
func loadLibrary(_ name: String, _ context: NSExtensionContext) {
    // dlopen(3) puts the program's folder in place of $ORIGIN.
    guard let library = dlopen("$ORIGIN/../../Frameworks/" + name, RTLD_NOW), let found = dlsym(library, "greeting")
    else {
        let reason = dlerror().map { String(cString: $0) } ?? "no reason"
        return context.cancelRequest(
            withError: NSError(domain: "puppet", code: 2, userInfo: [NSLocalizedDescriptionKey: reason]))
    }
    let greeting = unsafeBitCast(found, to: (@convention(c) () -> UnsafePointer<CChar>).self)
    let item = NSExtensionItem()
    item.userInfo = ["greeting": String(cString: greeting())]
    context.completeRequest(returningItems: [item])
}
