//! Writing `SDLang`.

use std::fmt::Write as _;

use super::{Tag, Value};

/// The tags as text: each on a line of its own, those inside one a tab further right.
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
        // With a decimal point also where the number is whole.
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
            data_encoding::BASE64.encode_append(bytes, out);
            out.push(']');
        }
        Value::Time(text) => out.push_str(text),
    }
}
