// _Testing_UIKit: an empty module. The compiler looks for this name wherever a file imports both Testing and UIKit.
