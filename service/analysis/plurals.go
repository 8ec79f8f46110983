package analysis

import "strings"

// irregularPlurals are English nouns whose plural has another stem than the singular, in pairs: a closed class, of
// which Snowball's stemmer knows none. It leaves out plurals that are mostly another word (axes, bases, lives,
// leaves, dice), and nouns of which one number has become a word of its own (data, media, people).
var irregularPlurals = "man men woman women child children foot feet tooth teeth goose geese mouse mice louse lice ox oxen " +
	"knife knives wife wives shelf shelves half halves calf calves loaf loaves wolf wolves thief thieves scarf scarves hoof hooves elf elves " +
	"matrix matrices vertex vertices index indices appendix appendices cortex cortices vortex vortices " +
	"analysis analyses hypothesis hypotheses thesis theses synthesis syntheses crisis crises diagnosis diagnoses parenthesis parentheses " +
	"criterion criteria phenomenon phenomena polyhedron polyhedra automaton automata bacterium bacteria spectrum spectra quantum quanta " +
	"maximum maxima minimum minima optimum optima extremum extrema nucleus nuclei radius radii stimulus stimuli fungus fungi cactus cacti " +
	"locus loci torus tori"

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
	return otherNumbers[word]
}
