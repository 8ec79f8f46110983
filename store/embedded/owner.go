package embedded

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

const clusterName = "postgresql"

// defaultElsewhere is where root's clusters are if their user cannot reach the data folder.
const defaultElsewhere = "/var/lib/rowan"

// owner is the user that runs the server. PostgreSQL refuses to run as root, so for root it is another user.
type owner struct {
	name     string
	uid, gid uint32
	switched bool // a different user than that of this process
}

// credential returns nil if the server runs as the user of this process.
func (o owner) credential() *syscall.Credential {
	if !o.switched {
		return nil
	}
	return &syscall.Credential{Uid: o.uid, Gid: o.gid}
}

// own changes the owner of a file or folder that this process has made to the server's user.
func (o owner) own(path string) error {
	if !o.switched {
		return nil
	}
	return os.Lchown(path, int(o.uid), int(o.gid))
}

// place is where the cluster of a data folder is, and its owner.
type place struct {
	cluster   string
	owner     owner
	elsewhere bool // the cluster is not in the data folder, because the owner cannot reach that
}

// findPlace determines where the cluster is and who runs it.
//
// An ordinary user has it in DataDir/postgresql and runs it. Root runs it as the owner of the cluster if there is
// one already (so a cluster made by an ordinary user works for root too and stays theirs), otherwise as the user
// postgres, otherwise as nobody. That user must be able to search every folder above the cluster, which is not the
// case in root's home; then the cluster is made in a new folder under elsewhere, and DataDir/postgresql is a link
// to it: opening root's home would be worse, and so would a server with root's rights on files.
func findPlace(dataDir, elsewhere string) (place, error) {
	link := filepath.Join(dataDir, clusterName)
	dir, err := filepath.EvalSymlinks(link)
	switch {
	case err == nil:
		o, err := ownerOf(dir)
		if err != nil {
			return place{}, err
		}
		if blocked := o.blockedAt(dir); blocked != "" {
			return place{}, fmt.Errorf("the user %s, who owns the cluster %s, cannot enter %s: make that folder searchable (chmod o+x) or move the data folder", o.name, dir, blocked)
		}
		// A person may have moved the cluster, to another disk, and left a link.
		return place{cluster: dir, owner: o, elsewhere: dir != link && o.blockedAt(dataDir) != ""}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return place{}, err
	}
	o, err := newOwner()
	if err != nil {
		return place{}, err
	}
	if target, err := os.Readlink(link); err == nil {
		// The link is made first and the cluster last, so a start that was killed leaves a link into an empty folder. If
		// that folder is gone, the data is lost, and an empty database must not hide that.
		if _, err := os.Stat(filepath.Dir(target)); err != nil {
			return place{}, fmt.Errorf("the cluster of this data folder was in %s, which is gone: restore it, or remove the link %s to start over", target, link)
		}
		return place{cluster: target, owner: o, elsewhere: true}, nil
	}
	blocked := o.blockedAt(dataDir)
	if blocked == "" {
		return place{cluster: link, owner: o}, nil
	}
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	dir = filepath.Join(elsewhere, hex.EncodeToString(random), clusterName)
	if err := errors.Join(makeOpen(elsewhere), makeOpen(filepath.Dir(dir))); err != nil {
		return place{}, fmt.Errorf("the user %s, as which the server runs, cannot enter %s, and there is no other place for the data (%w): choose another data folder", o.name, blocked, err)
	}
	if blocked := o.blockedAt(filepath.Dir(dir)); blocked != "" {
		return place{}, fmt.Errorf("the user %s, as which the server runs, cannot enter %s: choose a data folder that it can reach", o.name, blocked)
	}
	return place{cluster: dir, owner: o, elsewhere: true}, os.Symlink(dir, link)
}

// makeOpen makes a folder that every user may enter, whatever the umask, unless it is there already.
func makeOpen(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// newOwner returns the owner of a new cluster.
func newOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return currentOwner(), nil
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseInt(u.Uid, 10, 64)
		gid, err2 := strconv.ParseInt(u.Gid, 10, 64)
		if err1 == nil && err2 == nil && uid != 0 {
			// The ids of macOS's nobody are negative; the kernel takes them modulo 2^32.
			return owner{name: name, uid: uint32(uid), gid: uint32(gid), switched: true}, nil
		}
	}
	return owner{}, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as: start as an ordinary user")
}

func currentOwner() owner {
	return owner{name: userName(uint32(os.Geteuid())), uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
}

// ownerOf returns the owner of the cluster in dir, provided that this process may run a server as them.
func ownerOf(dir string) (owner, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return owner{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{}, fmt.Errorf("cannot tell who owns %s", dir)
	}
	self := currentOwner()
	switch {
	case stat.Uid == 0:
		return owner{}, fmt.Errorf("the cluster %s belongs to root, but PostgreSQL does not run as root: give it to another user (chown -R)", dir)
	case stat.Uid == self.uid:
		return self, nil
	case self.uid != 0:
		return owner{}, fmt.Errorf("the cluster %s belongs to the user %s: start as that user or as root, or choose another data folder", dir, userName(stat.Uid))
	}
	return owner{name: userName(stat.Uid), uid: stat.Uid, gid: stat.Gid, switched: true}, nil
}

func userName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// blockedAt returns the topmost folder on the way to dir, or dir itself, that the owner may not search; "" if
// there is none. The user of this process is not checked: it has come this far.
func (o owner) blockedAt(dir string) string {
	if !o.switched {
		return ""
	}
	blocked := ""
	for {
		info, err := os.Stat(dir)
		if err != nil || !o.maySearch(info) {
			blocked = dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return blocked
		}
		dir = parent
	}
}

func (o owner) maySearch(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	mode := info.Mode().Perm()
	switch {
	case stat.Uid == o.uid:
		return mode&0o100 != 0
	case stat.Gid == o.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}
