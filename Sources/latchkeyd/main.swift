// Replaced by the program's first command.
