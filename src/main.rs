//! Entry point: parses the command line and runs the window or a command.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use mapscope::commands::{
    self, Command, CommandError, GraphicsArgs, HeadlessCommand, Status, ViewArgs,
};
#[cfg(feature = "window")]
use mapscope::{
    commands::RenderArgs,
    viewer::{
        self,
        commands::script::{ScriptError, view_after},
    },
};
use mapscope_scene::OpenOptions;

fn main() -> ExitCode {
    let started = Instant::now();
    keep_vulkan_from_wayland();
    commands::log_to_stderr();
    let cli = match commands::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(status) => return status.into(),
    };
    let graphics = cli.graphics;
    let result = cli.open_options().and_then(|options| match cli.command {
        Command::View(args) => view(args, options, graphics),
        Command::Headless(command) => {
            commands::run(with_commands(command), &options, graphics, started)
        }
    });
    commands::conclude(result).into()
}

/// Disables Mesa's device selection layer if Wayland is unavailable.
///
/// Without `XDG_RUNTIME_DIR`, as on most build servers, there is no Wayland compositor to ask for
/// the default GPU. The layer still asks, and libwayland prints "error: `XDG_RUNTIME_DIR` is
/// invalid" although nothing is wrong. wgpu chooses the GPU in any case.
fn keep_vulkan_from_wayland() {
    let is_absolute = |name| std::env::var_os(name).is_some_and(|v| Path::new(&v).is_absolute());
    if cfg!(target_os = "linux")
        && !is_absolute("XDG_RUNTIME_DIR")
        && !is_absolute("WAYLAND_DISPLAY")
    {
        #[expect(unsafe_code, reason = "only a variable disables the layer")]
        // SAFETY: no other thread runs yet that could read or write the environment.
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        }
    }
}

/// Gives `render` the commands of the window.
fn with_commands(command: HeadlessCommand) -> HeadlessCommand {
    match command {
        #[cfg(feature = "window")]
        HeadlessCommand::Render(args) => HeadlessCommand::Render(RenderArgs {
            script: Some(view_after),
            ..args
        }),
        command => command,
    }
}

#[cfg(not(feature = "window"))]
fn view(_: ViewArgs, _: OpenOptions, _: GraphicsArgs) -> Result<Status, CommandError> {
    Err(CommandError::NotBuilt {
        what: "the window",
        feature: "window",
    })
}

#[cfg(feature = "window")]
fn view(
    mut args: ViewArgs,
    options: OpenOptions,
    graphics: GraphicsArgs,
) -> Result<Status, CommandError> {
    let (files, demo) = args.files_or_demo()?;
    let script = args.run.as_deref().unwrap_or_default().parse();
    let script =
        script.map_err(|error: ScriptError| CommandError::Argument(format!("--run: {error}")))?;
    viewer::run(&files, demo, args.request, script, options, graphics.into())
        .map_err(|error| CommandError::Window(error.to_string()))?;
    Ok(Status::Done)
}
