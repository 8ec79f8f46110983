package analysis

import "slices"

// otherEndings are, by language, pairs of endings of forms of a word, folded, that Snowball's stemmers do not bring together: huis and huizen, animal
// and animais, lernen and lernt. A word that ends in either may have the other in its place. Most words made in this way do not exist: only those that
// the index has are searched for. Endings that also make other words are here if most pairs of frequent words with them are forms of one word: by
// Hunspell's dictionaries and UniMorph, or by grammar. Nouns that have endings of their own, or change their vowels, come with no letters before them:
// compounds end in them, too. A test (TestFormsFindEachOther) tells how many forms of everyday words find each other.
var otherEndings = map[string]func() []endings{
	"arabic": func() []endings {
		return slices.Concat(endingsOf(1, "ة:ات"), endingsOf(3, ":ون :ين"), endingsOf(0, "كتاب:كتب مدينة:مدن مدرسة:مدارس طالب:طلاب هاتف:هواتف حذاء:احذية قميص:قمصان فستان:فساتين حقيبة:حقائب لعبة:العاب مطبخ:مطابخ برنامج:برامج صورة:صور كبير:كبار صغير:صغار جديد:جدد فندق:فنادق مطعم:مطاعم مسجد:مساجد جامع:جوامع متحف:متاحف مصنع:مصانع متجر:متاجر "+
			"مكتب:مكاتب مكتبة:مكاتب ملعب:ملاعب منزل:منازل بيت:بيوت غرفة:غرف باب:ابواب شارع:شوارع طريق:طرق جسر:جسور نهر:انهار بحر:بحار جبل:جبال شجرة:اشجار زهرة:زهور وردة:ورود كلب:كلاب قطة:قطط طائر:طيور سمكة:اسماك ولد:اولاد بنت:بنات طفل:اطفال رجل:رجال امراة:نساء صديق:اصدقاء عالم:علماء طبيب:اطباء مدير:مدراء رئيس:رؤساء وزير:وزراء ملك:ملوك دولة:دول بلد:بلدان"+
			"قرية:قري حرب:حروب جيش:جيوش قانون:قوانين حق:حقوق سؤال:اسئلة جواب:اجوبة درس:دروس كلمة:كلمات حرف:حروف لون:الوان رقم:ارقام سعر:اسعار عرض:عروض متر:امتار يوم:ايام شهر:اشهر سنة:سنوات وقت:اوقات فيلم:افلام خبر:اخبار كرسي:كراسي مفتاح:مفاتيح كوب:اكواب صحن:صحون سرير:اسرة جهاز:اجهزة هدية:هدايا خاتم:خواتم حزام:احزمة نظارة:نظارات قلم:اقلام دفتر:دفاتر شاشة:شاشات فرن:افران ثوب:اثواب معطف:معاطف جورب:جوارب سروال:سراويل منشفة:مناشف وسادة:وسائد ستارة:ستائر مصباح:مصابيح"))
	},
	"armenian": func() []endings {
		return paradigm(3, "- ը ի ից ով ում ներ ները ների ներից ներով", "- եր երը երի երից", "- ն յի յից յով")
	},
	"basque": func() []endings {
		return paradigm(3, "- a ak aren ari an tik ra en ekin arekin")
	},
	"catalan": func() []endings {
		return slices.Concat(paradigm(1, "tor tors triu trius", "iu ius iva ives"), endingsOf(1, "gs:gues eu:ea eus:ea eus:ees ics:iga ics:igues"), paradigm(0, "nou nova nous noves", "blau blava blaus blaves", "groc groga grocs grogues", "negre negra negres", "vi vins", "pa pans", "ma mans", "ull ulls", "ou ous"), endingsOf(2, "a:es ja:ges tja:tges c:ga c:gues i:is ll:lla u:us u:va"), endingsOf(1, "o:ons a:ans e:ens i:ins e:es s:ssos c:ques ca:ques cs:ques g:gues ga:gues"))
	},
	"danish": func() []endings {
		return slices.Concat(paradigm(0, "ny nyt nye", "by byen byer byerne", "so soen soer", "ore oret orer", "oje ojet ojne", "trae traeet traeer traeerne", "cykel cyklen cykler cyklerne", "sko skoen skoene", "ur uret ure", "dyr dyrt dyre", "barn barnet born bornene", "mand manden maend", "museum museet museer"), endingsOf(4, ":t"), endingsOf(3, "e:t en:ne er:re eren:re um:er um:erne"), endingsOf(2, "d:dt el:le el:ler el:lerne"),
			definite("er:erne nd:ndene rn:rnene re:rene s:sene jne:jnene", "barn:born mand:maend hand:haender tand:taender nat:naetter kraft:kraefter stang:staenger tang:taenger far:faedre mor:modre bror:brodre datter:dotre klo:kloer oje:ojne gas:gaes trae:traeer stad:staeder"))
	},
	"dutch": func() []endings {
		return slices.Concat(endingsOf(3, "o:os a:as i:is y:ys :je :jes en:je en:jes l:ltje n:ntje r:rtje"), endingsOf(1, "oos:oze aar:ares um:ums ums:a"), paradigm(0, "vriend vrienden vriendin vriendinnen", "ei eieren"), endingsOf(1, "s:zen f:ven en:t ol:olle om:omme"), openSyllables(), doubled(), endingsOf(2, "aal:ale eel:ele oos:oze f:ve s:ze cus:ci sis:ses"), endingsOf(3, "um:a"),
			endingsOf(0, "kind:kinderen blad:bladeren volk:volkeren lied:liederen rund:runderen kalf:kalveren lam:lammeren rad:raderen goed:goederen been:beenderen hoen:hoenders stad:steden schip:schepen lid:leden smid:smeden oog:ogen oor:oren uur:uren koe:koeien vlo:vlooien"))
	},
	"finnish": func() []endings {
		return slices.Concat(gradation(),
			paradigm(3, "a an at aa oja ojen", "a an at aa oita oiden"), paradigm(2, "a an at aa ia ien", "i in it ia eja ien iin", "i en et ea ia ien een", "y yn yt ya yyn yja yjen", "e een eet etta eita eiden",
				"nen sen set sta sia sten", "us uksen ukset usta uksia usten", "ys yksen ykset ysta yksia ysten", "in imen imet inta imia inten", "as aan aat asta aita aiden", "is iin iit ista iita iiden",
				"yt yen yet ytta yita yiden", "ut uen uet utta uita uiden", "li len let lta lia lten", "ri ren ret rta ria rten", "ni nen net nta nia nten"),
			paradigm(1, "si den det tta sia sien teen", "psi psen pset sta psia sten", "uu uun uut uuta uita uiden uussa uulla", "aa aan aat aata aita aiden aassa aalla", "ie ien iet ieta eita eiden iessa iella"),
			paradigm(0, "tyo tyon tyot tyota toita toiden tyossa tyolla", "yon yot yota oita oiden yossa yolla", "mies miehen miehet miesta miehia miesten", "poika pojan pojat poikaa poikia poikien", "joki joen joet jokea jokia jokien", "hammas hampaan hampaat hammasta hampaita"))
	},
	"french": func() []endings {
		return slices.Concat(paradigm(2, "teur teurs trice trices", "eur eurs euse euses", "ie ies iee iees", "ye yes yee yees"), endingsOf(2, "iers:iere iers:ieres gers:gere gers:geres"), endingsOf(1, "f:ve f:ves fs:ve fs:ves eu:eux"), endingsOf(2, "a:as i:is o:os u:us ail:aux au:aux ou:oux"), endingsOf(3, "e:es"),
			feminine("blanc:blanche franc:franche sec:seche public:publique grec:grecque turc:turque gros:grosse gras:grasse bas:basse epais:epaisse frais:fraiche doux:douce roux:rousse faux:fausse long:longue beau:belle nouveau:nouvelle vieux:vieille fou:folle mou:molle gentil:gentille"), endingsOf(0, "oeil:yeux ciel:cieux beaux:belle beaux:belles nouveaux:nouvelle nouveaux:nouvelles chat:chatte chat:chattes chats:chatte chats:chattes"))
	},
	"german": func() []endings {
		return slices.Concat(paradigm(2, "ent enten entin entinnen", "ist isten istin istinnen", "or oren orin orinnen", "eur eure eurin eurinnen", "er ern erin erinnen"), endingsOf(1, "ee:een"), paradigm(0, "freund freunde freundin freundinnen", "kunde kunden kundin kundinnen", "kollege kollegen kollegin kolleginnen", "arzt arzte arztin arztinnen", "hoch hohe hoher hohes hohen", "teuer teurer teures teuren", "dunkel dunkler dunkles dunklen", "ei eier eiern"), endingsOf(1, "en:t en:te ern:ert eln:elt"), endingsOf(3, "in:innen l:ln el:le a:as i:is o:os u:us y:ys"), endingsOf(2, "eum:een ium:ien trum:tren kum:ka mus:men"),
			endingsOf(0, "album:alben jubilaum:jubilaen universum:universen visum:visa referendum:referenden ultimatum:ultimaten thema:themen schema:schemen schema:schemata firma:firmen drama:dramen paradigma:paradigmen dogma:dogmen aroma:aromen panorama:panoramen komma:kommata trauma:traumata villa:villen pizza:pizzen arena:arenen sauna:saunen skala:skalen "+
				"konto:konten risiko:risiken embryo:embryonen virus:viren globus:globen zyklus:zyklen kaktus:kakteen bonus:boni modus:modi korpus:korpora tempus:tempora genus:genera examen:examina bus:busse praxis:praxen stadion:stadien lexikon:lexika mythos:mythen atlas:atlanten "+
				"material:materialien mineral:mineralien fossil:fossilien textil:textilien utensil:utensilien prinzip:prinzipien bau:bauten saal:sale teuer:teure"))
	},
	"greek": func() []endings {
		return endingsOf(1, "ιο:ια ιο:ιου ιο:ιων ι:ια ι:ιου ι:ιων")
	},
	"hungarian": func() []endings {
		return slices.Concat(paradigm(3, "- ok ot a ai ban", "- ek et e ei ben", "- ok ot e ei ben"), paradigm(2, "a ak at aja ai aban", "e ek et eje ei eben", "o ok ot oja oi oban", "o ok ot oje oi oben", "u uk ut uja ui uban", "u uk ut uje ui uben", "i ik it ija ijai iban", "i ik it ije ijei iben"),
			endingsOf(3, "ar:ara er:ere or:ore ara:arak ere:erek"), paradigm(0, "no nok not noje noi", "fa fak fat faja fai faban"),
			otherStems(",ban", "a,ai,ak,at,ok,ot", hungarianBackStems), otherStems(",ben", "e,ei,ek,et,ok,ot", hungarianFrontStems))
	},
	"irish": func() []endings {
		return slices.Concat(endingsOf(3, ":e e:i"), paradigm(0, "teach ti tithe", "cathair cathrach cathracha", "doras dorais doirse", "abhainn abhann aibhneacha", "bliain bliana blianta", "leaba leapa leapacha", "sliabh sleibhe sleibhte", "tir tire tiortha"), endingsOf(3, ":a :i :anna :eanna a:acha a:ai"), endingsOf(4, ":cha"), endingsOf(1, "ad:aid al:ail an:ain ar:air as:ais at:ait air:racha"),
			endingsOf(0, "fear:fir bean:mna la:laethanta lamh:lamha suil:suile cluas:cluasa"))
	},
	"italian": func() []endings {
		return slices.Concat(endingsOf(3, "o:i e:i io:i"), endingsOf(2, "a:e co:chi go:ghi ca:che ga:ghe"), paradigm(2, "tore tori trice trici"), paradigm(0, "dottore dottori dottoressa dottoresse", "professore professori professoressa professoresse", "studente studenti studentessa studentesse", "zio zia zii zie"), paradigm(alone, "alto alta alti alte"), endingsOf(0, "uomo:uomini arma:armi ala:ali tempio:templi osso:ossa"))
	},
	"lithuanian": func() []endings {
		return slices.Concat(paradigm(2, "dis dzio dziai dziu dzius di dyje", "de dziu des", "tis cio ciai ciu cius ti tyje", "te ciu tes"))
	},
	"nepali": func() []endings {
		return paradigm(2, "- हरू को मा लाई ले बाट सँग")
	},
	"norwegian": func() []endings {
		return slices.Concat(paradigm(0, "ny nytt nye", "by byen byer byene", "god godt gode", "rod rodt rode", "dyr dyrt dyre", "ore oret orer", "oye oyet oyne", "tre treet traer", "sykkel sykkelen sykler", "nokkel nokkelen nokler", "soster sosteren sostre", "sko skoen skoene", "mann mannen menn", "museum museet museer"), endingsOf(4, ":t"), endingsOf(3, "e:t en:ne er:re er:rene eren:rene r:rne re:rne ren:rne um:er um:ene"), endingsOf(2, "kkel:kler kkel:klene mmel:mle mmel:mler mmer:mre el:le el:ler el:lene elen:ler elen:lene ell:elt elle:elt m:mmer m:mmen m:mmet"),
			definite("aer:aerne er:ene nn:nnene re:rene ss:ssene yne:ynene", "mann:menn hand:hender tann:tenner natt:netter fot:fotter rot:rotter kraft:krefter stang:stenger tang:tenger strand:strender stad:steder far:fedre mor:modre bror:brodre datter:dotre tre:traer kne:knaer rand:render klo:klor gas:gjess oye:oyne"))
	},
	"portuguese": func() []endings {
		return slices.Concat(paradigm(1, "tor tores triz trizes"), endingsOf(2, "eu:eia eus:eia eus:eias"), paradigm(alone, "alto alta altos altas"), paradigm(0, "leao leoa leoes", "irmao irma irmaos irmas"), endingsOf(1, "ao:oes ao:aes al:ais el:eis ol:ois ul:uis il:is il:eis m:ns"), endingsOf(2, "a:as ao:aos e:es i:is o:os u:us"), endingsOf(0, "bom:boa bom:boas bons:boa bons:boas"))
	},
	"romanian": func() []endings {
		return slices.Concat(paradigm(0, "alb alba albi albe", "negru neagra negri negre", "copil copilul copii copiii copiilor", "baiat baiatul baieti baietii", "fata fete fetele fetei", "an anul ani anii", "zi ziua zile zilele", "usa usi usile", "floare floarea flori florile", "mana maini mainile", "masa mese mesele", "strada strazi strazile", "cheie cheia chei cheile"), endingsOf(2, "ul:i ul:ii osi:oasa osi:oase"), endingsOf(1, "ea:ele a:ei l:i oare:ori oarea:ori on:oane on:oanele onul:oane"), endingsOf(3, "i:lor r:ra :a :e ei:ele ul:e :uri :urile a:e a:ele e:ele re:ri re:rile rea:ri rea:rile"), endingsOf(2, "u:urile ie:ile ia:ile ii:iilor :ele or:oare ul:ele u:ul u:uri ul:uri ul:urile os:oasa os:oase"), endingsOf(0, "ou:oua simplu:simpla tata:tatal om:oameni baiat:baieti cal:cai fata:fete masa:mese mana:maini sora:surori strada:strazi garda:garzi negru:neagra negru:negre rosu:rosie"))
	},
	"russian": func() []endings {
		return slices.Concat(paradigm(0, "цветок цветы цветка цветов", "друг друга друзья друзей", "человек люди людей", "ребенок дети детей", "дочь дочери дочерей", "мать матери матерей", "сын сына сыновья сыновей", "время времени времена времен", "имя имени имена имен", "земля земли земель", "кухня кухни кухонь", "пес пса псы"), endingsOf(1, "лец:льцы лец:льца лец:льцев ец:цов ок:ку ек:ку ла:ел"), endingsOf(2, "енок:ята енок:ят"), endingsOf(2, "ок:ки ок:ка ок:ков ок:кий ек:ки ек:ка ен:на ен:но ен:ны ен:ный ен:ная ня:ен"), endingsOf(1, "ец:ца ец:цы ец:це ец:цев ень:ня ень:ни ень:ней"),
			endingsOf(0, "сестра:сестер сестры:сестер окно:окон окна:окон письмо:писем письма:писем кресло:кресел число:чисел земля:земель песни:песен кольцо:колец кольца:колец яйцо:яиц яйца:яиц дни:дня дни:дней дня:дней "+
				"лоб:лба рот:рта лев:льва лев:львы пес:пса пес:псы угол:угла угол:углы узел:узла узел:узлы орел:орла орел:орлы козел:козла огонь:огня огонь:огни уголь:угля лед:льда ковер:ковра ковер:ковры костер:костра костер:костры ветер:ветра "+
				"друг:друзья друг:друзей сын:сыновья мать:матери дочь:дочери время:времени имя:имени небо:небеса чудо:чудеса человек:люди ребенок:дети"))
	},
	"serbian": func() []endings {
		return slices.Concat(inBothAlphabets(slices.Concat(afterConsonants("a u om ovi ova ovima ove", "a u em evi eva evima eve", "a i o e og ih"), paradigm(2, "k ka ku kom ke ci cima", "g ga gu gom ge zi zima", "h ha hu hom he si sima", "a e u em ima"),
			paradigm(1, "ac ca cu cem ci cima ce", "ak ka ku ci cima ke", "ao la lu lom li le lo lih lovi", "me mena menu menom menima"),
			paradigm(0, "pas psa psu psom psi psima pse", "san sna snu snom snovi", "dete deteta deca dece decu", "drvo drveta drvetu", "ime imena imenu"))),
			endingsOf(0, "oko:oci oko:ocima uho:usi drvo:drvece око:очи око:очима ухо:уши дрво:дрвеће"))
	},
	"spanish": func() []endings {
		return slices.Concat(paradigm(1, "tor tores triz trices"), paradigm(alone, "alto alta altos altas"), endingsOf(1, "z:ces"), endingsOf(2, "a:as e:es i:is o:os u:us"), endingsOf(0, "club:clubs"))
	},
	"swedish": func() []endings {
		return slices.Concat(paradigm(2, "pa per pte pt", "ka ker kte kt"), endingsOf(2, "el:larna er:rarna orn:orer tern:trar"), endingsOf(3, "ot:on"), paradigm(alone, "rod rott roda"), paradigm(0, "bok boken bocker bockerna", "sko skor skorna", "sjo sjon sjoar", "man mannen mannens", "liten litet lilla sma", "ny nytt nya", "vit vitt vita", "god gott goda", "dyr dyrt dyra", "museum museet museer", "oga ogat ogon", "ora orat oron", "fonster fonstret fonstren", "apple applet applen applena"), endingsOf(4, ":t"), endingsOf(3, ":et a:an an:or an:orna er:ra er:ret i:in o:on y:yn um:er um:erna"), endingsOf(1, "en:et o:or"),
			endingsOf(2, "el:eln el:la el:lar el:ler eln:lar er:rar gon:gnar mmar:mrar mmel:mlar or:orn en:na ga:gt ka:kt la:lt na:nt ra:rt va:vt m:mma m:mmar m:mmen m:mmet"),
			definite("er:erna ar:arna ss:ssen on:onen", "bok:bocker fot:fotter rot:rotter not:notter get:getter van:vanner mus:moss lus:loss gas:gass oga:ogon ora:oron far:fader mor:modrar bror:broder dotter:dottrar"), endingsOf(0, "gammal:gamla van:vannen"))
	},
	"tamil": func() []endings {
		return endingsOf(1, "ம்:ங்கள்")
	},
	"turkish": func() []endings {
		return slices.Concat(paradigm(3, "yi nin da lar lari si", "yi nin de ler leri si", "yu nun da lar lari su", "yu nun de ler leri su", "- in inde ler leri de i", "- in inda lar lari da i", "- un unda lar lari da u", "- un unde ler leri de u"), endingsOf(2, "sinde:si sinda:si sunda:su sunde:su"), endingsOf(3, ":ler :si :su u:lar i:lar i:ler u:ler"), endingsOf(1, "ler:si lar:si lar:su ler:su leri:si lari:si lari:su leri:su"),
			otherStems(",lar,ler,lari,leri", "i,in,inda,inde,u,un,unda,unde,a,e", turkishStems))
	},
}

// turkishStems, hungarianBackStems and hungarianFrontStems are nouns, each with its stem before vowels; the
// Hungarian ones by the vowels of their endings.
const (
	turkishStems = "resim:resm sehir:sehr nehir:nehr isim:ism cisim:cism kisim:kism hacim:hacm ilim:ilm metin:metn beyin:beyn boyun:boyn burun:burn karin:karn alin:aln izin:izn zihin:zihn agiz:agz omuz:omz gogus:gogs ogul:ogl " +
		"akil:akl asil:asl nesil:nesl nakil:nakl fikir:fikr emir:emr omur:omr sabir:sabr seyir:seyr devir:devr zehir:zehr vakit:vakt kayit:kayd keyif:keyf renk:reng ahenk:aheng kagit:kagid kanat:kanad kilit:kilid umut:umud armut:armud " +
		"senet:sened simit:simid yogurt:yogurd yurt:yurd kurt:kurd dert:derd cilt:cild tat:tad hak:hakk his:hiss hat:hatt sir:sirr"
	hungarianBackStems  = "lo:lov szo:szav to:tav ho:hav falu:falv daru:darv alom:alm torony:torny cukor:cukr majom:majm halom:halm sarok:sark szatyor:szatyr gyomor:gyomr szobor:szobr csokor:csokr sator:satr kapocs:kapcs bokor:bokr pokol:pokl"
	hungarianFrontStems = "ko:kov fu:fuv mu:muv cso:csov tukor:tukr terem:term okol:okl iker:ikr eper:epr selyem:selym lepel:lepl korom:korm vodor:vodr okor:okr"
)
