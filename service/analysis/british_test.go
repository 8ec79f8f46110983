package analysis_test

import (
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestOtherEnglish(t *testing.T) {
	t.Parallel()
	for british, american := range map[string]string{
		"colour": "color", "colours": "colors", "watercolours": "watercolors", "behavioural": "behavioral", "neighbourhood": "neighborhood", "favourite": "favorite", "honourable": "honorable",
		"centre": "center", "centred": "centered", "theatres": "theaters", "kilometres": "kilometers", "fibre": "fiber", "catalogue": "catalog", "dialogues": "dialogs", "defence": "defense", "licences": "licenses",
		"judgement": "judgment", "grey": "gray", "greyish": "grayish", "tyres": "tires", "programmes": "programs", "practising": "practicing", "jewellery": "jewelry", "skilfully": "skillfully", "enrolment": "enrollment",
		"organise": "organize", "organised": "organized", "organisations": "organizations", "polarisation": "polarization", "recognisable": "recognizable", "criticising": "criticizing", "optimiser": "optimizer",
		"analyse": "analyze", "analysed": "analyzed", "catalysing": "catalyzing", "paediatrician": "pediatrician", "haemoglobin": "hemoglobin", "archaeologists": "archeologists", "sulphate": "sulfate",
	} {
		if got := analysis.OtherEnglish(british); got != american {
			t.Errorf("%s is %q in American English, want %s", british, got, american)
		}
		if got := analysis.OtherEnglish(american); got != british {
			t.Errorf("%s is %q in British English, want %s", american, got, british)
		}
	}
	for _, word := range []string{"", "a", "is", "rise", "noise", "size", "prize", "exercise", "exercises", "surprising", "otherwise", "unsupervised", "compromised", "advertiser", "precise", "franchise", "merchandise", "cruises", "sunrise", "sunrises", "despised", "oversized", "capsizing",
		"laboratory", "collaboration", "colorado", "honorary", "humorous", "parameter", "diameter", "meteor", "programming", "citizen", "horizon", "analysis", "analysts", "hypotheses", "practical", "axis", "tired", "hour", "four", "error", "minor"} {
		if got := analysis.OtherEnglish(word); got != "" {
			t.Errorf("%s is also %s", word, got)
		}
	}
}
