package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Lines of postmaster.pid, from 0: process, folder, start time, port, socket folder, host, memory, state.
const (
	pidFilePort  = 3
	pidFileState = 7
)

// RunningURL returns the address of the server that another process runs in a data folder, like [Server.URL]; it
// is for commands that run next to a service. It returns an error if there is no server, if it does not accept
// connections yet, or if the password file, which only its owner can read, cannot be read.
func RunningURL(dataDir string) (string, error) {
	u, err := runningURL(dataDir)
	if err != nil {
		return "", fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	return u, nil
}

// HasData reports whether a data folder has the data of a server. Data that cannot be examined counts: Start says
// why.
func HasData(dataDir string) bool {
	_, err := os.Lstat(filepath.Join(dataDir, clusterName))
	return !errors.Is(err, fs.ErrNotExist)
}

func runningURL(dataDir string) (string, error) {
	path := filepath.Join(dataDir, clusterName, pidFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("no server runs in %s", dataDir)
	case err != nil:
		return "", err
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) <= pidFileState || strings.TrimSpace(lines[pidFileState]) != "ready" {
		return "", fmt.Errorf("the server in %s is starting or stopping: try again", dataDir)
	}
	port, err := strconv.Atoi(strings.TrimSpace(lines[pidFilePort]))
	if err != nil {
		return "", fmt.Errorf("the file %s names no port", path)
	}
	password, err := readPassword(dataDir)
	if err != nil {
		return "", err
	}
	u := databaseAt(port)
	u.User = url.UserPassword(role, password)
	return u.String(), nil
}

// databaseAt returns the address of the database on a port, without the password.
func databaseAt(port int) *url.URL {
	return &url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Host:     "127.0.0.1:" + strconv.Itoa(port),
		Path:     "/" + role,
		RawQuery: "sslmode=disable",
	}
}
