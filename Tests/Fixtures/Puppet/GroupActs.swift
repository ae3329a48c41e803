// GroupActs: what the puppet does with an app group.

import ExtensionFoundation
import Foundation

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
