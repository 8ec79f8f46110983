package store

import (
	"fmt"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// An impact is the most that one lexeme can add to the score of a document, for a rarity of 1. It is
//
//	boost × (tf / (tf + k) + title bonus × the best rank in a title)
//
// where tf is the lexeme's weighted frequency over all fields, whichever of them a query looks for it in.
// This is the score of scoresql.go for a word of one lexeme; for a word of several alternatives the sum of
// their impacts, each times its factor, is at least what the word adds: the saturation is concave and 0 for
// no occurrence, and a maximum is at most the sum; acceleratebound.go has a closer bound. So the sum over all words is a
// bound on the score. Who changes the score there changes the impact here; a test holds one against the other.
type impactFormula struct {
	fields []service.Field
	// k = base + slope × length
	base, slope float64
}

func newImpactFormula(fields []service.Field, averageLength float64) impactFormula {
	return impactFormula{fields, saturationBase, saturationLength / max(averageLength, 1)}
}

// impactSlack covers what PostgreSQL's ranks, of single precision, may add to a score, and words next to each other.
const impactSlack = 1 + 1e-3

// formulaVersion rises with what blocks are made of.
const formulaVersion = 4

// outdated tells whether blocks made by a formula are to be made anew by mine. Those of a newer server are left to it:
// while servers are being upgraded, each would undo what the other has done.
func outdated(formula, mine string) bool {
	var version int
	if _, err := fmt.Sscan(formula, &version); err == nil && version > formulaVersion {
		return false
	}
	return formula != mine
}

// formulaOf names all that impacts depend on but the mean length.
func formulaOf(fields []service.Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %g %g %g", formulaVersion, frequencyOf, saturationBase, saturationLength, service.TitleBonus)
	for _, f := range fields {
		fmt.Fprintf(&b, " %q:%g:%t", f.Name, f.Weight, f.Title)
	}
	return b.String()
}

// prefixBound is the most that a word adds which also stands for all lexemes with a prefix: at most factor of
// it for these, of which any number may be there. exact is the sum of the impacts of its other lexemes, boost
// the document's. If the other lexemes give the larger frequency, the prefix can still give the larger bonus;
// else its frequency is saturated to at most 1, and the bonus may come from either.
func prefixBound(exact, factor, boost float64) float64 {
	return max(exact+service.TitleBonus*factor*boost, (factor+service.TitleBonus)*boost) * impactSlack
}

// ranks and rankFrequencies are ts_rank of a lexeme by how often it is there, and the frequency that the
// score infers from it.
var ranks, rankFrequencies = func() (r, f [maxPositions + 1]float64) {
	for n := range r {
		r[n] = float64(float32(lexemeShare[n]))
		f[n] = max(frequencyOfRank(r[n]), 0)
	}
	return r, f
}()

// impact is that of a lexeme with the summed frequency tf and the best rank in a title.
func (f impactFormula) impact(boost, tf, title float64, length int) float64 {
	k := f.base + f.slope*float64(length)
	return boost * (tf/(tf+k) + service.TitleBonus*title) * impactSlack
}
