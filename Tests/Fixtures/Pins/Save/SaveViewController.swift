// SaveViewController: the first scene of the storyboard, and one that it shows.

import ExtensionFoundation
import PinKit
import UIKit

/// Without Objective-C's words, and with the tables that the source step would write: this fixture is built without
/// that.
class SaveViewController: UIViewController {
    var label: UILabel!
    var buttons: [UIButton] = []
    var greeting = ""
    private var calls: [String] = []

    override func awakeFromNib() {
        super.awakeFromNib()
        calls.append(isViewLoaded ? "awake late" : "awake")
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        calls.append("loaded \(label.text ?? "")")
        let file = Bundle.main.path(forResource: "greeting", ofType: "txt")
        label.text = file.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
    }

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        calls.append("\(segue.identifier ?? "") by \((sender as? UIButton)?.currentTitle ?? "nobody")")
        (segue.destination as? DetailViewController)?.note = greeting
    }

    func save(_ sender: UIButton) {
        let provider = (extensionContext?.inputItems as? [NSExtensionItem])?.first?.attachments?.first
        provider?.loadItem(forTypeIdentifier: "public.plain-text", options: nil) { value, _ in
            DispatchQueue.main.async {
                let result = NSExtensionItem()
                var facts: [String: Any] = [
                    "label": self.label.text ?? "", "pin": Pin(value as? String)?.text ?? "none", "sender": sender.tag,
                    "buttons": self.buttons.map(\.tag), "calls": self.calls, "stack": self.navigationController != nil,
                ]
                facts["detail"] = (self.presentedViewController as? DetailViewController)?.field.text
                #if DEBUG && PINS
                    facts["conditions"] = true
                #endif
                result.userInfo = facts
                self.extensionContext?.completeRequest(returningItems: [result], completionHandler: nil)
            }
        }
    }

    @MainActor static var __methods_SaveViewController: [_Method] {
        [
            _Method("setLabel:") { ($0 as? SaveViewController)?.label = $1[0, UILabel?.self] },
            _Method("setButtons:") { ($0 as? SaveViewController)?.buttons = $1[0, [UIButton].self] },
            _Method("setGreeting:") { ($0 as? SaveViewController)?.greeting = $1[0, String.self] },
            _Method("save:") { ($0 as? SaveViewController)?.save($1[0, UIButton.self]) },
        ]
    }
}

class DetailViewController: UIViewController {
    var field: UITextField!
    var note = ""

    override func viewDidLoad() {
        super.viewDidLoad()
        field.text = note
    }

    @MainActor static var __methods_DetailViewController: [_Method] {
        [_Method("setField:") { ($0 as? DetailViewController)?.field = $1[0, UITextField?.self] }]
    }
}

final class __Methods_SaveViewController: _MethodTable {
    static var methods: [_Method] { MainActor.assumeIsolated { SaveViewController.__methods_SaveViewController } }
}

final class __Methods_DetailViewController: _MethodTable {
    static var methods: [_Method] { MainActor.assumeIsolated { DetailViewController.__methods_DetailViewController } }
}
