// _Testing_CoreImage: an empty module. The compiler looks for this name wherever a file imports both Testing and
// CoreImage.
