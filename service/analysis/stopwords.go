package analysis

// accentedStopWords are, by language, the stop words of PostgreSQL's lists (snowball/stopwords) that are written
// with accents, here without them. Dictionaries see folded words, and so do not recognize them as stop words: they
// take them for words with a meaning, which some of them also are (the French été, the Italian faro).
var accentedStopWords = map[string]string{
	"danish": "nar ogsa pa sadan vaere vaeret",
	"finnish": "eivat etta han haneen hanella hanelle hanelta hanen hanessa hanesta hanet hanta heidan heidat heilla " +
		"heilta heissa heista heita keilla keilta keina keissa keista keita kenella kenelta kenena kenessa kenesta " +
		"keta ketka meidan meidat meilla meilta meissa meista meita mika milla milta mina minka missa mista mita " +
		"mitka naiden naihin naiksi nailla naille nailta naina naissa naista naita nama niilla niilta niina niissa " +
		"niista niita seka siina siita silla silta sina sita tahan taksi talla talle talta tama taman tana tassa " +
		"tasta tata teidan teidat teilla teilta teissa teista teita tuota",
	"french": "a etaient etais etait etant etante etantes etants ete etee etees etes etiez etions eumes eutes fumes " +
		"futes meme",
	"german": "dass fur konnen konnte uber wahrend wurde wurden",
	"hungarian": "altal altalaban amig arrol at azert aztan azutan bar belul egesz egyeb eleg elo eloszor elott elso en " +
		"eppen es ezert fele igy ismet jo jol keressunk keresztul kivul kozott kozul legalabb magat mar mas masik " +
		"miert mig neha nehany nelkul o ok oket ossze ra sajat szamara talan tehat tobb tovabb tovabba ugy uj " +
		"ujabb ujra utan utana utolso valo",
	"italian":   "avra avro fara faro perche piu sara saro stara staro",
	"nepali":    "अंतर्गत चांडै जहां तुरुंतै त्यहां नयां पांच पांचौं बंद मंगलवार यहां संभव सांच्चै",
	"norwegian": "a bade bae hja na nar ogsa pa sa sann sjol vaere vaert",
	"portuguese": "ate eramos estao estavamos estiveramos estivessemos foramos fossemos ha hao houveramos houverao " +
		"houveriamos houvessemos ja nao sao sera serao seriamos so tambem tera terao teriamos tinhamos tiveramos " +
		"tivessemos voce voces",
	"spanish": "eramos estabamos estais estan estara estaran estaras estare estareis estaria estariais estariamos " +
		"estarian estarias esteis esten estes estuvieramos estuviesemos fueramos fuesemos habeis habia habiais " +
		"habiamos habian habias habra habran habras habre habreis habria habriais habriamos habrian habrias hayais " +
		"hubieramos hubiesemos mas mia mias mio mios seais sera seran seras sere sereis seria seriais seriamos " +
		"serian serias si tambien tendra tendran tendras tendre tendreis tendria tendriais tendriamos tendrian " +
		"tendrias teneis tengais tenia teniais teniamos tenian tenias tuvieramos tuviesemos",
	"swedish": "an ar at da dar for fran nagon nagot nagra nar over pa sa sadan sadana sadant sjalv varfor",
	"turkish": "aslinda bazi birkac birsey cok cunku eger hic icin mi nasil nicin sey su tum",
}

var softStopWords = func() map[string]map[string]bool {
	byLanguage := map[string]map[string]bool{}
	for language, list := range accentedStopWords {
		byLanguage[language] = setOf(list)
	}
	return byLanguage
}()

// AccentedStopWord reports whether a folded word may be a stop word of a language that has lost its accents.
func AccentedStopWord(language, word string) bool { return softStopWords[language][word] }
