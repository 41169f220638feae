//! The program's commands, run as a user runs them.

#![cfg(test)]

mod check;
mod cli;
mod contract;
mod docs;
mod folder;
mod pictures;
