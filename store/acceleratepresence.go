package store

// Whoever has a value has the field. Whoever has none may have it all the same, as an array of nulls: only its body tells, so the
// statement looks at these, as at the documents that have changed. Mostly they are few.

// existing is the filter of a condition on the presence of a field; ok is false where the blocks do not tell who has a value.
func (a *accelerated) existing(name string) (of blockFilter, ok bool) {
	f, mapped := a.sh.field(name)
	if !mapped || !f.keyed() && !f.valued() {
		return nil, false
	}
	if a.presentByOrder(f) {
		a.lexemes = append(a.lexemes, keysOf+name)
	} else {
		a.value(name)
	}
	a.present = append(a.present, name)
	return func(b *block, among bitmap) bitmap {
		found := newBitmap(b.size)
		a.eachByPresence(b, f, among, func(offset int, has bool) {
			if has {
				found.set(offset)
			}
		})
		return found
	}, true
}

// presentByOrder tells that the order of a field tells who has a value, rather than its values.
func (a *accelerated) presentByOrder(f field) bool { return a.ordered[f.Name] || !f.valued() }

// eachByPresence yields which of some documents of a block have a value of a field.
func (a *accelerated) eachByPresence(b *block, f field, among bitmap, yield func(offset int, has bool)) {
	if a.presentByOrder(f) {
		keys := a.keysIn(b, f.Name)
		among.each(func(offset int) { yield(offset, keys.of(offset, false) != noKey) })
		return
	}
	values := b.values[a.value(f.Name)]
	for offset, set := range values.setsOf(among) {
		yield(offset, len(values.set(set)) > 0)
	}
}

// setAsideAbsent takes those documents of a block out of what is found that have no value of a field whose presence is asked for, and
// has the statement look at them. ok is false where the block does not have the order that tells.
func (t *blockTally) setAsideAbsent(b *block) (ok bool) {
	for _, name := range t.search.present {
		f, _ := t.search.sh.field(name)
		if t.search.presentByOrder(f) && !t.search.keysIn(b, name).fits(b.size) {
			return false
		}
		t.search.eachByPresence(b, f, b.found, func(offset int, has bool) {
			if !has {
				t.putAside(b, offset)
			}
		})
		if len(t.looked) > t.search.mostLooked {
			return false
		}
	}
	return true
}
