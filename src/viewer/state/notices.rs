//! What is said for a while.

use std::path::PathBuf;

use super::animation::SavingView;
use super::load::Failure;
use crate::search::Seen;
use mapscope_formats::Severity;

/// What is said for a while.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    /// Short messages.
    pub toasts: Vec<Toast>,
    /// Files that could not be opened and were not dismissed yet.
    pub failures: Vec<Failure>,
    /// What is loaded.
    pub loading: Option<LoadingView>,
    /// What is saved.
    pub saving: Option<SavingView>,
    /// Whether it is said that the map has a scene beside it.
    pub offers_scene: bool,
}

/// What a short message is about: the next one about the same takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Opening files, or the open one again.
    Load,
    /// Saving to this file.
    Save(PathBuf),
    /// Keeping the settings.
    Settings,
}

/// A short message that goes away by itself.
#[derive(Debug, Clone)]
pub(crate) struct Toast {
    /// What it says.
    pub text: String,
    /// What it is about, if others may follow.
    pub subject: Option<Subject>,
    /// Whether it is about something that went wrong.
    pub severity: Option<Severity>,
    /// When it was first shown, in seconds of the window's clock.
    pub shown_at_secs: Option<f64>,
}

/// A load that is under way, for the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadingView {
    /// What is loaded.
    pub name: String,
    /// How much is done, from 0 to 1.
    pub fraction: f32,
    /// What was seen so far, while folders are searched for it.
    pub seen: Option<Seen>,
}

impl Notices {
    /// Shows a short message in place of an older one that begins in the same way.
    pub(crate) fn replace_toast(&mut self, begin: &str, text: String) {
        self.toasts.retain(|toast| !toast.text.starts_with(begin));
        self.toast(text, None);
    }

    /// Ends a short message that is no longer true.
    pub(crate) fn take_back(&mut self, text: &str) {
        self.toasts.retain(|toast| toast.text != text);
    }

    /// Ends short messages that something newer is known about.
    pub(crate) fn end(&mut self, subject: &Subject) {
        self.toasts
            .retain(|toast| toast.subject.as_ref() != Some(subject));
    }

    /// Shows a short message about something, beside others about it.
    pub(crate) fn toast_about(
        &mut self,
        subject: Subject,
        text: impl Into<String>,
        severity: Option<Severity>,
    ) {
        self.toast(text, severity);
        if let Some(toast) = self.toasts.last_mut() {
            toast.subject = Some(subject);
        }
    }

    /// Shows a short message.
    pub(crate) fn toast(&mut self, text: impl Into<String>, severity: Option<Severity>) {
        let text = text.into();
        self.toasts.retain(|toast| toast.text != text);
        // More would cover the view.
        if self.toasts.len() >= 4 {
            self.toasts.remove(0);
        }
        self.toasts.push(Toast {
            text,
            subject: None,
            severity,
            shown_at_secs: None,
        });
    }
}
