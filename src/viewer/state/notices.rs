//! Notices: messages, failures and the progress of running work.

use std::path::PathBuf;

use super::animation::SavingView;
use super::load::Failure;
use crate::search::Seen;
use mapscope_formats::Severity;

/// Notices that are visible for a while.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    /// Short messages.
    pub toasts: Vec<Toast>,
    /// Files that could not be opened and were not dismissed yet.
    pub failures: Vec<Failure>,
    /// Progress of the running load, if any.
    pub loading: Option<LoadingView>,
    /// Progress of the running save, if any.
    pub saving: Option<SavingView>,
    /// `true` while a banner offers the scene beside the open map.
    pub offers_scene: bool,
}

/// The subject of a toast. A newer toast about the same subject replaces the older one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Opening or reloading files.
    Load,
    /// Saving to this file.
    Save(PathBuf),
    /// Saving the settings.
    Settings,
}

/// A short message that disappears after a while.
#[derive(Debug, Clone)]
pub(crate) struct Toast {
    /// Its text.
    pub text: String,
    /// Its subject, if later toasts may replace it.
    pub subject: Option<Subject>,
    /// Severity of the fault, if it reports one.
    pub severity: Option<Severity>,
    /// Time at which it was first shown, in seconds of the window's clock.
    pub shown_at_secs: Option<f64>,
}

/// Progress of a running load.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadingView {
    /// Display name of the file or folder.
    pub name: String,
    /// Completed fraction, from 0 to 1.
    pub fraction: f32,
    /// Files and folders seen so far, while folders are searched.
    pub seen: Option<Seen>,
}

impl Notices {
    /// Shows a toast in place of earlier ones with the same prefix.
    pub(crate) fn replace_toast(&mut self, begin: &str, text: String) {
        self.toasts.retain(|toast| !toast.text.starts_with(begin));
        self.toast(text, None);
    }

    /// Dismisses a toast that no longer applies.
    pub(crate) fn dismiss(&mut self, text: &str) {
        self.toasts.retain(|toast| toast.text != text);
    }

    /// Dismisses the toasts about a subject, because newer information exists.
    pub(crate) fn dismiss_about(&mut self, subject: &Subject) {
        self.toasts
            .retain(|toast| toast.subject.as_ref() != Some(subject));
    }

    /// Shows a toast about a subject. Other toasts about it stay.
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

    /// The text of the latest toast, if it is an error.
    pub(crate) fn last_error(&self) -> Option<&str> {
        let last = self.toasts.last()?;
        (last.severity == Some(Severity::Error)).then_some(&*last.text)
    }

    /// Shows a toast.
    pub(crate) fn toast(&mut self, text: impl Into<String>, severity: Option<Severity>) {
        let text = text.into();
        self.toasts.retain(|toast| toast.text != text);
        // More toasts would cover the view.
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
