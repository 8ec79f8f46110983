package main

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the Ctrl-C of a terminal from the program: this one stops it, after what it is in the middle of.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
