package analysis

import (
	"slices"
	"strings"
	"sync"
)

// British and American English spell some words differently, and the stemmer gives the two spellings different
// stems. These are the words and rules of the usual lists of such differences. Applied to other words, the rules
// mostly make no word, so only spellings that the index has are searched for.

// spelledApart are words in British and American English, in pairs, with the endings that they may have, besides none.
var spelledApart = []struct{ endings, pairs string }{
	{"s ed ing er ers able ably al ally ful fully less ite ites ist ists ism hood hoods ly y ation ations", "arbour arbor  ardour ardor  armour armor  behaviour behavior  candour candor  clamour clamor  colour color  watercolour watercolor  multicolour multicolor  discolour discolor" +
		"  demeanour demeanor  endeavour endeavor  favour favor  disfavour disfavor  unfavour unfavor  fervour fervor  flavour flavor  glamour glamor  harbour harbor  honour honor  dishonour dishonor  humour humor" +
		"  labour labor  misdemeanour misdemeanor  neighbour neighbor  odour odor  parlour parlor  rancour rancor  rigour rigor  rumour rumor  saviour savior  savour savor  splendour splendor  succour succor  tumour tumor" +
		"  valour valor  vapour vapor  vigour vigor"},
	{"s", "calibre caliber  centimetre centimeter  decimetre decimeter  fibre fiber  goitre goiter  kilometre kilometer  litre liter  centilitre centiliter  decilitre deciliter  millilitre milliliter  louvre louver  lustre luster" +
		"  manoeuvre maneuver  meagre meager  metre meter  micrometre micrometer  millimetre millimeter  nanometre nanometer  mitre miter  ochre ocher  sabre saber  sceptre scepter  sepulchre sepulcher  sombre somber  spectre specter" +
		"  theatre theater  amphitheatre amphitheater  centre center  epicentre epicenter" +
		"  catalogue catalog  dialogue dialog  analogue analog  homologue homolog  monologue monolog  programme program  tyre tire  cosy cozy  pyjama pajama  doughnut donut  omelette omelet  yoghurt yogurt" +
		"  judgement judgment  abridgement abridgment  acknowledgement acknowledgment  lodgement lodgment  fulfil fulfill  fulfilment fulfillment  enrol enroll  enrolment enrollment  instalment installment" +
		"  defence defense  licence license  offence offense  pretence pretense  practise practice  counsellor counselor  artefact artifact  aeroplane airplane  foetus fetus"},
	{"ly ness", "skilful skillful  wilful willful  defenceless defenseless"},
	{"", "centred centered  centring centering  practised practiced  practising practicing  manoeuvred maneuvered  manoeuvring maneuvering  catalogued cataloged  cataloguing cataloging  ageing aging  foetal fetal  foetuses fetuses" +
		"  faeces feces  faecal fecal  woollen woolen  jewellery jewelry  aluminium aluminum"},
	{"s ed ing er ers y ish ness scale", "grey gray  mould mold  plough plow"},
}

// otherBeginnings are the beginnings of such words, in pairs; what follows them stays as it is.
var otherBeginnings = strings.Fields("aesthet esthet  anaem anem  anaesthe anesthe  archaeolog archeolog  caesarean cesarean  caesium cesium  diarrhoea diarrhea  encyclopaedia encyclopedia  enquir inquir  gynaecolog gynecolog" +
	"  haemato hemato  haemo hemo  homoeopath homeopath  leukaem leukem  mediaeval medieval  moustache mustache  oesophag esophag  oestrogen estrogen  orthopaed orthoped  paediatr pediatr  palaeo paleo  sceptic skeptic  sulph sulf")

var (
	// behindSibilant are the endings after the is or iz of words that are spelled with either, or after the ys or yz of words such as analyse.
	behindSibilant = strings.Fields("e ed er ers es ing able ation ational ations")
	// oneSibilant is what stands before the s of words that are always written with s (exercise, sunrise), or before the z (oversize).
	oneSibilant = strings.Fields("ai chasti adverti chi circumci conci exci exerci exorci experti inci merchandi oi paradi preci premi demi pri promi televi treati ui advi devi improvi provi revi supervi wi" +
		" chemi despi moonri sunri surmi  capsi downsi oversi supersi undersi")
)

// shortestBeforeIs is how many letters such a word has at least before is or iz: rise, noise and size are none.
const shortestBeforeIs = 4

// otherSpellings maps each word of spelledApart, with its endings, to its other spelling.
var otherSpellings = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	for _, apart := range spelledApart {
		pairs := strings.Fields(apart.pairs)
		for i := 0; i < len(pairs); i += 2 {
			for _, ending := range append(strings.Fields(apart.endings), "") {
				british, american := pairs[i]+ending, pairs[i+1]+ending
				words[british], words[american] = american, british
			}
		}
	}
	return words
})

// OtherEnglish returns the American spelling of a folded British word, or the British one of an American word; "" if it has none.
func OtherEnglish(word string) string {
	if other := otherSpellings()[word]; other != "" {
		return other
	}
	for i, beginning := range otherBeginnings {
		if rest, begins := strings.CutPrefix(word, beginning); begins {
			return otherBeginnings[i^1] + rest
		}
	}
	return otherSibilant(word)
}

// otherSibilant returns a word with z for its s, or the other way round: organise, organization, analyse.
func otherSibilant(word string) string {
	for _, ending := range behindSibilant {
		stem, has := strings.CutSuffix(word, ending)
		if !has || len(stem) < 3 {
			continue
		}
		before, sibilant := stem[:len(stem)-1], stem[len(stem)-1]
		other := map[byte]string{'s': "z", 'z': "s"}[sibilant]
		switch {
		case other == "":
		case strings.HasSuffix(before, "ly") && len(ending) <= len("ers"):
			return before + other + ending
		case strings.HasSuffix(before, "i") && len(before) > shortestBeforeIs && !slices.ContainsFunc(oneSibilant, func(end string) bool { return strings.HasSuffix(before, end) }):
			return before + other + ending
		}
	}
	return ""
}
