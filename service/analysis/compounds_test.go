package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestHeadForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, word, stem, want string }{
		{"german", "schrank", "schrank", "schrank schranke schrankem schranken schranker schrankern schrankes schrankn schranks"},
		{"german", "messer", "mess", "mess messe messem messen messer messerin messerinnen messern messes messn messs"},
		{"german", "ol", "ol", ""}, {"german", "haft", "haft", ""}, {"german", "weise", "weis", ""}, {"german", "ungern", "ung", ""}, // too short, and suffixes
		{"dutch", "loos", "los", ""}, {"dutch", "los", "los", "los lose losen losje losjes losn loss lossen loze lozen"}, {"swedish", "massig", "mass", ""}, // suffixes whose stem is that of other words
		{"dutch", "bed", "bed", "bed bede beden bedje bedjes bedn beds"}, {"dutch", "glas", "glas", "glas glase glasen glasje glasjes glasn glass glassen glaze glazen"}, {"dutch", "glazen", "glaz", "geglazt glaas glaast glas glaz glaze glazen glazenje glazenjes glazennen glazentje glazje glazjes glazn glazs glazt"}, // forms with other stems
		{"dutch", "katten", "kat", "gekattt kat kate katen katn kats katten kattenje kattenjes kattennen kattentje kattje kattjes kattt"}, // another form than the stem with an ending
		{"swedish", "hus", "hus", "hus husa husan husar husarna husars husen husens huser huserna husers huset husets husn husna husor husorna huss hust"},
	} {
		got := analysis.CompoundingOf(test.language).HeadForms(test.word, test.stem)
		if slices.Sort(got); strings.Join(got, " ") != test.want {
			t.Errorf("%s: forms of the head %s: %v, want %s", test.language, test.word, got, test.want)
		}
	}
	for _, language := range []string{"english", "french", "simple", ""} {
		if analysis.CompoundingOf(language) != nil {
			t.Errorf("%q makes compounds", language)
		}
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"rotwein": "wein ein", "blåtøj": "tøj", "auto": ""} {
		if got := strings.Join(analysis.CompoundingOf("german").Ends(word), " "); got != want {
			t.Errorf("%s may end in %s, want %s", word, got, want)
		}
	}
}

func TestFirstParts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, before, stem, want string }{
		{"german", "kleider", "schrank", "kleid kleider"}, {"german", "schul", "weg", "schul schule"}, {"german", "wasch", "maschin", "wasch waschen"}, {"german", "arbeits", "zimm", "arbeit"},
		{"german", "kuhl", "schrank", "kuhl kuhle kuhles"}, {"german", "rot", "wein", "rot"},
		{"german", "sch", "wein", ""}, {"german", "ei", "schal", ""}, // without a vowel, and too short
		{"german", "haus", "tur", "haus"}, {"german", "abi", "tur", ""}, // seven letters together
		{"german", "ver", "trag", ""}, {"german", "auf", "wand", ""}, {"german", "ange", "halt", ""}, {"german", "aufzu", "halt", ""}, {"german", "auge", "arzt", "auge"},
		{"dutch", "boeken", "kast", "boek"}, {"dutch", "ver", "koop", ""}, {"dutch", "te", "huis", ""}, {"swedish", "kyrko", "gard", "kyrka"}, {"swedish", "skol", "vag", "skola"},
		{"german", "vors", "tand", "vors vorse -vor"}, // no prefix with a joint
		{"danish", "kokken", "bord", "kokken"}, {"danish", "fore", "lob", ""}, {"norwegian", "kles", "skap", "kles"}, {"norwegian", "under", "skap", ""},
	} {
		got := analysis.CompoundingOf(test.language).FirstParts(test.before, test.stem)
		for _, part := range strings.Fields(test.want) {
			if without, not := strings.CutPrefix(part, "-"); slices.Contains(got, without) == not {
				t.Errorf("%s: before %s, %s may be %v, want %s among them", test.language, test.stem, test.before, got, part)
			}
		}
		if test.want == "" && len(got) > 0 {
			t.Errorf("%s: before %s, %s may be %v, want none", test.language, test.stem, test.before, got)
		}
	}
}
