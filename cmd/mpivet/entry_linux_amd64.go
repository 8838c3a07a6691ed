package main

import _ "embed"

// unwatched is a shell script. entry_linux_amd64.s starts it instead of main if a limit is too small for Go.
//
//go:embed unwatched.sh
var unwatched string
