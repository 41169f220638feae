//! Splits input events so that a slow frame loses no drag and no key.
//!
//! egui reads the pointer position once per frame, after all events. If a drag starts and ends
//! within one frame, egui sees a press and a release at the same position. If a drag ends in a
//! frame, egui sees only the last part of the motion. Here the press, the motion and the release
//! get separate frames, for the view, sliders and panels alike. Clicks are not delayed, since the
//! pointer stays in place between their press and their release.
//!
//! All keys of a frame go to the widget that has the focus after all events. So that each key
//! reaches the right widget, Tab gets a separate frame, and keys after a click come in the next
//! one.

use egui::{Context, Event, Key, Plugin, Pos2, RawInput};

/// Passes events to egui in portions in which no drag and no key is lost.
#[derive(Debug, Default)]
pub(crate) struct Portions {
    /// Events for the next frames.
    later: Vec<Event>,
    /// Position at which the held button was pressed.
    pressed_at: Option<Pos2>,
}

impl Plugin for Portions {
    fn debug_name(&self) -> &'static str {
        "portions"
    }

    fn input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        if !self.later.is_empty() {
            self.later.append(&mut input.events);
            input.events = std::mem::take(&mut self.later);
        }
        let reach = ctx.options(|options| options.input_options.max_click_dist);
        let end = self.portion(&input.events, reach);
        self.later = input.events.split_off(end);
        if !self.later.is_empty() {
            ctx.request_repaint();
        }
    }
}

impl Portions {
    /// Returns the number of events for this frame. A motion of more than `reach` from the press is
    /// a drag.
    fn portion(&mut self, events: &[Event], reach: f32) -> usize {
        let (mut is_pressed, mut is_dragged) = (false, false);
        let (mut is_typed, mut moves_focus) = (false, false);
        for (index, event) in events.iter().enumerate() {
            if is_key(event) {
                let is_tab = is_tab(event);
                if moves_focus || is_tab && is_typed {
                    return index;
                }
                (is_typed, moves_focus) = (true, is_tab);
            }
            match event {
                Event::PointerButton { pressed: true, .. } if is_dragged => return index,
                Event::PointerButton {
                    pos, pressed: true, ..
                } => {
                    self.pressed_at = Some(*pos);
                    is_pressed = true;
                }
                Event::PointerMoved(to) => {
                    let from = self.pressed_at;
                    if from.is_some_and(|from| from.distance(*to) > reach) {
                        if is_pressed {
                            return index;
                        }
                        is_dragged = true;
                    }
                }
                Event::PointerButton { pressed: false, .. } => {
                    if is_dragged {
                        return index;
                    }
                    self.pressed_at = None;
                    moves_focus = true;
                }
                _ => {}
            }
        }
        events.len()
    }
}

/// `true` if an event goes to the focused widget.
fn is_key(event: &Event) -> bool {
    let is_typed = matches!(event, Event::Text(_) | Event::Paste(_) | Event::Ime(_));
    is_typed || matches!(event, Event::Key { pressed: true, .. })
}

/// `true` if an event moves the focus.
fn is_tab(event: &Event) -> bool {
    matches!(
        event,
        Event::Key {
            key: Key::Tab,
            pressed: true,
            ..
        }
    )
}

#[cfg(test)]
mod tests {
    use egui::{Modifiers, PointerButton, pos2};

    use super::*;

    const REACH: f32 = 6.0;

    fn moved(x: f32) -> Event {
        Event::PointerMoved(pos2(x, 0.0))
    }

    fn button(x: f32, pressed: bool) -> Event {
        Event::PointerButton {
            pos: pos2(x, 0.0),
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        }
    }

    /// Returns the number of events in each frame.
    fn portions(drags: &mut Portions, mut events: &[Event]) -> Vec<usize> {
        let mut portions = Vec::new();
        while !events.is_empty() {
            let end = drags.portion(events, REACH);
            portions.push(end);
            events = &events[end..];
        }
        portions
    }

    #[test]
    fn press_way_and_release_of_a_drag_come_one_after_the_other() {
        let mut drags = Portions::default();
        let whole = [
            moved(3.0),
            button(10.0, true),
            moved(12.0),
            moved(90.0),
            moved(210.0),
            button(210.0, false),
            moved(300.0),
            button(300.0, true),
        ];
        assert_eq!(portions(&mut drags, &whole), [3, 2, 3]);
        // These events belong to the drag that began at 300.
        assert_eq!(portions(&mut drags, &[moved(305.0), moved(330.0)]), [2]);
        let end = [moved(350.0), button(350.0, false), button(350.0, true)];
        assert_eq!(portions(&mut drags, &end), [1, 2]);
    }

    #[test]
    fn clicks_wait_for_nothing() {
        let mut drags = Portions::default();
        let double = [
            button(5.0, true),
            moved(6.0),
            button(6.0, false),
            button(6.0, true),
            button(6.0, false),
            moved(80.0),
        ];
        assert_eq!(portions(&mut drags, &double), [6]);
        assert_eq!(portions(&mut drags, &[moved(1.0), moved(400.0)]), [2]);
    }

    #[test]
    fn keys_are_for_the_widget_that_they_were_typed_for() {
        let mut drags = Portions::default();
        let text = || Event::Text("4".to_owned());
        let key = |key, pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        let [tab, up] = [true, false].map(|pressed| key(Key::Tab, pressed));
        let typed = [
            key(Key::Num4, true),
            text(),
            tab.clone(),
            up.clone(),
            text(),
            text(),
            tab.clone(),
            up,
            tab,
        ];
        assert_eq!(portions(&mut drags, &typed), [2, 2, 2, 2, 1]);
        let clicked = [button(5.0, true), button(5.0, false), text(), text()];
        assert_eq!(portions(&mut drags, &clicked), [2, 2]);
    }
}
