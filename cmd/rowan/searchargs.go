package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// parse reads arguments as kong does, except for those of search: there, what begins with one hyphen is not a flag, but a
// word to exclude (-hawking), or the value of the flag before it (--sort -year).
func parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	if len(args) > 0 && args[0] == "search" {
		var err error
		if args, err = searchArguments(parser, args); err != nil {
			return nil, err
		}
	}
	return parser.Parse(args)
}

// searchArguments moves the words of a search behind "--", after which kong takes them as they are.
func searchArguments(parser *kong.Kong, args []string) ([]string, error) {
	takesValue := map[string]bool{} // for every flag
	for _, command := range parser.Model.Children {
		if command.Name == "search" {
			for _, group := range command.AllFlags(false) {
				for _, flag := range group {
					takesValue[flag.Name] = !flag.IsBool()
				}
			}
		}
	}
	flags, words := []string{args[0]}, []string{"--"}
	for i := 1; i < len(args); i++ {
		arg := args[i]
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		_, isFlag := takesValue[name]
		switch {
		case arg == "--":
			return append(append(flags, words...), args[i+1:]...), nil
		case arg == "-h":
			flags = append(flags, arg)
		case strings.HasPrefix(arg, "--"):
			if takesValue[name] && !hasValue {
				if i++; i == len(args) || strings.HasPrefix(args[i], "--") {
					return nil, fmt.Errorf("%s needs a value: %s=…", arg, arg)
				}
				arg += "=" + args[i]
			}
			flags = append(flags, arg)
		case strings.HasPrefix(arg, "-") && isFlag:
			return nil, fmt.Errorf("%s: write -%s for the flag, or -- before the query to exclude the word", arg, arg)
		default:
			words = append(words, arg)
		}
	}
	return append(flags, words...), nil
}
