package embedded

import "syscall"

// endWithParent makes the kernel ask the server for a fast shutdown when this process ends, however it ends.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
