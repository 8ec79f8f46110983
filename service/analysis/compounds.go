package analysis

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Compounding describes how a language makes one word of several, of which the last, the head, says what it is: a Kleiderschrank is a Schrank.
type Compounding struct {
	language string
	// endings are the regular endings of nouns, folded.
	endings []string
	// joints are what the word before the head ends in within the compound, and what by itself, if that differs: Kleid-er-schrank, Schul(e)-weg.
	joints []endings
	// prefixes make other words rather than compounds: Vertrag is no Trag. Those shorter than a part matter before participles only.
	prefixes map[string]bool
	// suffixes are words, or stems of words, that mostly stand for something else at the end of a longer word: dankbar is no bar.
	suffixes map[string]bool
	// participles stand between a prefix and the head in forms of verbs: an-ge-halten, auf-zu-halten.
	participles []string
}

// compoundings are the languages of PostgreSQL's dictionaries that write compounds as one word and add few endings to it. The lists are of closed
// classes of their grammars.
var compoundings = map[string]*Compounding{
	"danish": {
		language: "danish",
		endings:  strings.Fields("e en ene ens er erne ers es et ets n r s t"),
		joints:   endingsOf(0, "s e er :e"),
		prefixes: setOf("bort efter for fore fra frem hen her ind med mis mod ned over paa sam til tilbage und under ved"),
		suffixes: setOf("agtig bar dom fuld hed lig los maessig som vis"),
	},
	"dutch": {
		language: "dutch",
		endings:  strings.Fields("e en n s"),
		joints:   endingsOf(0, "s en n e er :e :en"),
		prefixes: setOf("aan achter af be bij binnen buiten door er ge her in mee mis na neer om on onder ont op over rond samen tegen terug toe tussen uit vast ver voor voort weg"),
		suffixes: setOf("achtig baar dom gewijs heid lijk loos schap vol vormig zaam"), participles: strings.Fields("ge te"),
	},
	"german": {
		language: "german",
		endings:  strings.Fields("e em en er ern es n s"),
		joints:   endingsOf(0, "s es n en ens er e :e :en :er :es :n"),
		prefixes: setOf("ab an auf aus be bei da dar durch ein emp ent entgegen er fort ge gegen her hin hinter in los miss mit nach pro uber um un unter ur ver vor voran vorbei weg wider wieder zer zu zuruck zusammen zwischen"),
		suffixes: setOf("artig bar frei haft heit los mal schaft tum ung voll wart weis"), participles: strings.Fields("ge zu"),
	},
	"norwegian": {
		language: "norwegian",
		endings:  strings.Fields("a e en ene ens er es et ets n r s t"),
		joints:   endingsOf(0, "s e er :e"),
		prefixes: setOf("bort etter for fore fra frem hen her inn inne med mis mot ned opp over paa sam sammen til tilbake und under ved"),
		suffixes: setOf("aktig bar dom full het lig los messig som vis"),
	},
	"swedish": {
		language: "swedish",
		endings:  strings.Fields("a an ar arna ars en ens er erna ers et ets n na or orna s t"),
		joints:   endingsOf(0, "s e :a :e o:a u:a"),
		prefixes: setOf("bort efter for fore fran fram genom hem med miss mot ned opp over sam samman till tillbaka und under upp vid"),
		suffixes: setOf("aktig bar dom full het lig los massig sam vis"),
	},
}

const (
	// leastPart is the minimum number of letters of each part of a compound, leastParts that of both together: of the longer words that end in a word
	// of three letters, most are no compounds of it.
	leastPart, leastParts = 3, 7
)

// CompoundingOf returns how a language makes compounds; nil for languages that write most of them as several words.
func CompoundingOf(language string) *Compounding { return compoundings[language] }

// Ends returns what may be the head of a folded word, in some form: kleiderschrank may end in schrank, or in derschrank.
func (c *Compounding) Ends(word string) (ends []string) {
	for at := range word {
		if utf8.RuneCountInString(word[:at]) >= leastPart && utf8.RuneCountInString(word[at:]) >= leastPart {
			ends = append(ends, word[at:])
		}
	}
	return ends
}

// HeadForms returns the forms in which a folded word with the given stem may be the head of a compound; none if it is no head. Forms with other
// stems (OtherForms) are among them: Dutch glas is the head of wijnglazen.
func (c *Compounding) HeadForms(word, stem string) (forms []string) {
	if utf8.RuneCountInString(stem) < leastPart || c.suffixes[stem] || c.suffixes[word] {
		return nil
	}
	forms = []string{stem}
	for _, ending := range c.endings {
		forms = append(forms, stem+ending)
	}
	for _, form := range append(OtherForms(c.language, word), word) {
		if utf8.RuneCountInString(form) >= leastPart && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// FirstParts returns the words that may stand before a head with the given stem, given what does; none if that makes no compound: kleider and kleid
// for Kleiderschrank, none for Schwein (Wein) and Vertrag (Trag).
func (c *Compounding) FirstParts(before, stem string) (parts []string) {
	least := max(leastPart, leastParts-utf8.RuneCountInString(stem))
	if !strings.ContainsAny(before, "aeiouy") || c.isPrefix(before) {
		return nil
	}
	for _, joint := range append([]endings{{}}, c.joints...) {
		part, has := strings.CutSuffix(before, joint.one)
		if has && utf8.RuneCountInString(part) >= least {
			if part += joint.other; !c.isPrefix(part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// isPrefix reports whether a word, or what is left of it without the ge or zu of a verb's form, is a prefix.
func (c *Compounding) isPrefix(word string) bool {
	return c.prefixes[word] || slices.ContainsFunc(c.participles, func(participle string) bool { return c.prefixes[strings.TrimSuffix(word, participle)] })
}
