//! Tests of package files: they are complete, they match the tables, and installed validators
//! accept them.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use clap::CommandFactory as _;
use mapscope::commands::Cli;
use mapscope_package::{
    PackageFile, Publisher, Release, debian_changelog, documents, files, mime_types, releases,
};
use mapscope_testdata::{Need, skip};

fn changelog() -> String {
    fs::read_to_string(mapscope_testdata::root().join("CHANGELOG.md")).unwrap()
}

/// The publisher in `Cargo.toml`.
fn publisher() -> Publisher {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let output = command
        .current_dir(mapscope_testdata::root())
        .output()
        .unwrap();
    Publisher::of(&serde_json::from_slice(&output.stdout).unwrap()).unwrap()
}

/// All files, generated once.
fn all() -> &'static [PackageFile] {
    static FILES: LazyLock<Vec<PackageFile>> =
        LazyLock::new(|| files(&changelog(), &publisher()).unwrap());
    &FILES
}

fn text(path: &str) -> String {
    let all = all();
    let file = all.iter().find(|file| file.path == path);
    let file = file.unwrap_or_else(|| panic!("no {path}"));
    String::from_utf8(file.bytes.clone()).unwrap()
}

/// The path of the page for software centres.
fn metainfo() -> String {
    format!("share/metainfo/{}.metainfo.xml", publisher().component_id)
}

#[test]
fn every_command_has_a_page_and_every_option_is_on_it_and_completed() {
    let shells = [
        "share/bash-completion/completions/mapscope",
        "share/zsh/site-functions/_mapscope",
        "share/fish/vendor_completions.d/mapscope.fish",
    ];
    let scripts = shells.map(text);
    let program = Cli::command();
    let mut options = 0;
    for command in program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let page = text(&format!("share/man/man1/mapscope-{}.1", command.get_name()));
        assert!(page.contains(".SH EXAMPLES"), "{page}");
        for option in command
            .get_arguments()
            .filter_map(|argument| argument.get_long())
        {
            // An unescaped hyphen would be typeset as a dash.
            let escaped = option.replace('-', "\\-");
            assert!(
                page.contains(&format!("\\-\\-{escaped}")),
                "{option}: {page}"
            );
            for script in &scripts {
                assert!(script.contains(option), "{option}");
            }
            options += 1;
        }
    }
    assert!(options > 40, "{options}");
    assert!(text("share/man/man1/mapscope.1").contains("mapscope\\-render"));
    let hidden = all().iter().any(|file| file.path.contains("thumbnail.1"));
    assert!(!hidden);
}

#[test]
fn every_format_has_a_type_that_desktop_and_thumbnailer_know() {
    let formats = mapscope_scene::formats().count();
    let names: BTreeSet<String> = mime_types().map(|mime| mime.name).collect();
    assert_eq!(names.len(), formats);
    let database = text("share/mime/packages/mapscope.xml");
    for path in [
        "share/applications/mapscope.desktop",
        "share/thumbnailers/mapscope.thumbnailer",
    ] {
        let text = text(path);
        let types = text.lines().find_map(|line| line.strip_prefix("MimeType="));
        let types = types.unwrap().split_terminator(';').map(str::to_owned);
        assert_eq!(types.collect::<BTreeSet<_>>(), names, "{path}");
    }
    for mime in mime_types() {
        assert!(database.contains(&format!("type=\"{}\"", mime.name)));
        // Each type can be recognised by extension or magic.
        assert!(
            !mime.endings.is_empty() || !mime.magic.is_empty(),
            "{}",
            mime.name
        );
    }
}

#[test]
fn files_begin_with_the_magic_of_their_own_format_alone() {
    let root = mapscope_testdata::root().join("assets");
    let mut told = 0;
    for (file, id) in [
        ("demo/demo.pfmap", "pfmap"),
        ("demo/demo.pfscene", "pfscene"),
        ("models/drakeling.pfobj", "pfobj"),
        ("levels/bathhouse.pmf", "pmf"),
        ("maps/harbour.map", "ika-map"),
        ("maps/harbour.vsp", "vsp"),
        ("maps/station.map", "ppe-map"),
        ("maps/station.xmf", "xmf"),
    ] {
        let bytes = fs::read(root.join(file)).unwrap();
        for mime in mime_types().filter(|mime| !mime.magic.is_empty()) {
            let is_it = mime.magic.iter().any(|rule| rule.matches(&bytes));
            assert_eq!(is_it, mime.format.id == id, "{file}: {}", mime.name);
            told += usize::from(is_it);
        }
    }
    assert_eq!(told, 6);
    // The program recognises what the magic matches.
    let begin = b"(ika-map (version 1.1))";
    let text_map = mime_types()
        .find(|mime| mime.format.id == "ika-map-text")
        .unwrap();
    assert!(text_map.magic[0].matches(begin) && (text_map.format.sniff)(begin));
}

#[test]
fn links_of_the_documents_lead_to_what_the_package_has() {
    let files = documents(&mapscope_testdata::root()).unwrap();
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let readme = "share/doc/mapscope/README.md";
    for path in [
        readme,
        "share/doc/mapscope/docs/guide.md",
        "share/doc/mapscope/docs/formats/pfmap.md",
        "share/doc/mapscope/docs/drop.gif",
        "share/doc/mapscope/LICENSE-MIT",
    ] {
        assert!(paths.contains(path), "{path}: {paths:?}");
    }
    let mut links = 0;
    for PackageFile { path, bytes } in files.iter().filter(|file| file.path.ends_with("md")) {
        let text = std::str::from_utf8(bytes).unwrap();
        let targets = text.split("](").skip(1);
        for target in targets.filter_map(|rest| Some(rest.split_once(')')?.0)) {
            let (file, _) = target.split_once('#').unwrap_or((target, ""));
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let (mut folder, mut file) = (path.rsplit_once('/').unwrap().0, file);
            while let Some(rest) = file.strip_prefix("../") {
                (folder, file) = (folder.rsplit_once('/').unwrap().0, rest);
            }
            let whole = format!("{folder}/{file}");
            assert!(paths.contains(&*whole), "{path}: {target}");
            links += 1;
        }
    }
    assert!(links > 30, "{links}");
    let text = files.iter().find(|file| file.path == readme).unwrap();
    let text = std::str::from_utf8(&text.bytes).unwrap();
    assert!(text.contains("CONTRIBUTING.md"), "its name stays: {text}");
}

#[test]
fn the_newest_release_is_this_version() {
    let releases = releases(&changelog()).unwrap();
    assert_eq!(releases[0].version, env!("CARGO_PKG_VERSION"));
    assert!(releases.iter().all(|release| !release.changes.is_empty()));
    assert!(releases.is_sorted_by(|newer, older| newer.date >= older.date));
    let Release { version, date, .. } = &releases[0];
    let wanted = format!("<release version=\"{version}\" date=\"{date}\"/>");
    assert!(text(&metainfo()).contains(&wanted));
}

#[test]
fn who_publishes_is_named_in_one_place_and_no_reserved_name_is_left_then() {
    let table = serde_json::json!({"metadata": {"publisher": {
        "maintainer": "Jo Doe <jo@doe.org>",
        "component-id": "org.doe.mapscope",
        "homepage": "https://doe.org/mapscope?a&b",
    }}});
    let jo = Publisher::of(&table).unwrap();
    let files = files(&changelog(), &jo).unwrap();
    let metainfo = "share/metainfo/org.doe.mapscope.metainfo.xml";
    let metainfo = files.iter().find(|file| file.path == metainfo).unwrap();
    let text = String::from_utf8(metainfo.bytes.clone()).unwrap();
    assert!(text.contains("<id>org.doe.mapscope</id>"), "{text}");
    let page = r#"<url type="homepage">https://doe.org/mapscope?a&amp;b</url>"#;
    assert!(text.contains(page), "{text}");
    for file in &files {
        let text = String::from_utf8_lossy(&file.bytes);
        for reserved in ["example.", ".example", ".invalid"] {
            assert!(!text.contains(reserved), "{}: {reserved}", file.path);
        }
    }
    // The release workflow builds packages for publication.
    let workflow = mapscope_testdata::root().join(".github/workflows/release.yml");
    let workflow = fs::read_to_string(workflow).unwrap();
    assert!(workflow.contains("make package PUBLISH=1"), "{workflow}");
}

#[test]
fn a_changelog_is_written_as_debian_has_it() {
    let text = "# Changelog\n\nAll.\n\n## [1.0.0] - 2026-01-02\n\n### Added\n\n- `one` thing\n  \
                and more\n- another\n\nProse.\n";
    let release = Release {
        version: "1.0.0".to_owned(),
        date: "2026-01-02".to_owned(),
        changes: vec!["`one` thing and more".to_owned(), "another".to_owned()],
    };
    assert_eq!(releases(text).unwrap(), std::slice::from_ref(&release));
    let debian = debian_changelog(&[release], "Jo <jo@example.org>", |day| {
        Ok(format!("on {day}"))
    });
    assert_eq!(
        debian.unwrap(),
        "mapscope (1.0.0) unstable; urgency=medium\n\n  * one thing and more\n  * another\n\n \
         -- Jo <jo@example.org>  on 2026-01-02\n\n"
    );
    for bad in ["", "# Changelog\n", "## [1.0.0]\n- a\n"] {
        assert!(releases(bad).is_err(), "{bad}");
    }
}

/// Runs a validator, if it is installed, in a folder with all files.
fn validate(program: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for PackageFile { path, bytes } in all() {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            return skip(Need::System, &format!("no {program}: {error}"));
        }
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{program}: {said}");
}

#[test]
fn validators_find_nothing() {
    validate(
        "desktop-file-validate",
        &["share/applications/mapscope.desktop"],
    );
    validate("appstreamcli", &["validate", "--no-net", &metainfo()]);
    validate("update-mime-database", &["share/mime"]);
    validate(
        "bash",
        &["-n", "share/bash-completion/completions/mapscope"],
    );
    validate("zsh", &["-n", "share/zsh/site-functions/_mapscope"]);
    validate(
        "fish",
        &[
            "--no-execute",
            "share/fish/vendor_completions.d/mapscope.fish",
        ],
    );
}

#[test]
fn pages_are_set_without_a_warning() {
    let pages = all();
    let pages = pages
        .iter()
        .filter(|file| file.path.starts_with("share/man/"));
    let mut names = Vec::new();
    for page in pages {
        let name = Path::new(&page.path).to_str().unwrap();
        names.push(name);
    }
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        validate("groff", &["-man", "-Tutf8", "-ww", "-z", name]);
    }
}

/// The output of `make package` for a program.
#[cfg(target_os = "linux")]
mod packages {
    use super::*;

    /// The standard output of a program, which must succeed.
    fn output(command: &mut Command) -> String {
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The paths of the files that `tar` lists, relative to their folder.
    fn listed(list: &str, folder: &str) -> BTreeSet<String> {
        let files = list.lines().filter(|path| !path.ends_with('/'));
        let files = files.filter_map(|path| path.split_once(folder));
        files.map(|(_, path)| path.to_owned()).collect()
    }

    #[test]
    fn the_deb_and_the_tarball_have_all_files_and_lintian_finds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        // Building the real program takes minutes, and the files around it are the same.
        fs::copy("/bin/true", programs.join("mapscope")).unwrap();
        let maker = env!("CARGO_BIN_EXE_make-package-files");
        fs::copy(maker, programs.join("make-package-files")).unwrap();
        let mut script = Command::new("sh");
        script
            .arg(mapscope_testdata::root().join("scripts/package.sh"))
            .env("MAPSCOPE_BINARIES", &programs)
            .env("CARGO_TARGET_DIR", folder.path())
            .env("CARGO_NET_OFFLINE", "true");
        let made = output(&mut script);
        let made: Vec<&Path> = made.lines().map(Path::new).collect();

        let mut files: BTreeSet<String> = all().iter().map(|file| file.path.clone()).collect();
        files.insert("bin/mapscope".to_owned());
        let is_compressed = |path: &str| path.starts_with("share/man/");
        let files: BTreeSet<String> = files
            .into_iter()
            .map(|path| {
                let ending = if is_compressed(&path) { ".gz" } else { "" };
                format!("{path}{ending}")
            })
            .collect();
        let tarball = output(Command::new("tar").arg("-tzf").arg(made[0]));
        let version = env!("CARGO_PKG_VERSION");
        let arch = std::env::consts::ARCH;
        let tarball = listed(&tarball, &format!("mapscope-{version}-linux-{arch}/"));
        assert!(files.is_subset(&tarball), "{tarball:?}");
        for other in ["install.sh", "share/doc/mapscope/THIRD-PARTY.txt.gz"] {
            assert!(tarball.contains(other), "{other}: {tarball:?}");
        }

        let Some(deb) = made.get(1) else {
            return skip(Need::System, "there is no dpkg-deb or no dpkg-shlibdeps");
        };
        let dpkg = |option| output(Command::new("dpkg-deb").arg(option).arg(deb));
        let contents = dpkg("--contents");
        let contents = listed(&contents, "./usr/");
        let is_there = |path: &String| {
            contents.contains(&path.replace("zsh/site-functions", "zsh/vendor-completions"))
        };
        assert!(files.iter().all(is_there), "{contents:?}");
        let control = dpkg("--field");
        for line in publisher().control_fields().lines() {
            assert!(control.contains(line), "{control}");
        }
        assert!(
            control.contains(&format!("Version: {version}\n")),
            "{control}"
        );
        let Ok(lintian) = Command::new("lintian").arg(deb).output() else {
            return skip(Need::System, "there is no lintian");
        };
        let said = [lintian.stdout, lintian.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        // Running as root causes a warning.
        let found = said
            .lines()
            .filter(|line| !line.starts_with("running with root"));
        assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
    }
}

/// Detection of missing requirements, on a simulated system.
#[cfg(target_os = "linux")]
mod requirements {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// Runs the script with only these commands available, and returns its exit status and output.
    fn run(mode: &str, commands: &[(&str, &str)]) -> (Option<i32>, String) {
        let folder = tempfile::tempdir().unwrap();
        for (name, script) in commands.iter().chain(&[("my-cargo", "")]) {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for tool in ["/usr/bin/env", "/usr/bin/uname"] {
            let name = Path::new(tool).file_name().unwrap();
            symlink(tool, folder.path().join(name)).unwrap();
        }
        let script = mapscope_testdata::root().join("scripts/install-packages.sh");
        let output = Command::new("/bin/sh")
            .arg(script)
            .arg(mode)
            .env_clear()
            .env("PATH", folder.path())
            .env("VK_DRIVER_FILES", "some")
            .env(
                "CARGO",
                if mode == "no-cargo" {
                    "cargo"
                } else {
                    "my-cargo +1.95"
                },
            )
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said)
    }

    /// The output of `ldconfig` if all libraries are installed.
    const LIBRARIES: &str = "echo 'libvulkan.so.1 (libc6) libX11.so.6 (libc6) libX11-xcb.so.1 (libc6) \
        libXcursor.so.1 (libc6) libXi.so.6 (libc6) libxkbcommon.so.0 (libc6) libxkbcommon-x11.so.0 (libc6)'";

    #[test]
    fn what_is_there_already_is_not_installed() {
        let commands = [
            ("ldconfig", LIBRARIES),
            ("cc", ""),
            ("apt-get", "echo apt-get $*"),
        ];
        if Path::new("/usr/include/stdio.h").exists() {
            assert_eq!(run("run", &commands), (Some(0), String::new()));
        }
    }

    #[test]
    fn without_network_lists_or_rights_it_is_said_what_to_do() {
        let no_network = ("apt-get", "echo apt-get $* >&2; exit 100");
        let root = ("id", "echo 0");
        let user = ("id", "echo 1000");
        let libraries = ("ldconfig", LIBRARIES);
        let by_hand = "as root:  apt-get update; apt-get install gcc";
        // Outdated package lists may be sufficient.
        let (status, said) = run("run", &[libraries, root, no_network]);
        assert!(
            said.contains("apt-get update -q\napt-get install -qy"),
            "{said}"
        );
        assert!(status == Some(1) && said.contains(by_hand), "{said}");
        // Neither root nor sudo.
        let (status, said) = run("run", &[libraries, user, no_network]);
        assert!(!said.contains("apt-get install -qy"), "{said}");
        assert!(status == Some(1) && said.contains(by_hand), "{said}");
        // With sudo.
        let sudo = ("sudo", "echo sudo; exec \"$@\"");
        let (_, said) = run("run", &[libraries, user, sudo, no_network]);
        assert!(said.contains("sudo\napt-get install -qy"), "{said}");
        // Without Rust.
        let (status, said) = run("no-cargo", &[libraries, root, no_network]);
        assert!(said.contains("rust-lang.org/tools/install"), "{said}");
        assert_eq!((status, said.lines().count()), (Some(1), 1), "{said}");
        // Without apt; a linker is installed, but nothing that the tests need.
        let compiler = ("cc", "");
        let (status, said) = run("test", &[libraries, user, compiler]);
        assert!(
            status == Some(1) && said.contains("missing: Xvfb"),
            "{said}"
        );
        assert!(said.contains("your system's package manager"), "{said}");
        let (status, said) = run("run", &[libraries, user]);
        assert!(
            status == Some(1) && said.contains("Building needs these packages: gcc"),
            "{said}"
        );
    }
}

/// The installer of the tarball, on a folder as `make package` creates it.
#[cfg(unix)]
mod installer {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// All files below a folder by path, with their modes.
    fn list(folder: &Path) -> BTreeMap<String, Option<u32>> {
        let mut found = BTreeMap::new();
        let mut left = vec![folder.to_owned()];
        while let Some(parent) = left.pop() {
            for entry in fs::read_dir(parent).unwrap() {
                let path = entry.unwrap().path();
                let data = path.symlink_metadata().unwrap();
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                let mode = data.is_file().then(|| data.permissions().mode() & 0o777);
                found.insert(name.to_owned(), mode);
                if data.is_dir() {
                    left.push(path);
                }
            }
        }
        found
    }

    fn install(tarball: &Path, arguments: &[&str]) {
        let output = Command::new("sh")
            .arg(tarball.join("install.sh"))
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{said}");
    }

    #[test]
    fn what_is_installed_goes_again_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let tarball = folder.path().join("mapscope");
        let program = PackageFile {
            path: "bin/mapscope".to_owned(),
            bytes: b"#!/bin/sh\n".to_vec(),
        };
        for PackageFile { path, bytes } in all().iter().chain([&program]) {
            let path = tarball.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let script = mapscope_testdata::root().join("packaging/install.sh");
        fs::copy(script, tarball.join("install.sh")).unwrap();

        let broken = ["--prefix", "a\nb"];
        let mut refused = Command::new("sh");
        refused.arg(tarball.join("install.sh")).args(broken);
        let refused = refused.current_dir(folder.path()).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(!folder.path().join("a\nb").exists());

        // A prefix in use: a folder without files, one with another program, and none for icons.
        let prefix = folder.path().join("a prefix");
        fs::create_dir_all(prefix.join("share/applications")).unwrap();
        fs::create_dir_all(prefix.join("bin")).unwrap();
        fs::write(prefix.join("bin/other"), "kept").unwrap();
        let before = list(&prefix);

        let arguments = ["--prefix", prefix.to_str().unwrap()];
        // The second time over a running program.
        for _ in 0..2 {
            install(&tarball, &arguments);
            let installed = list(&prefix);
            for PackageFile { path, .. } in all() {
                assert_eq!(installed[path], Some(0o644), "{path}");
            }
            assert_eq!(installed["bin/mapscope"], Some(0o755));
        }
        install(&tarball, &[&arguments[..], &["--uninstall"]].concat());
        assert_eq!(list(&prefix), before);

        // A prefix that did not exist is removed completely.
        let fresh = folder.path().join("fresh/prefix");
        let arguments = ["--prefix", fresh.to_str().unwrap()];
        install(&tarball, &arguments);
        assert!(fresh.join("share/man/man1/mapscope.1").exists());
        install(&tarball, &[&arguments[..], &["--uninstall"]].concat());
        assert!(!folder.path().join("fresh").exists());
    }
}
