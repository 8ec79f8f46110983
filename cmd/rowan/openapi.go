package main

import (
	"errors"

	"github.com/rowansearch/rowan/openapi"
)

type openapiCommand struct {
	Format string `enum:"json,yaml" default:"json" help:"json or yaml (${default})."`
	Spec   string `enum:"3.1,3.0" default:"3.1" help:"Version of OpenAPI: 3.1, or 3.0 (JSON only) for tools that do not know 3.1 (${default})."`
}

// Validate refuses a format that does not exist.
func (c *openapiCommand) Validate() error {
	if c.Spec == "3.0" && c.Format == "yaml" {
		return errors.New("the OpenAPI 3.0 document is available only as JSON: omit --format yaml")
	}
	return nil
}

// Run prints the OpenAPI document as the service serves it.
func (c *openapiCommand) Run(term terminal) error {
	document := openapi.JSON
	switch {
	case c.Spec == "3.0":
		document = openapi.JSON30
	case c.Format == "yaml":
		document = openapi.YAML
	}
	_, err := term.out.Write(document)
	return err
}
