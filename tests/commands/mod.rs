//! The program's commands, run as users run them.

mod check;
mod cli;
mod contract;
mod convert;
mod diff;
mod docs;
mod export;
mod folder;
mod hostile;
mod items;
mod numbers;
mod pictures;
mod schema;
