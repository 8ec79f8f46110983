package main

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the measured program: bench stops it itself, after the work in progress.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
