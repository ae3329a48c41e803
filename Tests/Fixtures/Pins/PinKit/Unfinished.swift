#error("no target has this file")
