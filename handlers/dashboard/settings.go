package dashboard

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
)

type indexSettingsPage struct {
	indexPage
	Language, Autocomplete, Synonyms, StopWords string
	Languages                                   []string
	// Seen is a fingerprint of the settings as they were loaded, so that nobody's change is overwritten unnoticed.
	Seen string
}

// languages are the languages that PostgreSQL comes with, as proposals; the server may have more.
var languages = []string{
	"arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hindi", "hungarian",
	"indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese", "romanian", "russian", "serbian", "simple",
	"spanish", "swedish", "tamil", "turkish", "yiddish",
}

func (d *dashboard) editIndexSettings(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	settings, err := d.svc.IndexSettings(v.ctx(), v.app(), ix.Name)
	if err != nil {
		return err
	}
	lines := make([]string, len(settings.Synonyms))
	for i, s := range settings.Synonyms {
		lines[i] = synonymLine(s)
	}
	return v.render("index_settings", "Settings of "+ix.Name, "indices", indexSettingsPage{
		indexPage: indexPage{ix, "settings"}, Language: settings.Language, Languages: languages,
		Autocomplete: propertyLines(settings.Autocomplete.Fields),
		Synonyms:     strings.Join(lines, "\n"),
		StopWords:    strings.Join(settings.StopWords, "\n"),
		Seen:         seenSettings(settings),
	})
}

// seenSettings returns a fingerprint of the settings of an index.
func seenSettings(settings service.IndexSettings) string { return fingerprint(encoded(settings)) }

const arrow = "=>"

// synonymLine writes a synonym as a line of the form: "tv, television", or "tv => television" for one way. It
// writes JSON if words cannot be written so.
func synonymLine(s service.Synonym) string {
	plain := func(words []string) (string, bool) {
		for _, w := range words {
			if w != strings.TrimSpace(w) || strings.ContainsAny(w, ",\n\r") || strings.Contains(w, arrow) || strings.HasPrefix(w, "[") || strings.HasPrefix(w, "{") {
				return "", false
			}
		}
		return strings.Join(words, ", "), true
	}
	if len(s.From) > 0 {
		from, ok1 := plain(s.From)
		to, ok2 := plain(s.To)
		if ok1 && ok2 {
			return from + " " + arrow + " " + to
		}
	} else if words, ok := plain(s.Equivalent); ok {
		return words
	}
	return string(encoded(s))
}

// synonymJSON reads a line of the form; ok is false if it begins as JSON but is not valid JSON. service checks everything else.
func synonymJSON(line string) (raw json.RawMessage, ok bool) {
	if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "{") {
		return json.RawMessage(line), json.Valid([]byte(line))
	}
	split := func(list string) []string {
		words := strings.Split(list, ",")
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
		return words
	}
	if from, to, oneWay := strings.Cut(line, arrow); oneWay {
		return encoded(map[string][]string{"from": split(from), "to": split(to)}), true
	}
	return encoded(split(line)), true
}

// lines splits a text into lines without the blank ones; numbers are the numbers of the lines, from 1.
func lines(text string) (list []string, numbers []int) {
	list = []string{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list, numbers = append(list, line), append(numbers, i+1)
		}
	}
	return list, numbers
}

func (d *dashboard) saveIndexSettings(v *visit) error {
	ix, err := v.settledIndex()
	if err != nil {
		return err
	}
	page := indexSettingsPage{
		indexPage: indexPage{ix, "settings"}, Languages: languages,
		Language: strings.TrimSpace(v.field("language")), Autocomplete: v.field("autocomplete"),
		Synonyms: v.field("synonyms"), StopWords: v.field("stop_words"), Seen: v.field("seen"),
	}
	again := func(err error) error {
		return v.again(err, "index_settings", "Settings of "+ix.Name, "indices", page)
	}
	current, err := d.svc.IndexSettings(v.ctx(), v.app(), ix.Name)
	if err != nil {
		return err
	}
	if seen := seenSettings(current); seen != page.Seen {
		page.Seen = seen
		return again(service.Errorf(service.CodeInvalidRequest,
			"The settings were changed by somebody else in the meantime. Save again to replace them with what is here, or reopen them to see what they are now."))
	}
	fields, fieldLines, faults := propertiesOf("autocomplete.fields", page.Autocomplete)
	words, wordLines := lines(page.StopWords)
	written, synonymLines := lines(page.Synonyms)
	synonyms := []json.RawMessage{}
	for i, line := range written {
		raw, ok := synonymJSON(line)
		if !ok {
			faults = append(faults, service.FieldError{Location: lineOf("synonyms", synonymLines[i]), Message: "looks like JSON, but is not valid JSON", Value: line})
		}
		synonyms = append(synonyms, raw)
	}
	if len(faults) > 0 {
		return again(service.Errorf(service.CodeInvalidRequest, "The settings do not fit; nothing was changed.").With(faults...))
	}
	body := encoded(map[string]any{
		"language": page.Language, "autocomplete": map[string]any{"fields": fields}, "synonyms": synonyms, "stop_words": words,
	})
	if _, err := d.svc.UpdateIndexSettings(v.ctx(), v.app(), ix.Name, body, false); err != nil {
		return again(lineError(err, map[string][]int{"autocomplete.fields": fieldLines, "synonyms": synonymLines, "stop_words": wordLines}))
	}
	return v.redirect("/indices/"+ix.Name+"/settings", "settings-saved")
}

// lineOf returns the location of a line in a list of the form.
func lineOf(list string, number int) string { return list + ", line " + strconv.Itoa(number) }

// lineError replaces the locations in an error about lists by lines of the form: body.synonyms[2] is line 3
// of the synonyms, or a later one if there are blank lines.
func lineError(err error, numbers map[string][]int) error {
	known, ok := errors.AsType[*service.Error](err)
	if !ok {
		return err
	}
	named := *known
	named.Fields = slices.Clone(known.Fields)
	for i, f := range named.Fields {
		list, rest, _ := strings.Cut(strings.TrimPrefix(f.Location, "body."), "[")
		place, _, _ := strings.Cut(rest, "]")
		if at, err := strconv.Atoi(place); err == nil && at >= 0 && at < len(numbers[list]) {
			named.Fields[i].Location = lineOf(strings.ReplaceAll(list, "_", " "), numbers[list][at])
		}
	}
	return &named
}

type settingsPage struct {
	PerPage string
}

func (d *dashboard) editSettings(v *visit) error {
	settings, err := d.svc.ApplicationSettings(v.ctx(), v.app())
	if err != nil {
		return err
	}
	return v.render("settings", "Settings", "settings", settingsPage{strconv.Itoa(settings.PerPage)})
}

func (d *dashboard) saveSettings(v *visit) error {
	page := settingsPage{strings.TrimSpace(v.field("per_page"))}
	perPage, err := strconv.Atoi(page.PerPage)
	if err != nil {
		err = service.Errorf(service.CodeInvalidRequest, "The settings do not fit; nothing was changed.").With(
			service.FieldError{Location: "body.per_page", Message: "must be 0 to 1000", Value: page.PerPage})
	} else {
		// All other settings stay as they are.
		var settings service.ApplicationSettings
		if settings, err = d.svc.ApplicationSettings(v.ctx(), v.app()); err == nil {
			settings.PerPage = perPage
			_, err = d.svc.PutApplicationSettings(v.ctx(), v.app(), settings)
		}
	}
	if err != nil {
		return v.again(err, "settings", "Settings", "settings", page)
	}
	return v.redirect("/settings", "settings-saved")
}
