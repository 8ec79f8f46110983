package dashboard

import (
	"net/http"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service"
)

type keyRow struct {
	service.Key
	// Own reports whether it is the key of this session.
	Own, Expired bool
}

type keysPage struct {
	Keys []keyRow
	Form keyForm
}

type keyForm struct {
	Type, Description, Expires, Indices, Filter string
}

func (v *visit) keys() ([]keyRow, error) {
	list, err := v.d.svc.Keys(v.ctx(), v.app())
	if err != nil {
		return nil, err
	}
	rows := make([]keyRow, len(list))
	for i, k := range list {
		rows[i] = keyRow{Key: k, Own: k.ID == v.who.KeyID, Expired: k.ExpiresAt != nil && !k.ExpiresAt.After(time.Now())}
	}
	return rows, nil
}

func (d *dashboard) listKeys(v *visit) error {
	rows, err := v.keys()
	if err != nil {
		return err
	}
	return v.render("keys", "API keys", "keys", keysPage{rows, keyForm{Type: string(service.SearchKey)}})
}

// keyShown is a key with its secret, which is shown this once.
type keyShown struct {
	service.Key
	Secret string
	// Action is create or reset.
	Action string
}

func (d *dashboard) createKey(v *visit) error {
	form := keyForm{Type: v.field("type"), Description: strings.TrimSpace(v.field("description")), Expires: strings.TrimSpace(v.field("expires")),
		Indices: v.field("indices"), Filter: strings.TrimSpace(v.field("filter"))}
	wanted := service.NewKey{Application: v.app(), Type: service.KeyType(form.Type), Description: form.Description, Filter: form.Filter,
		Indices: strings.FieldsFunc(form.Indices, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })}
	if len(wanted.Indices) == 0 && form.Indices != "" {
		wanted.Indices = []string{form.Indices} // only commas: no index, but must not mean all
	}
	if form.Expires != "" {
		expires := form.Expires
		if _, err := time.Parse(time.DateOnly, expires); err == nil {
			expires += "T00:00:00Z"
		}
		wanted.ExpiresAt = &expires
	}
	key, secret, err := d.svc.CreateKey(v.ctx(), wanted)
	if err != nil {
		rows, listErr := v.keys()
		if listErr != nil {
			return listErr
		}
		return v.again(err, "keys", "API keys", "keys", keysPage{rows, form})
	}
	// No redirect: only this answer has the secret.
	return v.render("key_shown", "The new key", "keys", keyShown{key, secret, "create"})
}

func (v *visit) key() (keyRow, error) {
	rows, err := v.keys()
	if err != nil {
		return keyRow{}, err
	}
	for _, k := range rows {
		if k.ID == v.r.PathValue("id") {
			return k, nil
		}
	}
	return keyRow{}, service.Errorf(service.CodeKeyNotFound, "There is no such key. It may have been deleted in the meantime.")
}

type keyConfirmation struct {
	Key    keyRow
	Action string // reset or delete
}

func (d *dashboard) confirmReset(v *visit) error     { return v.confirmKey("Reset the key", "reset") }
func (d *dashboard) confirmDeleteKey(v *visit) error { return v.confirmKey("Delete the key", "delete") }

func (v *visit) confirmKey(title, action string) error {
	key, err := v.key()
	if err != nil {
		return err
	}
	return v.render("key_confirm", title, "keys", keyConfirmation{key, action})
}

func (d *dashboard) resetKey(v *visit) error {
	key, secret, err := d.svc.ResetKey(v.ctx(), v.app(), v.r.PathValue("id"))
	if err != nil {
		return err
	}
	if key.ID == v.who.KeyID {
		// The session was based on the old secret, so it continues with the new one.
		session, token, err := d.svc.SignIn(v.ctx(), v.app(), secret, d.cfg.SessionLife)
		if err == nil {
			setCookie(v.w, v.r, sessionCookie, token, session.Left)
			v.csrf = formToken(token)
		}
	}
	return v.render("key_shown", "The key after its reset", "keys", keyShown{key, secret, "reset"})
}

func (d *dashboard) deleteKey(v *visit) error {
	id := v.r.PathValue("id")
	if err := d.svc.DeleteKey(v.ctx(), v.app(), id); err != nil {
		key, missing := v.key()
		if missing != nil {
			return missing
		}
		return v.again(err, "key_confirm", "Delete the key", "keys", keyConfirmation{key, "delete"})
	}
	if id == v.who.KeyID {
		setCookie(v.w, v.r, sessionCookie, "", 0)
		http.Redirect(v.w, v.r, root+"/sign-in", http.StatusSeeOther)
		return nil
	}
	return v.redirect("/keys", "key-deleted")
}
