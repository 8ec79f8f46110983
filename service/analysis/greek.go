package analysis

import "strings"

// greekNames are the names of Greek letters. Scientific texts write one or the other: β-carotene and beta-carotene.
var greekNames = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", 'ε': "epsilon", 'ζ': "zeta", 'η': "eta", 'θ': "theta",
	'ι': "iota", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'ν': "nu", 'ξ': "xi", 'ο': "omicron", 'π': "pi",
	'ρ': "rho", 'σ': "sigma", 'τ': "tau", 'υ': "upsilon", 'φ': "phi", 'χ': "chi", 'ψ': "psi", 'ω': "omega",
}

var greekLetters = func() map[string]string {
	letters := map[string]string{}
	for letter, name := range greekNames {
		letters[name] = string(letter)
	}
	return letters
}()

func isGreek(r rune) bool { return greekNames[r] != "" }

// mostSymbols is how many Greek letters in sequence may be symbols. More are a word of the language.
const mostSymbols = 3

// symbolsApart makes each Greek letter of a text that is a symbol a word of its own, spelled by a function: TNFα is TNF-α and TNF-alpha.
func symbolsApart(spell func(symbol rune) string) func(text string) string {
	return func(text string) string {
		letters := []rune(Fold(text))
		var b strings.Builder
		symbol := false // whether the letter before is a symbol
		for i := 0; i < len(letters); {
			end := i
			for end < len(letters) && isGreek(letters[end]) {
				end++
			}
			if end == i || end-i > mostSymbols {
				end = max(end, i+1)
				if symbol && isWord(letters[i]) {
					b.WriteByte(' ')
				}
				b.WriteString(string(letters[i:end]))
				i, symbol = end, false
				continue
			}
			for ; i < end; i++ {
				if i > 0 && isWord(letters[i-1]) {
					b.WriteByte(' ')
				}
				b.WriteString(spell(letters[i]))
			}
			symbol = true
		}
		return b.String()
	}
}

// symbolOf returns the Greek letter of a name, and any other word as it is.
func symbolOf(word string) string {
	if letter := greekLetters[word]; letter != "" {
		return letter
	}
	return word
}

// joinedSymbols writes Greek letters, whose names a text has after a hyphen, as part of the word before: TNF-alpha is TNFα.
func joinedSymbols(text string) string {
	parts := strings.Split(Fold(text), "-")
	for i, part := range parts {
		if i == 0 {
			continue
		}
		if letter := greekLetters[part]; letter != "" {
			parts[i] = letter
		} else {
			parts[i] = "-" + part
		}
	}
	return strings.Join(parts, "")
}

// greekSpellings are the rules for a text, folded, in a language that has Greek letters only as symbols.
func greekSpellings(folded string) []func(text string) string {
	rules := []func(text string) string{eachWord(symbolOf)}
	if strings.Contains(folded, "-") {
		rules = append(rules, joinedSymbols)
	}
	if strings.ContainsFunc(folded, isGreek) {
		rules = append(rules, symbolsApart(func(symbol rune) string { return greekNames[symbol] }), symbolsApart(func(symbol rune) string { return string(symbol) }))
	}
	return rules
}
