package store_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

func TestSmoke(t *testing.T) {
	db := storetest.New(t)
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{})
	var ms []mapping.Mapping
	for _, ty := range mapping.Types {
		ms = append(ms, mapping.Mapping{Name: "f_" + string(ty), Type: ty})
	}
	ms = append(ms, mapping.Mapping{Name: "author.name", Type: mapping.Name}, mapping.Mapping{Name: "ctid", Type: mapping.Keyword}, mapping.Mapping{Name: "select", Type: mapping.Text})
	if err := svc.CreateIndex(ctx, "demo", "films", ms); err != nil {
		t.Fatal(err)
	}
	d, err := svc.UpsertDocument(ctx, "demo", "films", "1", []byte(`{"f_name":"Émile","f_int":3,"f_price":[1.10,2],"f_date":"2024-05-01","f_path":"/a/b","f_category":"A > B","f_tags":["Red","red","blue"],"author":{"name":"x"},"other":"hello world"}`))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(d)
	t.Log(string(b))
	ix, err := svc.UpdateIndex(ctx, "demo", "films", []mapping.Mapping{{Name: "other", Type: mapping.Sentence}}, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(ix.Version)
	res, err := svc.WriteBatch(ctx, "demo", "films", []byte(`[{"action":"patch","_id":"1","body":{"f_int":4}},{"action":"delete","_id":"nope"},{"action":"create","body":{"f_name":"new"}}]`))
	t.Log(res, err)
}
