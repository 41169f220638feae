//! Writer of `SDLang`.

use std::fmt::Write as _;

use super::{Tag, Value};
use crate::base64;

/// Formats tags as text, one per line, with children indented by a tab.
pub fn write(tags: &[Tag]) -> String {
    let mut out = String::new();
    for tag in tags {
        write_tag(tag, 0, &mut out);
    }
    out
}

fn write_tag(tag: &Tag, depth: usize, out: &mut String) {
    let indent = |out: &mut String| out.extend(std::iter::repeat_n('\t', depth));
    indent(out);
    let start = out.len();
    write_name(&tag.namespace, &tag.name, out);
    let space = |out: &mut String| {
        if out.len() > start {
            out.push(' ');
        }
    };
    for value in &tag.values {
        space(out);
        write_value(value, out);
    }
    for attribute in &tag.attributes {
        space(out);
        write_name(&attribute.namespace, &attribute.name, out);
        out.push('=');
        write_value(&attribute.value, out);
    }
    if !tag.children.is_empty() {
        space(out);
        out.push_str("{\n");
        for child in &tag.children {
            write_tag(child, depth + 1, out);
        }
        indent(out);
        out.push('}');
    }
    out.push('\n');
}

fn write_name(namespace: &str, name: &str, out: &mut String) {
    if !namespace.is_empty() {
        out.push_str(namespace);
        out.push(':');
    }
    out.push_str(name);
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Integer(number) => {
            let suffix = if i32::try_from(*number).is_ok() {
                ""
            } else {
                "L"
            };
            // Writing to a string does not fail.
            let _ = write!(out, "{number}{suffix}");
        }
        Value::Float(number) if number.is_nan() => out.push_str("NaN"),
        Value::Float(number) if number.is_infinite() => {
            out.push_str(if *number > 0.0 { "inf+" } else { "inf-" });
        }
        // Debug format: keeps the decimal point of whole numbers.
        Value::Float(number) => {
            let _ = write!(out, "{number:?}D");
        }
        Value::Text(text) => {
            out.push('"');
            for c in text.chars() {
                match c {
                    '\n' => out.push_str("\\n"),
                    '\t' => out.push_str("\\t"),
                    '\r' => out.push_str("\\r"),
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    other => out.push(other),
                }
            }
            out.push('"');
        }
        Value::Binary(bytes) => {
            out.push('[');
            out.push_str(&base64::encode(bytes));
            out.push(']');
        }
        Value::Time(text) => out.push_str(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problems;
    use crate::ppe::sdlang::{At, Attribute, read};

    fn without_places(tags: &mut [Tag]) {
        for tag in tags {
            tag.at = At::default();
            without_places(&mut tag.children);
        }
    }

    #[test]
    fn tags_come_back() {
        let mut tag = Tag::new(
            "Layer",
            "Tile",
            [
                "a \"quoted\" name\n\twith \\ and `".into(),
                Value::Integer(-5),
                Value::Integer(1 << 40),
                Value::Float(0.1),
                Value::Float(-1e300),
                Value::Float(2.0),
                Value::Null,
                Value::Bool(true),
                Value::Bool(false),
                Value::Binary((0..=255).collect()),
                Value::Binary(Vec::new()),
                Value::Time("2025/04/14".to_owned()),
                Value::Time("2d:12:14:34.123".to_owned()),
                "".into(),
            ],
        );
        tag.attributes = ["", "ns"]
            .map(|namespace| Attribute {
                namespace: namespace.to_owned(),
                name: "key-1".to_owned(),
                value: Value::Integer(7),
            })
            .to_vec();
        tag.children = vec![
            Tag::new("", "Inner", []),
            Tag::new("", "", [1.into(), "Käse".into()]),
        ];
        tag.children[0].children.push(Tag::new("", "deep", []));
        let tags = [tag, Tag::new("", "Close", [])];
        let text = write(&tags);
        let (read, problems) = read(text.as_bytes(), Problems::new);
        let mut again = read.tags;
        without_places(&mut again);
        assert_eq!(again, tags, "{text}");
        assert_eq!(problems.finish(), []);
    }

    #[test]
    fn each_tag_has_its_line() {
        let mut layer = Tag::new("Layer", "Sprite", ["things".into(), 16.into()]);
        let mut gate = Tag::new("Object", "Box", ["gate".into(), 1.into()]);
        gate.children.push(Tag::new("", "ToCollision", []));
        layer.children.push(gate);
        assert_eq!(
            write(&[layer]),
            "Layer:Sprite \"things\" 16 {\n\tObject:Box \"gate\" 1 {\n\t\tToCollision\n\t}\n}\n"
        );
    }
}
