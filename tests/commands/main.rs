//! The program's commands, run as a user runs them.

#![cfg(test)]

mod check;
mod cli;
mod contract;
mod diff;
mod docs;
mod folder;
mod items;
mod numbers;
mod pictures;
mod schema;
