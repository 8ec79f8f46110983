package analysis_test

import (
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestChineseSpellings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"电脑":      {"电腦", "電脑", "電腦"},
		"電腦":      {"电脑", "电腦", "電脑"},
		"国":       {"國"},
		"台湾":      {"台灣", "臺湾", "臺灣", "檯湾", "檯灣", "颱湾", "颱灣"},
		"臺灣":      {"台湾", "台灣", "臺湾", "檯湾", "檯灣", "颱湾", "颱灣"},
		"我们":      {"我們"},
		"今天":      nil,
		"东京 大学":   {"東京 大學"},
		"國家图书馆":   {"国家图书馆", "國家圖書館"},
		"头发长":     {"頭發長"}, // which is 髮 there, as a pair has it
		"苧":       {"薴"},   // also what 苎 stands for
		"㐷":       {"傌"},
		"电脑X":     {"電腦x"},
		"カタカナ":    nil,
		"LG 전자 x": nil,
		"":        nil,
	} {
		if got := analysis.ChineseSpellings(text); !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if got := analysis.ChineseSpellings("发台"); len(got) != 8 {
		t.Errorf("发台 is %q, want eight of eleven", got)
	}
	if got := analysis.ChineseSpellings("头发"); !slices.Contains(got, "頭髮") {
		t.Errorf("头发 is %q", got)
	}
}
