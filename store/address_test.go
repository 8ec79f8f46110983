package store_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// An address that cannot be used is told with what is wrong with it, and without anything of its password.
func TestAddressesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://rowan:s3cret@localhost/rowan?sslmode=verify-full&sslrootcert=/nowhere": "unable to read CA file: open /nowhere",
		"postgres://rowan:s3cret@localhost/rowan?sslmode=secure":                           "sslmode is invalid",
		"postgres://rowan:s3cret/5@localhost/rowan":                                        "%2F for /",
		"postgres://rowan:s3cret@localhost:x/rowan":                                        "looks like postgres://",
		"mysql://rowan:s3cret@localhost/rowan":                                             "looks like postgres://",
	} {
		_, err := store.Open(t.Context(), store.Config{URL: address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Spaces in a list of addresses are of no matter.
func TestSpacesAroundAddressesOfReplicas(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	st, err := store.Open(t.Context(), store.Config{URL: db.URL, MaxConns: 2, ReplicaURLs: []string{db.URL, " " + db.URL}})
	if err != nil {
		t.Fatal(err)
	}
	st.Close()
}
