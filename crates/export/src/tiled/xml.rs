//! TMX: the map as XML.

use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};

use quick_xml::escape::escape;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};

use super::model::{
    Content, Layer, Map, Object, Picture, Property, Shape, Tile, Tileset, VERSION, Value,
};

/// Writes a map as TMX and reports what XML cannot represent.
pub(super) fn write(map: &Map<'_>, losses: &mut Vec<String>) -> Vec<u8> {
    let mut xml = Xml {
        out: Writer::new_with_indent(Vec::new(), b' ', 1),
        has_replaced: false,
    };
    let written = xml.map(map);
    debug_assert!(written.is_ok(), "memory takes all that is written");
    if xml.has_replaced {
        let text =
            "Control characters in texts are replaced by U+FFFD, because XML does not allow them.";
        losses.push(text.to_owned());
    }
    let mut bytes = xml.out.into_inner();
    bytes.push(b'\n');
    bytes
}

/// `true` if a file is a Tiled map: its root element is `map` with an orientation.
pub(super) fn is_map(bytes: &[u8]) -> bool {
    let mut reader = Reader::from_reader(bytes);
    loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                let orientation = root.try_get_attribute("orientation");
                return root.name().as_ref() == b"map" && matches!(orientation, Ok(Some(_)));
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// `true` if XML can represent a character (XML 1.0, section 2.2).
fn is_in_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Escapes text for an attribute value. Line ends and tabs become character references, because
/// readers would turn them into spaces; characters that XML cannot represent become U+FFFD.
fn in_attribute(text: &str) -> String {
    let known: String = text
        .chars()
        .map(|c| {
            if is_in_xml(c) {
                c
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect();
    let escaped = escape(&*known);
    let numbered = ['\t', '\n', '\r'];
    if !escaped.contains(numbered) {
        return escaped.into_owned();
    }
    let mut text = String::with_capacity(escaped.len() + 16);
    for c in escaped.chars() {
        if numbered.contains(&c) {
            let _infallible = write!(text, "&#{};", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// The attributes of an element.
type Attributes<'a> = [(&'static str, &'a dyn Display)];

struct Xml {
    out: Writer<Vec<u8>>,
    /// `true` if a text contained characters that XML cannot represent.
    has_replaced: bool,
}

impl Xml {
    fn begin<'n>(&mut self, name: &'n str, attributes: &Attributes<'_>) -> BytesStart<'n> {
        let mut start = BytesStart::new(name);
        for (key, value) in attributes {
            let value = value.to_string();
            self.has_replaced |= !value.chars().all(is_in_xml);
            let value = in_attribute(&value);
            // The bytes are already escaped.
            start.push_attribute((key.as_bytes(), value.as_bytes()));
        }
        start
    }

    /// Writes an empty element.
    fn empty(&mut self, name: &str, attributes: &Attributes<'_>) -> io::Result<()> {
        let tag = self.begin(name, attributes);
        self.out.write_event(Event::Empty(tag))
    }

    /// Writes an element with its content.
    fn element(
        &mut self,
        name: &str,
        attributes: &Attributes<'_>,
        inner: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let tag = self.begin(name, attributes);
        self.out.write_event(Event::Start(tag))?;
        inner(self)?;
        self.out.write_event(Event::End(BytesEnd::new(name)))
    }

    fn map(&mut self, map: &Map<'_>) -> io::Result<()> {
        self.out
            .write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let next_layer = map.layers.len() + 1;
        let attributes: &Attributes<'_> = &[
            ("version", &VERSION),
            ("orientation", &"orthogonal"),
            ("renderorder", &"right-down"),
            ("width", &map.size[0]),
            ("height", &map.size[1]),
            ("tilewidth", &map.tile_size[0]),
            ("tileheight", &map.tile_size[1]),
            ("infinite", &0),
            ("nextlayerid", &next_layer),
            ("nextobjectid", &map.next_object),
        ];
        self.element("map", attributes, |xml| {
            xml.properties(&map.properties)?;
            for tileset in &map.tilesets {
                xml.tileset(tileset)?;
            }
            for (id, layer) in (1..).zip(&map.layers) {
                xml.layer(map.size, id, layer)?;
            }
            Ok(())
        })
    }

    fn properties(&mut self, properties: &[Property]) -> io::Result<()> {
        if properties.is_empty() {
            return Ok(());
        }
        self.element("properties", &[], |xml| {
            for Property { name, value } in properties {
                match value {
                    Value::Text(text) => {
                        xml.empty("property", &[("name", name), ("value", text)])?;
                    }
                    Value::Whole(number) => {
                        xml.empty(
                            "property",
                            &[("name", name), ("type", &"int"), ("value", number)],
                        )?;
                    }
                    Value::Flag(is_so) => {
                        xml.empty(
                            "property",
                            &[("name", name), ("type", &"bool"), ("value", is_so)],
                        )?;
                    }
                }
            }
            Ok(())
        })
    }

    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let [width, height] = &picture.size;
        self.empty(
            "image",
            &[
                ("source", &picture.file),
                ("width", width),
                ("height", height),
            ],
        )
    }

    fn tileset(&mut self, tileset: &Tileset) -> io::Result<()> {
        let attributes: &Attributes<'_> = &[
            ("firstgid", &tileset.first_gid),
            ("name", &tileset.name),
            ("tilewidth", &tileset.tile_size[0]),
            ("tileheight", &tileset.tile_size[1]),
            ("tilecount", &tileset.tile_count),
            ("columns", &tileset.columns),
        ];
        self.element("tileset", attributes, |xml| {
            if let Some(sheet) = &tileset.sheet {
                xml.picture(sheet)?;
            }
            for tile in &tileset.tiles {
                xml.tile(tile)?;
            }
            Ok(())
        })
    }

    fn tile(&mut self, tile: &Tile) -> io::Result<()> {
        self.element("tile", &[("id", &tile.id)], |xml| {
            xml.properties(&tile.properties)?;
            if let Some(picture) = &tile.picture {
                xml.picture(picture)?;
            }
            if tile.frames.is_empty() {
                return Ok(());
            }
            xml.element("animation", &[], |xml| {
                for [id, duration] in &tile.frames {
                    xml.empty("frame", &[("tileid", id), ("duration", duration)])?;
                }
                Ok(())
            })
        })
    }

    fn layer(&mut self, size: [u32; 2], id: usize, layer: &Layer<'_>) -> io::Result<()> {
        let mut attributes: Vec<(&'static str, &dyn Display)> =
            vec![("id", &id), ("name", &layer.name)];
        let name = match layer.content {
            Content::Tiles(_) => {
                attributes.extend([("width", &size[0] as &dyn Display), ("height", &size[1])]);
                "layer"
            }
            Content::Objects(_) => {
                attributes.push(("draworder", &"index"));
                "objectgroup"
            }
        };
        if !layer.is_visible {
            attributes.push(("visible", &0));
        }
        if layer.opacity != 1.0 {
            attributes.push(("opacity", &layer.opacity));
        }
        for (axis, key) in ["offsetx", "offsety"].into_iter().enumerate() {
            if layer.offset[axis] != 0.0 {
                attributes.push((key, &layer.offset[axis]));
            }
        }
        for (axis, key) in ["parallaxx", "parallaxy"].into_iter().enumerate() {
            if layer.parallax[axis] != 1.0 {
                attributes.push((key, &layer.parallax[axis]));
            }
        }
        self.element(name, &attributes, |xml| {
            xml.properties(&layer.properties)?;
            match &layer.content {
                Content::Tiles(cells) => xml.element("data", &[("encoding", &"csv")], |xml| {
                    let out = xml.out.get_mut();
                    for y in 0..size[1] {
                        for x in 0..size[0] {
                            let separator: &[u8] = match [x, y] {
                                [0, 0] => b"\n",
                                [0, _] => b",\n",
                                _ => b",",
                            };
                            out.extend(separator);
                            write!(out, "{}", cells.gid([x, y]))?;
                        }
                    }
                    Ok(())
                }),
                Content::Objects(objects) => {
                    objects.iter().try_for_each(|object| xml.object(object))
                }
            }
        })
    }

    fn object(&mut self, object: &Object) -> io::Result<()> {
        let mut attributes: Vec<(&'static str, &dyn Display)> = vec![
            ("id", &object.id),
            ("name", &object.name),
            ("type", &object.class),
        ];
        if let Shape::Tile(gid) = &object.shape {
            attributes.push(("gid", gid));
        }
        attributes.extend([("x", &object.at[0] as &dyn Display), ("y", &object.at[1])]);
        if matches!(object.shape, Shape::Rectangle | Shape::Tile(_)) {
            attributes.extend([
                ("width", &object.size[0] as &dyn Display),
                ("height", &object.size[1]),
            ]);
        }
        self.element("object", &attributes, |xml| {
            xml.properties(&object.properties)?;
            match &object.shape {
                Shape::Rectangle | Shape::Tile(_) => Ok(()),
                Shape::Point => xml.empty("point", &[]),
                Shape::Line(corners) => {
                    let corners = corners.iter().map(|[x, y]| format!("{x},{y}"));
                    let points = corners.collect::<Vec<_>>().join(" ");
                    xml.empty("polyline", &[("points", &points)])
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_say_is_replaced() {
        let text = "a\"b'<c>&\n\t\r\u{1}\u{ffff}\u{1f600}";
        let expected = "a&quot;b&apos;&lt;c&gt;&amp;&#10;&#9;&#13;\u{fffd}\u{fffd}\u{1f600}";
        assert_eq!(in_attribute(text), expected);
    }
}
