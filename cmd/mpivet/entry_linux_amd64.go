package main

import _ "embed"

// unwatched is a script for a shell, which entry_linux_amd64.s starts in place of main where a limit is too small for Go.
//
//go:embed unwatched.sh
var unwatched string
