// TypistViewController: a keyboard whose keys do what their titles say, for KeyboardTests.

import ExtensionFoundation
import Foundation
import UIKit

/// The wish of the test, from the extension's Info.plist.
@MainActor private var wish: String { Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? "" }

/// Prints each call: the test reads them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

class TypistViewController: UIInputViewController {
    private let label = UILabel()

    private var context: String {
        let proxy = textDocumentProxy
        return [proxy.documentContextBeforeInput, proxy.selectedText, proxy.documentContextAfterInput]
            .map { $0 ?? "nil" }.joined(separator: "|")
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad \(primaryLanguage ?? "none")")
        label.text = "typist"
        label.accessibilityIdentifier = "label"
        view.addSubview(label)
        if wish.hasPrefix("height ") {
            preferredContentSize = CGSize(width: 900, height: Double(wish.dropFirst(7)) ?? 0)
        }
        if wish == "constraint" { view.heightAnchor.constraint(equalToConstant: 301).isActive = true }
        // Each key types its own letter.
        for letter in ["a", "b", "c", "é"] {
            add(letter) { [weak self] in self?.textDocumentProxy.insertText(letter) }
        }
        add("delete") { [weak self] in self?.textDocumentProxy.deleteBackward() }
        add("space") { [weak self] in self?.textDocumentProxy.insertText(" ") }
        for offset in [-1, 1, -2, 100, -100] {
            add("move \(offset)") { [weak self] in self?.textDocumentProxy.adjustTextPosition(byCharacterOffset: offset)
            }
        }
        add("two moves") { [weak self] in
            guard let self else { return }
            textDocumentProxy.adjustTextPosition(byCharacterOffset: -1)
            textDocumentProxy.adjustTextPosition(byCharacterOffset: -1)
            note("after two moves \(context)")
        }
        add("many") { [weak self] in
            guard let proxy = self?.textDocumentProxy else { return }
            for word in ["one", " ", "two", " ", "three"] { proxy.insertText(word) }
            proxy.deleteBackward()
            proxy.adjustTextPosition(byCharacterOffset: -4)
            proxy.insertText("!")
        }
        add("flood") { [weak self] in
            for number in 0..<1000 { self?.textDocumentProxy.insertText("\(number) ") }
        }
        add("insert and look") { [weak self] in
            guard let self else { return }
            textDocumentProxy.insertText("x")
            note("at once \(context)")
        }
        add("look") { [weak self] in
            guard let self else { return }
            note("look \(context)")
        }
        add("mark") { [weak self] in
            self?.textDocumentProxy.setMarkedText("nihon", selectedRange: NSRange(location: 3, length: 2))
        }
        add("mark again") { [weak self] in
            self?.textDocumentProxy.setMarkedText("日本", selectedRange: NSRange(location: 2, length: 0))
        }
        add("unmark") { [weak self] in self?.textDocumentProxy.unmarkText() }
        add("facts") { [weak self] in
            guard let self else { return }
            let proxy = textDocumentProxy
            note(
                "facts \(hasFullAccess) \(needsInputModeSwitchKey) \(proxy.keyboardType?.rawValue ?? -1) "
                    + "\(proxy.returnKeyType?.rawValue ?? -1) \(proxy.autocapitalizationType?.rawValue ?? -1) "
                    + "\(proxy.isSecureTextEntry ?? true) \(proxy.textContentType?.rawValue ?? "none") \(proxy.hasText)"
            )
            note("document \(proxy.documentIdentifier.uuidString)")
        }
        add("frame") { [weak self] in
            guard let frame = self?.view.frame else { return }
            note("frame \(Int(frame.width))x\(Int(frame.height))")
        }
        add("paste") { [weak self] in
            UIPasteboard.general.string = "pasted"
            self?.textDocumentProxy.insertText(UIPasteboard.general.string ?? "nothing")
        }
        add("words") { [weak self] in
            self?.requestSupplementaryLexicon { lexicon in
                note("words " + lexicon.entries.map { "\($0.userInput)=\($0.documentText)" }.joined(separator: " "))
            }
        }
        add("language") { [weak self] in self?.primaryLanguage = "de-DE" }
        add("dismiss") { [weak self] in self?.dismissKeyboard() }
        add("die") { exit(1) }
        add("fill") { while true { memset(malloc(1 << 20)!, 1, 1 << 20) } }
        if wish != "noSwitch" { addSwitch() }
    }

    func addSwitch() {
        add("next") { [weak self] in self?.advanceToNextInputMode() }
        add("type and next") { [weak self] in
            self?.textDocumentProxy.insertText("bye")
            self?.advanceToNextInputMode()
        }
        let list = UIButton()
        list.setTitle("list", for: .normal)
        list.addTarget(
            self, action: Selector("handleInputModeListFromView:withEvent:"), for: .allTouchEvents)
        view.addSubview(list)
    }

    func add(_ title: String, _ action: @escaping @MainActor () -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in action() }, for: .touchUpInside)
        view.addSubview(button)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("viewDidDisappear")
    }

    override func textWillChange(_ textInput: (any UITextInput)?) {
        note("textWillChange \(textInput == nil) \(context)")
    }
    override func textDidChange(_ textInput: (any UITextInput)?) {
        note("textDidChange \(textInput == nil) \(context)")
    }
    override func selectionWillChange(_ textInput: (any UITextInput)?) { note("selectionWillChange") }
    override func selectionDidChange(_ textInput: (any UITextInput)?) { note("selectionDidChange") }
}

/// A keyboard that makes random edits, by the numbers of its keys. KeyboardTextTests makes the same in a model.
final class RandomViewController: TypistViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        for key in 0..<16 {
            add("random \(key)") { [weak self] in self?.edit(key) }
        }
    }

    private func edit(_ key: Int) {
        let proxy = textDocumentProxy
        switch key {
        case 0...5: proxy.insertText(["a", "é", "👩‍👧", "\n", "two words", "日"][key])
        case 6...8: proxy.deleteBackward()
        case 9: proxy.adjustTextPosition(byCharacterOffset: -3)
        case 10: proxy.adjustTextPosition(byCharacterOffset: 2)
        case 11: proxy.adjustTextPosition(byCharacterOffset: -1000)
        case 12: proxy.setMarkedText("mark", selectedRange: NSRange(location: 1, length: 2))
        case 13: proxy.setMarkedText("", selectedRange: NSRange(location: 0, length: 0))
        case 14: proxy.unmarkText()
        default: proxy.adjustTextPosition(byCharacterOffset: 1000)
        }
    }
}

/// A keyboard with a key for each letter, for keys of a computer. Some letters do more than to type themselves.
final class DesktopViewController: TypistViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        let proxy = textDocumentProxy
        for letter in "defghopqstvyz0123456789" {
            add(String(letter)) { proxy.insertText(String(letter)) }
        }
        add("return") { proxy.insertText("\n") }
        add("m") { proxy.setMarkedText("nihon", selectedRange: NSRange(location: 3, length: 2)) }
        add("j") { proxy.setMarkedText("日本", selectedRange: NSRange(location: 2, length: 0)) }
        add("u") { proxy.unmarkText() }
        add("l") { proxy.adjustTextPosition(byCharacterOffset: -1) }
        add("x") {
            proxy.insertText("lost")
            exit(1)
        }
        add("w") { for number in 0..<1000 { proxy.insertText("\(number) ") } }
        add("n") { [weak self] in self?.advanceToNextInputMode() }
        // It types what it sees.
        add("r") {
            let parts = [proxy.documentContextBeforeInput, proxy.selectedText, proxy.documentContextAfterInput]
            proxy.insertText("[" + parts.map { $0 ?? "nil" }.joined(separator: "|") + "]")
        }
        add("k") { proxy.insertText("[\(proxy.keyboardType?.rawValue ?? -1)]") }
    }
}

/// A keyboard that believes that the mirror shows its own edits.
final class TrustingViewController: UIInputViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        let button = UIButton()
        button.setTitle("a", for: .normal)
        button.addAction(
            UIAction { [weak self] _ in
                guard let self else { return }
                // The letter that was typed before stands there, unless the mirror lags.
                if hasTyped { precondition(textDocumentProxy.documentContextBeforeInput!.last == "a") }
                textDocumentProxy.insertText("a")
                hasTyped = true
            }, for: .touchUpInside)
        view.addSubview(button)
    }

    private var hasTyped = false
}

/// A controller that is no keyboard.
final class PlainViewController: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
