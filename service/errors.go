package service

import (
	"errors"
	"fmt"
	"time"
)

// Code is the stable identifier of an error, the same over every interface.
type Code string

// The codes. docs/errors.md explains each; a test compares the two.
const (
	CodeMalformedRequest     Code = "malformed_request"
	CodeHeadersTooLarge      Code = "headers_too_large"
	CodeInvalidJSON          Code = "invalid_json"
	CodeUnauthorized         Code = "unauthorized"
	CodeKeyNotAllowed        Code = "key_not_allowed"
	CodeWrongApplication     Code = "wrong_application"
	CodeMisdirected          Code = "misdirected_request"
	CodeIndexNotFound        Code = "index_not_found"
	CodeDocumentNotFound     Code = "document_not_found"
	CodeSearchNotFound       Code = "search_not_found"
	CodeKeyNotFound          Code = "key_not_found"
	CodeApplicationNotFound  Code = "application_not_found"
	CodeRouteNotFound        Code = "route_not_found"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeIndexExists          Code = "index_exists"
	CodeApplicationExists    Code = "application_exists"
	CodeNameTaken            Code = "name_taken"
	CodeMappingConflict      Code = "mapping_conflict"
	CodeIndexInUse           Code = "index_in_use"
	CodeLastAdminKey         Code = "last_admin_key"
	CodeTooLarge             Code = "too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeInvalidRequest       Code = "invalid_request"
	CodeInvalidDocument      Code = "invalid_document"
	CodeInvalidFilter        Code = "invalid_filter"
	CodeInvalidSort          Code = "invalid_sort"
	CodeInvalidFacets        Code = "invalid_facets"
	CodeInvalidMapping       Code = "invalid_mapping"
	CodeTooManyRequests      Code = "too_many_requests"
	CodeUnavailable          Code = "unavailable"
	CodeSearchTimeout        Code = "search_timeout"
	CodeInternal             Code = "internal"
)

// Codes lists every code, in the order of the documentation.
var Codes = []Code{
	CodeMalformedRequest, CodeHeadersTooLarge, CodeInvalidJSON, CodeUnauthorized, CodeKeyNotAllowed, CodeWrongApplication, CodeMisdirected,
	CodeIndexNotFound, CodeDocumentNotFound, CodeSearchNotFound, CodeKeyNotFound, CodeApplicationNotFound,
	CodeRouteNotFound, CodeMethodNotAllowed, CodeIndexExists, CodeApplicationExists, CodeNameTaken,
	CodeMappingConflict, CodeIndexInUse, CodeLastAdminKey, CodeTooLarge, CodeUnsupportedMediaType, CodeInvalidRequest,
	CodeInvalidDocument, CodeInvalidFilter, CodeInvalidSort, CodeInvalidFacets, CodeInvalidMapping,
	CodeTooManyRequests, CodeUnavailable, CodeSearchTimeout, CodeInternal,
}

// FieldError is one fault in what a client sent.
type FieldError struct {
	// Location points at the value: body[17].body.price, query.filter, path.index.
	Location string
	Message  string
	// Value is what stood there, or nil. The transport cuts it to 200 characters.
	Value any
}

// Error is every error that a client may see. Detail and Fields are shown to it, the cause never.
type Error struct {
	Code   Code
	Detail string
	Fields []FieldError
	// RetryAfter is set if trying again later may help.
	RetryAfter time.Duration
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Unwrap returns the cause, which is for logs only.
func (e *Error) Unwrap() error { return e.cause }

// Errorf makes an error with a detail for the client.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// With adds the faults and returns e.
func (e *Error) With(fields ...FieldError) *Error {
	e.Fields = append(e.Fields, fields...)
	return e
}

// Because records the cause, for logs, and returns e.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// ErrorCode returns the code of err: that of the Error in its chain, internal for any other error and
// "" for nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
