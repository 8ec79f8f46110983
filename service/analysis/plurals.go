package analysis

import (
	"slices"
	"strings"
)

// irregularPlurals are English nouns whose plural has another stem than the singular, in pairs: mostly a closed class, of
// which Snowball's stemmer knows none. It leaves out plurals that are mostly another word (axes, bases, lives,
// leaves, dice), and nouns of which one number has become a word of its own (data, media, moduli, people).
var irregularPlurals = "man men woman women child children foot feet tooth teeth goose geese mouse mice louse lice ox oxen " +
	"knife knives wife wives shelf shelves half halves calf calves loaf loaves wolf wolves thief thieves scarf scarves hoof hooves elf elves sheaf sheaves dwarf dwarves " +
	"matrix matrices vertex vertices index indices appendix appendices cortex cortices vortex vortices simplex simplices helix helices separatrix separatrices " +
	"analysis analyses hypothesis hypotheses thesis theses synthesis syntheses crisis crises diagnosis diagnoses parenthesis parentheses " +
	"metastasis metastases metamorphosis metamorphoses neurosis neuroses oasis oases synopsis synopses " +
	"criterion criteria phenomenon phenomena polyhedron polyhedra tetrahedron tetrahedra octahedron octahedra automaton automata taxon taxa ganglion ganglia mitochondrion mitochondria lexicon lexica " +
	"bacterium bacteria spectrum spectra quantum quanta maximum maxima minimum minima optimum optima extremum extrema supremum suprema infimum infima " +
	"equilibrium equilibria momentum momenta continuum continua stratum strata vacuum vacua curriculum curricula symposium symposia memorandum memoranda " +
	"erratum errata addendum addenda phylum phyla cilium cilia flagellum flagella " +
	"nucleus nuclei radius radii stimulus stimuli fungus fungi cactus cacti locus loci torus tori focus foci annulus annuli calculus calculi " +
	"alumnus alumni syllabus syllabi thesaurus thesauri bacillus bacilli meniscus menisci rhombus rhombi genus genera corpus corpora " +
	"lemma lemmata schema schemata tableau tableaux chateau chateaux " +
	// Regular ones that the stemmer leaves as they are, because they are short or end in -us.
	"bus buses gas gases lens lenses iris irises canvas canvases quiz quizzes menu menus plateau plateaus bureau bureaus guru gurus haiku haikus emu emus"

// sharedStems are plurals whose stem other words have, too: indicate, vertical, cortical, vorticity, simplicity, helical.
var sharedStems = strings.Fields("indices vertices cortices vortices simplices helices")

// SharesStem reports whether the stem of such a word stands for other words as well.
func SharesStem(plural string) bool {
	return slices.ContainsFunc(sharedStems, func(shared string) bool { return strings.HasSuffix(plural, shared) })
}

// ownInitials are initials that end in s, and words that look like such, which are not, or not mostly, the plural of what stands before the s.
var ownInitials = strings.Fields("bbs cbs cms css dns dts fps gbps gps https kbps mbps mls mms mrs nds nfs nhs ntfs pbs pcs phys plus pms rms rss sms thus tls vhs vps xls")

// shortestPart is how many letters such a part has at least: ramen is no plural of Raman.
const shortestPart = 4

// longestInitials is how many letters such a word has at most, without the s.
const longestInitials = 5

var otherNumbers = func() map[string]string {
	others := map[string]string{}
	words := strings.Fields(irregularPlurals)
	for i := 0; i < len(words); i += 2 {
		others[words[i]], others[words[i+1]] = words[i+1], words[i]
	}
	return others
}()

// OtherNumber returns the plural of a singular in a language, or the other way round, if its stemmer does not bring
// them together, and "" for all other words. word must be folded.
func OtherNumber(language, word string) string {
	if language != "english" {
		return ""
	}
	if other := otherNumbers[word]; other != "" {
		return other
	}
	for i := 1; i < len(word); i++ { // a compound has the plural of its last part: submatrices, housewives
		if other := otherNumbers[word[i:]]; min(len(other), len(word)-i) >= shortestPart {
			return word[:i] + other
		}
	}
	singular, plural := strings.CutSuffix(word, "s")
	if !likeInitials(singular) || slices.Contains(ownInitials, singular+"s") {
		return ""
	}
	if plural {
		return singular
	}
	return word + "s"
}

// likeInitials reports whether a word has no vowel, or only one as its last letter, as initials and a few short words have: tv, gpu, bra. The
// stemmer does not take the s behind it for an ending.
func likeInitials(word string) bool {
	isVowel := func(r rune) bool { return strings.ContainsRune("aeiouy", r) }
	if len(word) < 2 || len(word) > longestInitials || strings.HasSuffix(word, "s") || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return false
	}
	vowel := strings.IndexFunc(word, isVowel)
	return vowel < 0 || vowel == len(word)-1 && vowel > 1
}
