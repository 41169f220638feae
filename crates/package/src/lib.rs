//! The files that a package has beside the program: manual pages and completions from the command
//! line's definition, MIME types from the table of formats, and what desktops ask for.
//!
//! Nothing of it is kept in the repository; `make package` makes it anew, and the tests of this crate
//! hold it to the validators where those are installed.

mod changelog;
mod desktop;
mod documents;
mod manual;
mod mime;
mod publisher;
mod third_party;

use std::error::Error;

use clap::CommandFactory as _;
use clap_complete::Shell;

use mapscope::commands::Cli;

pub use changelog::{Release, debian_changelog, releases};
pub use documents::documents;
pub use mime::{MagicRule, MimeType, mime_types};
pub use publisher::Publisher;
pub use third_party::third_party;

/// Why a file could not be made.
pub type Failure = Box<dyn Error>;

/// The name of the program, and that of its files.
pub const PROGRAM: &str = "mapscope";

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Where it belongs below the prefix, such as `share/man/man1/mapscope.1`.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl PackageFile {
    fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
        }
    }
}

/// All files that come from the program's own tables. `changelog` is the text of `CHANGELOG.md`.
///
/// # Errors
/// When the changelog has no releases, or the icon cannot be encoded.
pub fn files(changelog: &str, publisher: &Publisher) -> Result<Vec<PackageFile>, Failure> {
    let mut files = manual::pages()?;
    files.extend(completions());
    files.extend(icons()?);
    files.push(PackageFile::new(
        "share/applications/mapscope.desktop",
        desktop::entry(),
    ));
    files.push(PackageFile::new(
        "share/thumbnailers/mapscope.thumbnailer",
        desktop::thumbnailer(),
    ));
    files.push(PackageFile::new(
        "share/mime/packages/mapscope.xml",
        mime::xml(),
    ));
    files.push(PackageFile::new(
        format!("share/metainfo/{}.metainfo.xml", publisher.component_id),
        desktop::metainfo(&releases(changelog)?, publisher),
    ));
    Ok(files)
}

/// What shells complete, each where it looks for it.
fn completions() -> Vec<PackageFile> {
    let shells = [
        (Shell::Bash, "share/bash-completion/completions/mapscope"),
        (Shell::Zsh, "share/zsh/site-functions/_mapscope"),
        (Shell::Fish, "share/fish/vendor_completions.d/mapscope.fish"),
    ];
    let complete = |(shell, path)| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), PROGRAM, &mut script);
        PackageFile::new(path, script)
    };
    shells.into_iter().map(complete).collect()
}

/// The icon in the sizes of the icon theme that all others fall back to.
fn icons() -> Result<Vec<PackageFile>, Failure> {
    let files = mapscope_testdata::assets::icon::files()?;
    let place = |(name, bytes): (String, Vec<u8>)| {
        let (stem, ending) = name.rsplit_once('.')?;
        let size = match (ending, stem.strip_prefix("mapscope-")) {
            ("png", Some(size)) => format!("{size}x{size}"),
            _ => "scalable".to_owned(),
        };
        let path = format!("share/icons/hicolor/{size}/apps/{PROGRAM}.{ending}");
        Some(PackageFile::new(path, bytes))
    };
    Ok(files.into_iter().filter_map(place).collect())
}
