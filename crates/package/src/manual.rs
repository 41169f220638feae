//! Manual pages: one for the program and one for each command.

use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use mapscope::commands::Cli;

use crate::{PROGRAM, PackageFile};

/// The pages of the program and of all visible commands.
pub(crate) fn pages() -> io::Result<Vec<PackageFile>> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Sets the full names of commands and adds the global options to them.
    program.build();
    let commands: Vec<&Command> = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .collect();
    let name_of = |command: &Command| command.get_display_name().map(str::to_owned);
    let mut names = vec![PROGRAM.to_owned()];
    names.extend(commands.iter().copied().filter_map(name_of));
    let mut pages = vec![page(&program, PROGRAM, &names)?];
    for command in commands {
        let name = name_of(command).unwrap_or_default();
        pages.push(page(command, &name, &names)?);
    }
    Ok(pages)
}

/// One page; `names` are the names of all pages.
fn page(command: &Command, name: &str, names: &[String]) -> io::Result<PackageFile> {
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        .source(format!("{PROGRAM} {version}"))
        .manual("User Commands");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    let mut end = Roff::new();
    let notes = command.get_after_help().map(ToString::to_string);
    // clap_mangen would join the lines of examples.
    for paragraph in notes.unwrap_or_default().split("\n\n") {
        if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
            end.control("SH", ["EXAMPLES"]);
            end.control("nf", []);
            lines(&mut end, examples.lines().map(str::trim_start));
            end.control("fi", []);
        } else if !paragraph.is_empty() {
            end.control("SH", ["NOTES"]);
            lines(&mut end, paragraph.lines());
        }
    }
    end.control("SH", ["SEE ALSO"]);
    let mut others: Vec<Inline> = Vec::new();
    for other in names.iter().filter(|other| *other != name) {
        if !others.is_empty() {
            others.push(roman(", "));
        }
        others.extend([bold(other), roman("(1)")]);
    }
    end.text(others);
    end.to_writer(&mut out)?;
    Ok(PackageFile::new(format!("share/man/man1/{name}.1"), out))
}

fn lines<'a>(page: &mut Roff, lines: impl Iterator<Item = &'a str>) {
    for line in lines {
        page.text([roman(line)]);
    }
}
