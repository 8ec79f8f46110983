// Command rowan is the search service and the tools around it. It is the only package that sees all others:
// it reads the settings, opens the database, and puts the layers together.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
