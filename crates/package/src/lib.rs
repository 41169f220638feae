//! The files that accompany the program in a package: manual pages and completions from the
//! command-line definition, MIME types from the table of formats, and files for desktops.
//!
//! None of them is kept in the repository. `make package` generates them, and the tests of this
//! crate check them with the validators that are installed.

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

/// The error for a file that could not be generated.
pub type Failure = Box<dyn Error>;

/// The name of the program and its files.
pub const PROGRAM: &str = "mapscope";

/// The icon as PNG images, each with its width and height in pixels.
static ICONS: [(u32, &[u8]); 6] = [
    (16, include_bytes!("../../../assets/icon/mapscope-16.png")),
    (32, include_bytes!("../../../assets/icon/mapscope-32.png")),
    (48, include_bytes!("../../../assets/icon/mapscope-48.png")),
    (64, include_bytes!("../../../assets/icon/mapscope-64.png")),
    (128, include_bytes!("../../../assets/icon/mapscope-128.png")),
    (256, include_bytes!("../../../assets/icon/mapscope-256.png")),
];
/// The icon as SVG.
static SCALABLE_ICON: &[u8] = include_bytes!("../../../assets/icon/mapscope.svg");

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Its path below the prefix, such as `share/man/man1/mapscope.1`.
    pub path: String,
    /// Its content.
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

/// All files that are generated from the program's own tables. `changelog` is the text of
/// `CHANGELOG.md`.
///
/// # Errors
/// When the changelog has no releases.
pub fn files(changelog: &str, publisher: &Publisher) -> Result<Vec<PackageFile>, Failure> {
    let mut files = manual::pages()?;
    files.extend(completions());
    files.extend(icons());
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

/// The shell completions, each in the folder where its shell searches it.
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
fn icons() -> Vec<PackageFile> {
    let sizes = ICONS
        .iter()
        .map(|(side, bytes)| (format!("{side}x{side}"), "png", *bytes));
    let scalable = ("scalable".to_owned(), "svg", SCALABLE_ICON);
    let all = std::iter::once(scalable).chain(sizes);
    all.map(|(size, ending, bytes)| {
        let path = format!("share/icons/hicolor/{size}/apps/{PROGRAM}.{ending}");
        PackageFile::new(path, bytes)
    })
    .collect()
}
