package dashboard

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// definitionForm is a defined search as it is written in a form.
type definitionForm struct {
	Name, Index, Fields, Facets, Filter, Sort, Match, PerPage string
	Typos                                                     bool
}

func (v *visit) definitionForm() definitionForm {
	return definitionForm{
		Name: strings.TrimSpace(v.field("name")), Index: strings.TrimSpace(v.field("index")), Fields: v.field("fields"), Facets: v.field("facets"),
		Filter: strings.TrimSpace(v.field("filter")), Sort: strings.TrimSpace(v.field("sort")), Match: v.field("match"),
		PerPage: strings.TrimSpace(v.field("per_page")), Typos: v.field("typo_tolerance") != "",
	}
}

func formOf(def service.SearchDefinition) definitionForm {
	form := definitionForm{Name: def.Name, Index: def.Index, Filter: filterText(def.Filter), Sort: def.Sort, Match: string(def.Match),
		Typos: def.TypoTolerance == nil || *def.TypoTolerance}
	if def.PerPage != nil {
		form.PerPage = strconv.Itoa(*def.PerPage)
	}
	var fields []string
	for name, weight := range def.Fields {
		fields = append(fields, propertyLine(name)+": "+strconv.FormatFloat(weight, 'f', -1, 64))
	}
	slices.Sort(fields)
	form.Fields, form.Facets = strings.Join(fields, "\n"), propertyLines(def.Facets)
	return form
}

// definition reads the form. It leaves to service whatever service checks.
func (f definitionForm) definition() (service.SearchDefinition, error) {
	def := service.SearchDefinition{Name: f.Name, Index: f.Index, Sort: f.Sort, Match: service.Match(f.Match)}
	fault := service.Errorf(service.CodeInvalidRequest, "The search does not fit; nothing was stored.")
	if f.PerPage != "" {
		n, err := strconv.Atoi(f.PerPage)
		if err != nil {
			fault.With(service.FieldError{Location: "body.per_page", Message: "must be 0 to 1000", Value: f.PerPage})
		}
		def.PerPage = &n
	}
	if !f.Typos {
		def.TypoTolerance = new(bool)
	}
	def.Filter = filterJSON(f.Filter)
	written, numbers := lines(f.Fields)
	def.Fields = make(map[string]float64, len(written))
	for i, line := range written {
		name, weight, message := fieldOf(line)
		if _, twice := def.Fields[name]; twice && message == "" {
			message = "is listed twice"
		}
		if message != "" {
			fault.With(service.FieldError{Location: lineOf("fields", numbers[i]), Message: message, Value: line})
		}
		def.Fields[name] = weight
	}
	var faults []service.FieldError
	def.Facets, _, faults = propertiesOf("facets", f.Facets)
	if fault.With(faults...); len(fault.Fields) > 0 {
		return def, fault
	}
	return def, nil
}

// atFields replaces the locations in an error about a definition by the fields of the form and their lines.
func (f definitionForm) atFields(err error) error {
	known, ok := errors.AsType[*service.Error](err)
	if !ok {
		return err
	}
	_, facetLines := lines(f.Facets)
	if known, ok = errors.AsType[*service.Error](lineError(known, map[string][]int{"facets": facetLines})); !ok {
		return err
	}
	if known.Code == service.CodeNameTaken && len(known.Fields) == 0 {
		known.With(service.FieldError{Location: "body.name", Message: "is taken", Value: f.Name})
	}
	written, fieldLines := lines(f.Fields)
	for i, fault := range known.Fields {
		if fault.Location == "path.search" {
			known.Fields[i].Location = "body.name"
		}
		for n, line := range written {
			name, _, _ := fieldOf(line)
			if fault.Location == "body.fields."+name {
				known.Fields[i].Location = lineOf("fields", fieldLines[n])
			}
		}
	}
	return known
}

// propertyLine writes the name of a property on a line of its own, as JSON if it cannot be written plainly.
func propertyLine(name string) string {
	if name == strings.TrimSpace(name) && !strings.ContainsAny(name, "\n\r:") && !strings.HasPrefix(name, `"`) && name != "" {
		return name
	}
	return string(encoded(name))
}

// propertyLines writes names of properties, one per line.
func propertyLines(names []string) string {
	written := make([]string, len(names))
	for i, name := range names {
		written[i] = propertyLine(name)
	}
	return strings.Join(written, "\n")
}

// propertiesOf reads what propertyLines writes. numbers are the numbers of the lines, from 1, and faults are the lines that are
// not the name of a property. list is the name of the form's field.
func propertiesOf(list, text string) (names []string, numbers []int, faults []service.FieldError) {
	written, numbers := lines(text)
	for i, line := range written {
		name, ok := propertyOf(line)
		if !ok {
			faults = append(faults, service.FieldError{Location: lineOf(list, numbers[i]), Message: "looks like JSON, but is not valid JSON", Value: line})
		}
		names = append(names, name)
	}
	return names, numbers, faults
}

// propertyOf reads what propertyLine writes.
func propertyOf(line string) (name string, ok bool) {
	if !strings.HasPrefix(line, `"`) {
		return line, true
	}
	return name, json.Unmarshal([]byte(line), &name) == nil
}

// fieldOf reads a line such as "title: 3"; a missing weight is 1. message describes what is wrong with the line, if anything.
func fieldOf(line string) (name string, weight float64, message string) {
	weight = 1
	if at := strings.LastIndexByte(line, ':'); at >= 0 && !(strings.HasPrefix(line, `"`) && strings.HasSuffix(line, `"`)) {
		var err error
		if weight, err = strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64); err != nil {
			return line, 1, "must be a property, a colon and a number, such as title: 3"
		}
		line = strings.TrimSpace(line[:at])
	}
	name, ok := propertyOf(line)
	if !ok {
		return line, weight, "looks like JSON, but is not valid JSON"
	}
	return name, weight, ""
}

// filterText returns a filter as people write it: an expression, or an object as JSON.
func filterText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// filterJSON reads what filterText writes; nil if there is no filter.
func filterJSON(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	if strings.HasPrefix(text, "{") {
		return json.RawMessage(text)
	}
	return encoded(text)
}
