package analysis

// The character classes of the functions in migrations, as they stand there. A test holds
// the two together.
const (
	// wordClass is what words are made of outside ASCII, in folded text (rowan.parted).
	wordClass = `\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02c1\u02c6-\u02d1\u02ec\u02ee\u0300-\u0373\u0376-\u03f3\u03f7-\u0481` +
		`\u0483-\u0559\u0560-\u0588\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7-\u05f2\u0610-\u061a\u0620-\u0669` +
		`\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06fc\u06ff\u0710-\u07f5\u07fa-\u07fd\u0800-\u082d\u0840-\u085b` +
		`\u0860-\u0887\u0889-\u088e\u0898-\u08e1\u08e3-\u0963\u0966-\u096f\u0971-\u09f1\u09fc\u09fe-\u0a75\u0a81-\u0aef` +
		`\u0af9-\u0b6f\u0b71\u0b82-\u0bef\u0c00-\u0c6f\u0c80-\u0c83\u0c85-\u0cf2\u0d00-\u0d4e\u0d54-\u0d57\u0d5f-\u0d6f` +
		`\u0d7a-\u0df3\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0ecd\u0ed0-\u0f00\u0f18-\u0f19\u0f20-\u0f29\u0f35` +
		`\u0f37\u0f39\u0f40-\u0f84\u0f86-\u0fbc\u0fc6\u1000-\u1049\u1050-\u109d\u10a0-\u10fa\u10fd-\u135f\u1380-\u138f` +
		`\u13a0-\u13fd\u1401-\u166c\u166f-\u167f\u1681-\u169a\u16a0-\u16ea\u16ee-\u1714\u171f-\u1733\u1740-\u17d3\u17d7` +
		`\u17dc-\u17e9\u180b-\u180d\u180f-\u193b\u1946-\u19d9\u1a00-\u1a1b\u1a20-\u1a99\u1aa7\u1ab0-\u1b43\u1b45-\u1b59` +
		`\u1b6b-\u1b73\u1b80-\u1ba9\u1bab-\u1bf1\u1c00-\u1c37\u1c40-\u1c7d\u1c80-\u1cbf\u1cd0-\u1cd2\u1cd4-\u1ce0` +
		`\u1ce2-\u1cf6\u1cf8-\u1ffc\u20d0-\u20f0\u2132\u214e\u2180-\u2188\u2c00-\u2ce4\u2ceb-\u2cf3\u2d00-\u2d67` +
		`\u2d7f-\u2dff\u2e2f\u3005-\u3007\u3021-\u302d\u3031-\u3035\u303b-\u303c\u3041-\u309e\u30a1-\u30fa\u30fc-\u312f` +
		`\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\ua48c\ua4d0-\ua4fd\ua500-\ua60c\ua610-\ua672\ua674-\ua67d` +
		`\ua67f-\ua6f1\ua717-\ua71f\ua722-\ua788\ua78b-\ua827\ua82c\ua840-\ua873\ua880-\ua8c5\ua8d0-\ua8f7\ua8fb` +
		`\ua8fd-\ua92d\ua930-\ua952\ua960-\ua9bf\ua9cf-\ua9d9\ua9e0-\uaa59\uaa60-\uaa76\uaa7a-\uaadd\uaae0-\uaaef` +
		`\uaaf2-\uab5a\uab60-\uab68\uab70-\uabea\uabed-\ud7fb\uf900-\ufb1e\ufe00-\ufe2f\ufe73\U00010000-\U000100fa` +
		`\U00010140-\U00010174\U000101fd-\U000102e0\U00010300-\U0001031f\U0001032d-\U0001039d\U000103a0-\U000103cf` +
		`\U000103d1-\U00010563\U00010570-\U00010855\U00010860-\U00010876\U00010880-\U0001089e\U000108e0-\U000108f5` +
		`\U00010900-\U00010915\U00010920-\U00010939\U00010980-\U000109b7\U000109be-\U000109bf\U00010a00-\U00010a3f` +
		`\U00010a60-\U00010a7c\U00010a80-\U00010a9c\U00010ac0-\U00010ac7\U00010ac9-\U00010ae6\U00010b00-\U00010b35` +
		`\U00010b40-\U00010b55\U00010b60-\U00010b72\U00010b80-\U00010b91\U00010c00-\U00010cf2\U00010d00-\U00010d39` +
		`\U00010e80-\U00010eac\U00010eb0-\U00010eb1\U00010f00-\U00010f1c\U00010f27-\U00010f50\U00010f70-\U00010f85` +
		`\U00010fb0-\U00010fc4\U00010fe0-\U00011046\U00011066-\U000110ba\U000110c2\U000110d0-\U0001113f` +
		`\U00011144-\U00011173\U00011176-\U000111bf\U000111c1-\U000111c4\U000111c9-\U000111cc\U000111ce-\U000111da` +
		`\U000111dc\U00011200-\U00011234\U00011236-\U00011237\U0001123e\U00011280-\U000112a8\U000112b0-\U0001134c` +
		`\U00011350-\U0001144a\U00011450-\U00011459\U0001145e-\U000114c5\U000114c7-\U000115c0\U000115d8-\U00011640` +
		`\U00011644-\U00011659\U00011680-\U000116b5\U000116b7-\U000116b8\U000116c0-\U00011739\U00011740-\U0001183a` +
		`\U000118a0-\U000118e9\U000118ff-\U0001193c\U0001193e-\U00011943\U00011950-\U000119e1\U000119e3-\U00011a3e` +
		`\U00011a47-\U00011a99\U00011a9d\U00011ab0-\U00011af8\U00011c00-\U00011c40\U00011c50-\U00011c59` +
		`\U00011c72-\U00011ef6\U00011fb0\U00012000-\U0001246e\U00012480-\U00012ff0\U00013000-\U0001342e` +
		`\U00014400-\U00016a69\U00016a70-\U00016af4\U00016b00-\U00016b36\U00016b40-\U00016b43\U00016b50-\U00016b59` +
		`\U00016b63-\U00016e7f\U00016f00-\U00016fe1\U00016fe3-\U0001b122\U0001b150-\U0001b152\U0001b164-\U0001bc99` +
		`\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf46\U0001d167-\U0001d169\U0001d17b-\U0001d182\U0001d185-\U0001d18b` +
		`\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84` +
		`\U0001da9b-\U0001df1e\U0001e000-\U0001e02a\U0001e100-\U0001e14e\U0001e290-\U0001e2f9\U0001e7e0-\U0001e8c4` +
		`\U0001e8d0-\U0001e959\U00020000-\U0002b738\U0002b740-\U0003134a\U000e0100-\U000e01ef`

	// bigramBase are the letters of scripts without spaces between words, bigramMark the marks that belong to
	// the letter before them (rowan.bigrams).
	bigramBase = `\u3005-\u3007\u3021-\u3029\u303b\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff` +
		`\u3400-\u4dbf\u4e00-\u9fff\ufa0e-\ufa29\U0001b000-\U0001b16f\U00020000-\U0003134a\u0e01-\u0e30\u0e32` +
		`\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0ebd\u0ec0-\u0ec6\u0ede\u0edf\u1780-\u17b3\u17d7\u17dc\u1000-\u102a` +
		`\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e\ua9e0-\ua9e4` +
		`\ua9e6-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a\uaa7e\uaa7f`
	bigramMark = `\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u17b4-\u17d3\u17dd\u102b-\u103e` +
		`\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\ua9e5` +
		`\uaa7b-\uaa7d\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef`

	// hangul is what Korean is written in, in folded text (rowan.korean): syllables, and letters that make none.
	hangul = `\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb`
)
