//! The field for a place: a row and a column, a position, a line, an item, a message.

use egui::Ui;

use super::chooser::{Chooser, Row};
use crate::viewer::format::capitalized;
use crate::viewer::state::go_to::GoTo;
use crate::viewer::state::session::Session;
use mapscope_scene::{Destination, Item, fixed};

/// Lists what can be typed.
const HELP: &str = "Row and column, position x y z, line or line:column, offset 0x1f4, frame 12, \
                    item such as material:0, a name, a camera, or a line that Mapscope printed";

/// Shows the field and the places; returns the chosen place.
pub(crate) fn ui(ui: &mut Ui, session: &Session, go_to: &mut GoTo) -> Option<Destination> {
    let mut text = std::mem::take(&mut go_to.text);
    let mut at = go_to.at;
    let chooser = Chooser {
        name: "Go to",
        hint: "Place, item or message",
        list: "Places",
        // The place in the middle of the view stays visible.
        height: 110.0,
        text: &mut text,
        at: &mut at,
    };
    let chosen = chooser.show(ui, |text| {
        text.clone_into(&mut go_to.text);
        go_to.search(session);
        match &go_to.found {
            Ok(found) => {
                let rows = found.iter().map(|place| row(session, place));
                (rows.collect(), HELP.to_owned())
            }
            Err(why) => (Vec::new(), capitalized(why)),
        }
    });
    go_to.text = text;
    go_to.at = at;
    go_to.found.as_ref().ok()?.get(chosen?).cloned()
}

fn row(session: &Session, destination: &Destination) -> Row {
    let summary = |item: Item| {
        let document = session.document();
        let parts = document.map(|document| document.summary(item, &*session.view.shown));
        let parts = parts.unwrap_or_default().into_iter();
        let texts = parts.map(|part| format!("{} {}", part.name, part.value.trim()));
        texts.collect::<Vec<_>>().join(" · ")
    };
    let (name, key, about) = match destination {
        Destination::Item(named) => {
            let name = named.name.clone().unwrap_or_default();
            (named.item.to_string(), name, summary(named.item))
        }
        Destination::Problem(target) => {
            let about = summary(target.item);
            (target.item.to_string(), "problem".to_owned(), about)
        }
        Destination::Position(at) => {
            let [x, y, z] = at.to_array().map(|at| fixed(at, 2));
            (
                format!("position {x}, {y}, {z}"),
                String::new(),
                String::new(),
            )
        }
        Destination::Frame(frame) => (format!("frame {frame}"), String::new(), String::new()),
        Destination::Camera(pose) => (format!("camera {pose}"), String::new(), String::new()),
    };
    Row {
        name: capitalized(&name),
        key,
        help: about.clone(),
        about,
        is_enabled: true,
    }
}
