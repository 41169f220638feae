//! The publisher of packages, as entered in a table of `Cargo.toml`.

use serde_json::Value;

use crate::Failure;

/// The publisher's details, from the table `workspace.metadata.publisher`. An empty entry is
/// replaced by a reserved name: such packages can be built and tested, but must not be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publisher {
    /// Name and address of the contact for the package, in Debian's notation.
    pub maintainer: String,
    /// The `AppStream` id of the program: a domain of the publisher in reverse order, and the
    /// program's name.
    pub component_id: String,
    /// The program's web page, if it has one.
    pub homepage: Option<String>,
    /// The keys without an entry.
    missing: Vec<&'static str>,
}

impl Publisher {
    /// Reads the publisher from the output of `cargo metadata`.
    ///
    /// # Errors
    /// If an entry would be rejected by a validator.
    pub fn of(metadata: &Value) -> Result<Self, Failure> {
        let mut missing = Vec::new();
        let mut filled_in = |key: &'static str, is_valid: fn(&str) -> bool, expected: &str| {
            let value = &metadata["metadata"]["publisher"][key];
            match value.as_str().unwrap_or_default() {
                "" => {
                    missing.push(key);
                    Ok(None)
                }
                text if is_valid(text) => Ok(Some(text.to_owned())),
                text => Err(format!(
                    "{key} = \"{text}\" of {TABLE} in Cargo.toml: expected {expected}"
                )),
            }
        };
        let maintainer = filled_in(
            "maintainer",
            is_address,
            "a name with an address, such as Jo Doe <jo@doe.org>",
        )?;
        let component_id = filled_in(
            "component-id",
            is_component_id,
            "a reversed domain and a name, such as org.doe.mapscope",
        )?;
        let homepage = filled_in("homepage", is_page, "an address that begins with https://")?;
        // Reserved domains that lead nowhere (RFC 2606).
        let reserved = |name: &str| name.to_owned();
        Ok(Self {
            maintainer: maintainer
                .unwrap_or_else(|| reserved("The Mapscope authors <nobody@mapscope.invalid>")),
            component_id: component_id.unwrap_or_else(|| reserved("org.example.mapscope")),
            homepage,
            missing,
        })
    }

    /// Checks that all entries are filled in.
    ///
    /// # Errors
    /// If any are missing; the error lists them.
    pub fn check_complete(&self) -> Result<(), Failure> {
        if self.missing.is_empty() {
            return Ok(());
        }
        let missing = self.missing.join(", ");
        Err(format!("to publish packages, fill in {TABLE} in Cargo.toml: {missing}").into())
    }

    /// The publisher's lines in the control file of a Debian package.
    pub fn control_fields(&self) -> String {
        let homepage = self.homepage.as_ref();
        let homepage = homepage.map(|page| format!("Homepage: {page}\n"));
        let homepage = homepage.unwrap_or_default();
        format!("Maintainer: {}\n{homepage}", self.maintainer)
    }
}

const TABLE: &str = "[workspace.metadata.publisher]";

fn is_address(text: &str) -> bool {
    let address = text
        .strip_suffix('>')
        .and_then(|text| text.split_once(" <"));
    let parts = address.and_then(|(name, address)| Some((name, address.split_once('@')?)));
    parts.is_some_and(|(name, (user, host))| {
        let is_plain = |text: &str| !text.is_empty() && !text.contains(['<', '>', '@', '\n']);
        is_plain(name) && is_plain(user) && is_plain(host) && host.contains('.')
    })
}

fn is_component_id(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        !part.is_empty() && part.chars().all(is_letter)
    };
    text.split('.').count() >= 3 && text.split('.').all(is_part)
}

fn is_page(text: &str) -> bool {
    text.starts_with("https://") && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_filled_in_is_named_and_reserved() {
        let nobody = Publisher::of(&json!({})).unwrap();
        let error = nobody.check_complete().unwrap_err().to_string();
        assert!(
            error.ends_with("maintainer, component-id, homepage"),
            "{error}"
        );
        assert_eq!(
            nobody.control_fields(),
            "Maintainer: The Mapscope authors <nobody@mapscope.invalid>\n"
        );
        let table = json!({
            "maintainer": "Jo Doe <jo@doe.org>",
            "component-id": "org.doe.mapscope",
            "homepage": "https://doe.org/mapscope",
        });
        let jo = Publisher::of(&json!({"metadata": {"publisher": table}})).unwrap();
        jo.check_complete().unwrap();
        assert_eq!(jo.component_id, "org.doe.mapscope");
        assert_eq!(
            jo.control_fields(),
            "Maintainer: Jo Doe <jo@doe.org>\nHomepage: https://doe.org/mapscope\n"
        );
        for (key, bad) in [
            ("maintainer", "Jo Doe"),
            ("maintainer", "Jo <jo@doe>"),
            ("component-id", "mapscope"),
            ("component-id", "org..mapscope"),
            ("homepage", "doe.org"),
        ] {
            let mut table = table.clone();
            table[key] = bad.into();
            let error = Publisher::of(&json!({"metadata": {"publisher": table}})).unwrap_err();
            assert!(error.to_string().contains(bad), "{error}");
        }
    }
}
