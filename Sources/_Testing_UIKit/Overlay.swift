// _Testing_UIKit: nothing. The compiler looks for a module of this name wherever a file imports both Testing and UIKit.
