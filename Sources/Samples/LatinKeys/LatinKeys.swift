// LatinKeys: a small Latin keyboard. It begins each sentence with a capital, and two spaces make a full stop.

import UIKit

final class KeyboardViewController: UIInputViewController {
    private static let rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm,."].map { $0.map(String.init) }

    private var letters: [UIButton] = []
    private var isShifted = false
    /// The text that this keyboard typed last. The context does not show it yet.
    private var typed = ""
    private lazy var nextKeyboard = key("🌐") { [weak self] in self?.advanceToNextInputMode() }

    override func viewDidLoad() {
        super.viewDidLoad()
        for row in Self.rows {
            letters += row.map { letter in
                key(letter) { [weak self] in self?.type(letter) }
            }
        }
        let others = [
            key("shift") { [weak self] in self?.setShift(self?.isShifted == false) },
            key("delete") { [weak self] in self?.delete() },
            key("space") { [weak self] in self?.space() },
            key("return") { [weak self] in self?.insert("\n") },
            nextKeyboard,
        ]
        for button in letters + others { view.addSubview(button) }
        preferredContentSize = CGSize(width: 0, height: 260)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        nextKeyboard.isHidden = !needsInputModeSwitchKey
    }

    /// Another text, or another place in it: what was typed before is not near it.
    override func textDidChange(_ textInput: (any UITextInput)?) {
        typed = ""
        setShift(beginsSentence(textDocumentProxy.documentContextBeforeInput))
    }

    private func key(_ title: String, _ action: @escaping () -> Void) -> UIButton {
        let button = UIButton(type: .system)
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in action() }, for: .touchUpInside)
        return button
    }

    private func type(_ letter: String) {
        insert(isShifted ? letter.uppercased() : letter)
        setShift(false)
    }

    private func space() {
        if typed.hasSuffix(" "), typed.count > 1 {
            textDocumentProxy.deleteBackward()
            insert(". ")
            setShift(true)
        } else {
            insert(" ")
        }
    }

    private func delete() {
        textDocumentProxy.deleteBackward()
        typed = String(typed.dropLast())
    }

    private func insert(_ text: String) {
        textDocumentProxy.insertText(text)
        typed = String((typed + text).suffix(2))
    }

    private func beginsSentence(_ text: String?) -> Bool {
        guard let text = text?.trimmingCharacters(in: .whitespaces), let last = text.last else { return wantsCapitals }
        return wantsCapitals && ".!?".contains(last)
    }

    private var wantsCapitals: Bool { textDocumentProxy.autocapitalizationType == .sentences }

    private func setShift(_ isOn: Bool) {
        isShifted = isOn
        for (button, letter) in zip(letters, Self.rows.joined()) {
            button.setTitle(isOn ? letter.uppercased() : letter, for: .normal)
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
