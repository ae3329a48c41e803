// KitSelectors: methods of Apple's frameworks whose Objective-C name does not follow from the Swift name.

enum KitSelectors {
    /// By the Swift name with its labels.
    private static let names: [String: String] = [
        "handleInputModeList(from:with:)": "handleInputModeListFromView:withEvent:",
        "dismiss(animated:completion:)": "dismissViewControllerAnimated:completion:",
        "present(_:animated:completion:)": "presentViewController:animated:completion:",
        "popViewController(animated:)": "popViewControllerAnimated:",
        "openURL(_:)": "openURL:",
        "open(_:options:completionHandler:)": "openURL:options:completionHandler:",
        "open(_:completionHandler:)": "openURL:completionHandler:",
        "completeRequest(returningItems:completionHandler:)": "completeRequestReturningItems:completionHandler:",
        "cancelRequest(withError:)": "cancelRequestWithError:",
        "endEditing(_:)": "endEditing:",
        "setEditing(_:animated:)": "setEditing:animated:",
        "canPerformAction(_:withSender:)": "canPerformAction:withSender:",
        "copy(_:)": "copy:", "cut(_:)": "cut:", "paste(_:)": "paste:", "delete(_:)": "delete:", "select(_:)": "select:",
        "selectAll(_:)": "selectAll:", "pasteAndMatchStyle(_:)": "pasteAndMatchStyle:",
        "insertNewline(_:)": "insertNewline:",
        "toggleBoldface(_:)": "toggleBoldface:",
        "caseInsensitiveCompare(_:)": "caseInsensitiveCompare:",
        "localizedStandardCompare(_:)": "localizedStandardCompare:",
        "localizedCaseInsensitiveCompare(_:)": "localizedCaseInsensitiveCompare:",
        "dismissKeyboard()": "dismissKeyboard", "advanceToNextInputMode()": "advanceToNextInputMode",
        "resignFirstResponder()": "resignFirstResponder", "becomeFirstResponder()": "becomeFirstResponder",
        "reloadData()": "reloadData", "setNeedsLayout()": "setNeedsLayout", "setNeedsDisplay()": "setNeedsDisplay",
        "layoutIfNeeded()": "layoutIfNeeded", "layoutSubviews()": "layoutSubviews", "invalidate()": "invalidate",
        "removeFromSuperview()": "removeFromSuperview",
    ]

    /// With labels the method of exactly this name; without, the only one of this base name.
    static func name(of base: String, labels: [String]?) -> String? {
        if let labels {
            return names["\(base)(\(labels.map { ($0.isEmpty ? "_" : $0) + ":" }.joined()))"]
        }
        let found = names.filter { $0.key.hasPrefix(base + "(") }
        return found.count == 1 ? found.first?.value : nil
    }
}
