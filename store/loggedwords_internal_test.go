package store

import "testing"

// Documents that cannot be remembered, or that change before they are needed again, are not read for each search.
func TestWhatIsLookedAtIsNotReadForEachSearch(t *testing.T) {
	t.Parallel()
	var l loggedWords
	read := 0
	for range 100 {
		if l.owe(10, 0) {
			read++
		}
	}
	if read != 100/looksWorth {
		t.Errorf("for 100 searches that look at the same documents these are to be read %d times, want %d", read, 100/looksWorth)
	}
}
