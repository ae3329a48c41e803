// Methods: a compose sheet's methods that sources name in selectors.

import ExtensionFoundation
import UIKit

final class __Methods_SLComposeServiceViewController: _MethodTable {
    static var methods: [_Method] {
        [
            _Method("cancel") { target, _ in (target as? SLComposeServiceViewController)?.cancel() },
            _Method("didSelectPost") { target, _ in (target as? SLComposeServiceViewController)?.didSelectPost() },
            _Method("didSelectCancel") { target, _ in (target as? SLComposeServiceViewController)?.didSelectCancel() },
            _Method("validateContent") { target, _ in (target as? SLComposeServiceViewController)?.validateContent() },
            _Method("popConfigurationViewController") { target, _ in
                (target as? SLComposeServiceViewController)?.popConfigurationViewController()
            },
        ]
    }
}
