//! Writes the files that accompany the program in a package into a folder: `cargo run -p
//! mapscope-package --bin make-package-files -- FOLDER`. Prints the lines of Debian's control file
//! that name the publisher. With `--publish` it fails if the publisher is incomplete.
//!
//! The folder `share` contains files with their own places in the system. `share/doc/mapscope` has
//! the documents, all licences including those of third parties, and the changelog in Debian's
//! form.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use mapscope_package::{
    Failure, PackageFile, Publisher, debian_changelog, documents, files, releases, third_party,
};

fn main() -> Result<(), Failure> {
    let args: Vec<String> = env::args().skip(1).collect();
    let (folder, publishes) = match args.as_slice() {
        [folder] => (folder, false),
        [option, folder] if option == "--publish" => (folder, true),
        _ => return Err("expected [--publish] FOLDER".into()),
    };
    let root = mapscope_testdata::root();
    let changelog = fs::read_to_string(root.join("CHANGELOG.md"))?;
    let metadata = output(
        Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "metadata",
                "--format-version",
                "1",
                "--locked",
                "--filter-platform",
            ])
            .arg(host()?)
            .current_dir(&root),
    )?;
    let metadata = serde_json::from_slice(&metadata)?;
    let publisher = Publisher::of(&metadata)?;
    match publisher.check_complete() {
        Err(error) if publishes => return Err(error),
        Err(error) => writeln!(io::stderr(), "These packages are for private use: {error}")?,
        Ok(()) => {}
    }
    let doc = |name: &str, bytes: Vec<u8>| PackageFile {
        path: format!("share/doc/mapscope/{name}"),
        bytes,
    };
    let debian = debian_changelog(&releases(&changelog)?, &publisher.maintainer, |day| {
        let date = output(Command::new("date").args(["-u", "-R", "-d", day]))?;
        Ok(String::from_utf8(date)?.trim().to_owned())
    })?;
    let mut files = files(&changelog, &publisher)?;
    files.extend(documents(&root)?);
    files.push(doc("THIRD-PARTY.txt", third_party(&metadata)?.into_bytes()));
    files.push(doc("changelog", debian.into_bytes()));
    for PackageFile { path, bytes } in files {
        let path: PathBuf = Path::new(folder).join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    write!(io::stdout(), "{}", publisher.control_fields())?;
    Ok(())
}

/// The platform for which the compiler builds, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String, Failure> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let version = String::from_utf8(version)?;
    let mut lines = version.lines();
    let host = lines.find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc did not report its host")?.to_owned())
}

/// The standard output of a program.
fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {said}", command.get_program().display()).into());
    }
    Ok(output.stdout)
}
