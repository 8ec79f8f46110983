package store_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// An error about an unusable address says what is wrong, and reveals nothing of its password.
func TestAddressesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://rowan:s3cret@localhost/rowan?sslmode=verify-full&sslrootcert=/nowhere": "unable to read CA file: open /nowhere",
		"postgres://rowan:s3cret@localhost/rowan?sslmode=secure":                           "sslmode is invalid",
		"postgres://rowan:s3cret/5@localhost/rowan":                                        "%2F",
		"postgres://rowan:s3cret@localhost:x/rowan":                                        "must look like postgres://",
		"mysql://rowan:s3cret@localhost/rowan":                                             "must look like postgres://",
	} {
		_, err := store.Open(t.Context(), store.Config{URL: address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A password with unencoded special characters may leave an address that can be parsed, with part of the password as its host, database or setting.
// No error shows any of that, and no server is asked for it.
func TestPasswordsThatAreNotEncoded(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for _, address := range []string{
		"postgres://u:5/s3cret@127.0.0.1/db",
		"postgres://u:5/s3cret?s3cret@127.0.0.1/db",
		"postgres://u:5/s3cret?s3cret=s3cret@127.0.0.1/db",
		"postgres://u:5/s3cret?s3cret=1&s3cret@127.0.0.1/db",
		"postgres://u:5/s3cret#s3cret@127.0.0.1/db",
		"postgres://u:5@s3cret@127.0.0.1/db",
		"postgres://u:5@s3cret/s3cret@127.0.0.1/db",
		"postgres://u:5@s3cret?s3cret@127.0.0.1/db",
		"postgres://u:5%s3cret@127.0.0.1/db",
		"postgres://u:5/s3cret%@127.0.0.1/db",
		"postgresql://u:5/s3cret@127.0.0.1,127.0.0.2/db",
		"postgres://127.0.0.1/db?user=u&password=5&s3cret",
		"postgres://127.0.0.1/db?user=u&password=5=s3cret",
		"u:5/s3cret@127.0.0.1/db",
		"host=127.0.0.1 user=u password=5 s3cret",
	} {
		_, err := store.Open(t.Context(), store.Config{URL: address})
		if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "percent-encoded: %2F") {
			t.Errorf("%s: %v", address, err)
		}
		_, err = store.Open(t.Context(), store.Config{URL: db.URL, MaxConns: 2, ReplicaURLs: []string{db.URL, address}})
		if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.HasPrefix(err.Error(), "DATABASE_REPLICA_URLS: ") {
			t.Errorf("%s as a replica: %v", address, err)
		}
	}
	// A comma separates addresses of replicas.
	_, err := store.Open(t.Context(), store.Config{URL: db.URL, MaxConns: 2, ReplicaURLs: strings.Split("postgres://u:5,s3cret@127.0.0.1/db", ",")})
	if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "%2C") {
		t.Errorf("a comma: %v", err)
	}
}

// A superfluous comma must not mean an address that leads to any server on this machine.
func TestEmptyAddressOfAReplica(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	_, err := store.Open(t.Context(), store.Config{URL: db.URL, MaxConns: 2, ReplicaURLs: []string{db.URL, " "}})
	if err == nil || !strings.Contains(err.Error(), "DATABASE_REPLICA_URLS: an address is empty") {
		t.Errorf("error %v", err)
	}
}

// An @ is valid where it stands for itself.
func TestAddressesWithAnAt(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	sep := "?"
	if strings.Contains(db.URL, "?") {
		sep = "&"
	}
	st, err := store.Open(t.Context(), store.Config{URL: db.URL + sep + "application_name=rowan@a", MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	st.Close()
}

// Spaces in a list of addresses do not matter.
func TestSpacesAroundAddressesOfReplicas(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	st, err := store.Open(t.Context(), store.Config{URL: db.URL, MaxConns: 2, ReplicaURLs: []string{db.URL, " " + db.URL}})
	if err != nil {
		t.Fatal(err)
	}
	st.Close()
}

// A password that is changed in its file is used from the next connection on.
func TestChangedPasswordInFile(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	address, _ := limitedRole(t, db)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	role := u.User.Username()
	u.User = url.User(role)
	file := filepath.Join(t.TempDir(), "pgpass")
	set := func(password string) {
		if _, err := db.Pool.Exec(t.Context(), "ALTER ROLE "+role+" PASSWORD '"+password+"'"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("*:*:*:"+role+":"+password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set("before")
	st, err := store.Open(t.Context(), store.Config{URL: withSetting(t, u.String(), "passfile", file), MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	set("after")
	for n := range 3 {
		release, err := st.TakeRead(t.Context())
		if err != nil {
			t.Fatalf("connection %d: %v", n+1, err)
		}
		defer release()
	}
}
