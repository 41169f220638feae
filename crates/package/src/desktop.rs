//! Files for desktops: the menu entry, the thumbnailer for file managers, and the page for software
//! centres.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use crate::mime::mime_types;
use crate::{PROGRAM, Publisher, Release};

const SUMMARY: &str = "View game terrain, scenes, models and maps";

/// The names of all MIME types, each followed by a semicolon.
fn type_list() -> String {
    let names: Vec<String> = mime_types().map(|mime| mime.name).collect();
    format!("{};", names.join(";"))
}

/// The menu entry, which also associates file types with the program.
pub(crate) fn entry() -> String {
    let types = type_list();
    format!(
        "[Desktop Entry]\n\
         Type=Application\n\
         Version=1.4\n\
         Name=Mapscope\n\
         GenericName=Map and Model Viewer\n\
         Comment={SUMMARY}\n\
         Exec={PROGRAM} -- %F\n\
         TryExec={PROGRAM}\n\
         Icon={PROGRAM}\n\
         Terminal=false\n\
         StartupWMClass={PROGRAM}\n\
         Categories=Graphics;Viewer;3DGraphics;\n\
         Keywords=map;level;terrain;model;tileset;game;modding;3D;\n\
         MimeType={types}\n"
    )
}

/// The thumbnailer entry (the thumbnailer files of GNOME, which other file managers also read).
pub(crate) fn thumbnailer() -> String {
    let types = type_list();
    format!(
        "[Thumbnailer Entry]\n\
         TryExec={PROGRAM}\n\
         Exec={PROGRAM} thumbnail --size %s -- %i %o\n\
         MimeType={types}\n"
    )
}

/// The page of the program for software centres (`AppStream` 0.16).
pub(crate) fn metainfo(releases: &[Release], publisher: &Publisher) -> String {
    let formats = mapscope_scene::formats()
        .map(|format| format!("      <li>{}</li>\n", escape(format.name)))
        .collect::<Vec<_>>()
        .concat();
    let types = mime_types()
        .map(|mime| format!("    <mediatype>{}</mediatype>\n", mime.name))
        .collect::<Vec<_>>()
        .concat();
    let mut history = String::new();
    for Release { version, date, .. } in releases {
        // Writing to a string cannot fail.
        let _written = writeln!(
            history,
            "    <release version=\"{version}\" date=\"{date}\"/>"
        );
    }
    let licence = env!("CARGO_PKG_LICENSE");
    let component_id = &publisher.component_id;
    let homepage = publisher.homepage.as_ref().map(|page| {
        let page = escape(page.as_str());
        format!("  <url type=\"homepage\">{page}</url>\n")
    });
    let homepage = homepage.unwrap_or_default();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{component_id}</id>
  <name>Mapscope</name>
  <summary>{SUMMARY}</summary>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>{licence}</project_license>
  <developer_name>The Mapscope authors</developer_name>
  <description>
    <p>
      Drop a file on the window and see it as the game shows it. Move around, point at any tile, cube
      or triangle, and read what it is. Files are never changed, and every problem in them is listed
      with its place.
    </p>
    <p>Mapscope opens:</p>
    <ul>
{formats}    </ul>
  </description>
  <launchable type="desktop-id">mapscope.desktop</launchable>
  <icon type="stock">{PROGRAM}</icon>
  <categories>
    <category>Graphics</category>
    <category>Viewer</category>
    <category>3DGraphics</category>
  </categories>
  <provides>
    <binary>{PROGRAM}</binary>
{types}  </provides>
{homepage}  <content_rating type="oars-1.1"/>
  <releases>
{history}  </releases>
</component>
"#
    )
}
