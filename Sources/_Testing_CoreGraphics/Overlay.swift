// _Testing_CoreGraphics: an empty module. The compiler looks for this name wherever a file imports both Testing and
// CoreGraphics.
