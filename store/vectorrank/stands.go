package vectorrank

// adjacent reports whether words that follow each other in the query do so in a field.
func (r *Ranker) adjacent() bool {
	for i, pairs := range r.pairs {
		for _, pair := range pairs {
			if r.stands(i, pair) {
				return true
			}
		}
	}
	return false
}

// stands reports whether a sequence occurs in a field of the current document.
func (r *Ranker) stands(field int, s sequence) bool {
	first := r.found[field][s.slots[0]]
	for i := range len(first.Positions) / 2 {
		place, all := first.Position(i), true
		for j, slot := range s.slots[1:] {
			place += s.gaps[j+1]
			if all = r.standsAt(field, slot, place); !all {
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// standsAt reports whether a lexeme, or one with a prefix, is at a position. In PostgreSQL, a phrase that ends in a prefix does not match if any
// lexeme with the prefix has no positions.
func (r *Ranker) standsAt(field, slot, place int) bool {
	if slot >= 0 {
		return r.found[field][slot].At(place)
	}
	stands := false
	for _, o := range r.begun[field][-1-slot] {
		if len(o.Positions) == 0 {
			return false
		}
		stands = stands || o.At(place)
	}
	return stands
}
