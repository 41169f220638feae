//! The program: reads the command line and hands over to the window or to a command.

use std::process::ExitCode;
use std::time::Instant;

use mapscope::commands::{self, Command, CommandError, Status, ViewArgs};
use mapscope::scene::registry::OpenOptions;
use mapscope::viewer::{self, ViewOptions};

fn main() -> ExitCode {
    let started = Instant::now();
    commands::log_to_stderr();
    let cli = match commands::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(status) => return status.into(),
    };
    let result = cli.open_options().and_then(|options| match cli.command {
        Command::View(args) => view(args, options),
        Command::Headless(command) => commands::run(command, &options, started),
    });
    commands::conclude(result).into()
}

fn view(args: ViewArgs, options: OpenOptions) -> Result<Status, CommandError> {
    let (files, demo) = args.files_or_demo()?;
    viewer::run(ViewOptions {
        files,
        demo,
        first_look: args.look.first_look(),
        camera: args.look.camera,
        view: args.look.view,
        overlays: args.look.overlays,
        clip: args.look.clip,
        frame: args.look.frame,
        texture_folders: options.texture_folders,
    })
    .map_err(|error| CommandError::Window(error.to_string()))?;
    Ok(Status::Done)
}
