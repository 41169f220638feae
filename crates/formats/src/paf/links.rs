//! Targets of links. Each link is resolved once, so the time is linear in the texts of all links.

use super::{Archive, Content, DeadEnd, Target};

/// Maximum number of links in a chain.
const MAX_LINKS: usize = 8;

/// The resolution of a link.
#[derive(Debug, Clone, Copy)]
enum State {
    New,
    Active,
    /// The target and the number of links that lead to it.
    Resolved(Result<(Target, usize), DeadEnd>),
}

/// A link that is being resolved.
#[derive(Debug)]
struct Frame {
    link: u32,
    /// The target of the text before `pos`.
    at: Target,
    /// Offset in the link's text.
    pos: usize,
    /// Number of links followed, with this one.
    links: usize,
}

/// Resolves all links of an archive.
pub(super) fn resolve(archive: &mut Archive) {
    let mut states = vec![State::New; archive.entries.len()];
    let mut stack = Vec::new();
    for index in 0..archive.entries.len() as u32 {
        stack.extend(archive.frame(index));
        while let Some(frame) = stack.last_mut() {
            let link = frame.link;
            if let Some(state) = states.get_mut(link as usize) {
                if let State::Resolved(_) = state {
                    stack.pop();
                    continue;
                }
                *state = State::Active;
            }
            let outcome = match archive.follow(frame, &states) {
                Step::Needs(link) => {
                    stack.extend(archive.frame(link));
                    continue;
                }
                Step::Done(outcome) => outcome,
            };
            if let Some(state) = states.get_mut(link as usize) {
                *state = State::Resolved(outcome);
            }
            stack.pop();
        }
    }
    for (entry, state) in archive.entries.iter_mut().zip(states) {
        if let (Content::Link(link), State::Resolved(outcome)) = (&mut entry.content, state) {
            link.target = outcome.map(|(target, _)| target);
        }
    }
}

/// The result of following a link's text.
enum Step {
    /// This link must be resolved first.
    Needs(u32),
    Done(Result<(Target, usize), DeadEnd>),
}

impl Archive {
    /// Begins to resolve an entry, if it is a link.
    fn frame(&self, index: u32) -> Option<Frame> {
        let entry = self.entries.get(index as usize)?;
        let Content::Link(link) = &entry.content else {
            return None;
        };
        let at = match entry.parent {
            Some(parent) if !link.text.starts_with('/') => Target::Entry(parent),
            _ => Target::Root,
        };
        Some(Frame {
            link: index,
            at,
            pos: 0,
            links: 1,
        })
    }

    /// Follows the text of a link up to its end, or up to a link that is not resolved yet.
    fn follow(&self, frame: &mut Frame, states: &[State]) -> Step {
        let text = match self.entries.get(frame.link as usize).map(|it| &it.content) {
            Some(Content::Link(link)) => &*link.text,
            _ => "",
        };
        if text.is_empty() {
            return Step::Done(Err(DeadEnd::Missing));
        }
        while let Some(rest) = text.get(frame.pos..).filter(|rest| !rest.is_empty()) {
            let name = rest.split('/').next().unwrap_or_default();
            let next = match self.step(frame.at, name) {
                Ok(next) => next,
                Err(dead_end) => return Step::Done(Err(dead_end)),
            };
            frame.at = next;
            if let Target::Entry(index) = next
                && let Some(entry) = self.entries.get(index as usize)
                && matches!(entry.content, Content::Link(_))
            {
                match states.get(index as usize) {
                    Some(State::Resolved(Ok((target, links)))) => {
                        frame.at = *target;
                        frame.links += links;
                        if frame.links > MAX_LINKS {
                            return Step::Done(Err(DeadEnd::TooManyLinks));
                        }
                    }
                    Some(State::Resolved(Err(dead_end))) => return Step::Done(Err(*dead_end)),
                    Some(State::Active) => return Step::Done(Err(DeadEnd::Cycle)),
                    _ => {
                        // The name is read again once the link is resolved.
                        frame.at = entry.parent.map_or(Target::Root, Target::Entry);
                        return Step::Needs(index);
                    }
                }
            }
            frame.pos += name.len() + 1;
        }
        Step::Done(Ok((frame.at, frame.links)))
    }
}
