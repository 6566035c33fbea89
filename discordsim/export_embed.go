package discordsim

import (
	"strconv"
	"strings"
)

// exportedEmbed is an embed of an export: the names of its fields are not those of Discord.
type exportedEmbed struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Timestamp   string `json:"timestamp"`
	Description string `json:"description"`
	Color       string `json:"color"`
	Author      *struct {
		Name    string `json:"name"`
		URL     string `json:"url"`
		IconURL string `json:"iconUrl"`
	} `json:"author"`
	Footer *struct {
		Text    string `json:"text"`
		IconURL string `json:"iconUrl"`
	} `json:"footer"`
	Thumbnail *exportedImage  `json:"thumbnail"`
	Image     *exportedImage  `json:"image"`
	Images    []exportedImage `json:"images"`
	Video     *exportedImage  `json:"video"`
	Fields    []struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Inline bool   `json:"isInline"`
	} `json:"fields"`
}

type exportedImage struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func (i exportedImage) body() object {
	return object{"url": i.URL, "proxy_url": i.URL, "width": i.Width, "height": i.Height}
}

// body is the embed as Discord has it.
func (e exportedEmbed) body() any {
	b := object{"type": "rich"}
	for key, text := range map[string]string{"title": e.Title, "url": e.URL, "timestamp": e.Timestamp, "description": e.Description} {
		if text != "" {
			b[key] = text
		}
	}
	if color, err := strconv.ParseUint(strings.TrimPrefix(e.Color, "#"), 16, 32); err == nil {
		b["color"] = color
	}
	if a := e.Author; a != nil {
		b["author"] = object{"name": a.Name, "url": orNull(a.URL), "icon_url": orNull(a.IconURL)}
	}
	if f := e.Footer; f != nil {
		b["footer"] = object{"text": f.Text, "icon_url": orNull(f.IconURL)}
	}
	if e.Image == nil && len(e.Images) > 0 {
		e.Image = &e.Images[0]
	}
	for key, image := range map[string]*exportedImage{"thumbnail": e.Thumbnail, "image": e.Image, "video": e.Video} {
		if image != nil {
			b[key] = image.body()
		}
	}
	var fields []object
	for _, f := range e.Fields {
		fields = append(fields, object{"name": f.Name, "value": f.Value, "inline": f.Inline})
	}
	if fields != nil {
		b["fields"] = fields
	}
	return b
}

func embedBodies(list []exportedEmbed) []any {
	var bodies []any
	for _, e := range list {
		bodies = append(bodies, e.body())
	}
	return bodies
}

func fileBodies(list []exportedFile) []object {
	var bodies []object
	for _, f := range list {
		bodies = append(bodies, object{"id": f.ID, "filename": f.Name, "size": f.Size, "url": f.URL, "proxy_url": f.URL,
			"content_type": "application/octet-stream"})
	}
	return bodies
}

// stickerFormats are the numbers of sticker formats.
var stickerFormats = map[string]int{"Png": 1, "Apng": 2, "Lottie": 3, "Gif": 4}

func stickerBodies(list []exportedSticker) []object {
	var bodies []object
	for _, e := range list {
		bodies = append(bodies, object{"id": e.ID, "name": e.Name, "format_type": stickerFormats[e.Format]})
	}
	return bodies
}
