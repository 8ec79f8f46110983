package main

import (
	"runtime"
	"runtime/debug"
)

// version is set by the linker for releases (-X main.version=v1.2.3).
var version = ""

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(term terminal) error {
	return term.printf("rowan %s (%s, %s/%s)\n", currentVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// currentVersion returns the version of the release, or else the one that the go command recorded in the binary.
func currentVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}
