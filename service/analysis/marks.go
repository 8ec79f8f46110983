package analysis

import "unicode"

// letter is the class of a character for the marks that follow it: folding removes these only if the letter stays
// the same without them. й is another letter than и, and が another than か.
type letter byte

const (
	keepsMarks letter = iota
	latinOrGreek
	cyrillicVowel // may have a stress mark
	cyrillicE     // may have a stress mark, or be ё
	alef          // with hamza or madda, the same letter
)

func letterOf(r rune) letter {
	switch {
	case r >= 'a' && r <= 'z', r >= 0xdf && r <= 0xf6, r >= 0xf8 && r <= 0x2af, r >= 'α' && r <= 'ω':
		return latinOrGreek
	case r == 'е':
		return cyrillicE
	case r == 'а', r == 'и', r == 'о', r == 'у', r == 'ы', r == 'э', r == 'ю', r == 'я', r == 'є', r == 'і':
		return cyrillicVowel
	case r == 0x627:
		return alef
	}
	return keepsMarks
}

// loses reports whether folding removes a mark right after the letter, or after other marks that it loses.
func (l letter) loses(mark rune) bool {
	switch l {
	case latinOrGreek:
		return mark >= 0x300 && mark <= 0x36f
	case cyrillicVowel:
		return mark == 0x300 || mark == 0x301
	case cyrillicE:
		return mark == 0x300 || mark == 0x301 || mark == 0x308
	case alef:
		return mark >= 0x653 && mark <= 0x655
	}
	return false
}

// unseen reports whether folding leaves r out wherever it is: soft hyphens, joiners and direction marks, which are invisible,
// and the points of Hebrew, the vowel signs and tatweel of Arabic, and the nukta of Devanagari, which many texts do without.
func unseen(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == softHyphen, r >= 0x591 && r <= 0x5bd, r == 0x5bf, r == 0x5c1, r == 0x5c2, r == 0x5c4, r == 0x5c5, r == 0x5c7,
		r == 0x640, r >= 0x64b && r <= 0x652, r == 0x670, r == nukta,
		r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2064, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
		return true
	}
	return false
}

// zeros are the zeros of the scripts whose digits fold to 0 to 9; full-width digits do so by their compatibility forms.
var zeros = []rune{0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810}

// oneForm returns the character that stands for r if there are several of the same meaning: the apostrophe for that
// of Ukrainian, one form of Arabic's yeh, kaf and alef as in Lucene's ArabicNormalizer and PersianNormalizer,
// anusvara for chandrabindu, and 0 to 9 for the digits of other scripts.
func oneForm(r rune) rune {
	switch r {
	case 0x2bc:
		return '’'
	case 0x671:
		return 0x627
	case 0x649, 0x6cc:
		return 0x64a
	case 0x6a9:
		return 0x643
	case chandrabindu:
		return anusvara
	}
	if r >= 0x660 && r <= 0x1819 && unicode.IsDigit(r) {
		for _, zero := range zeros {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
	}
	return r
}
