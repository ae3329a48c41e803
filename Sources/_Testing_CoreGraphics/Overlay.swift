// _Testing_CoreGraphics: nothing. The compiler looks for a module of this name wherever a file imports both Testing and
// CoreGraphics.
