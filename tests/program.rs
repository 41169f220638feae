//! The program as users run it: its commands and its window.
//!
//! Both share one binary, because each binary links all of the program. They can, since they run the
//! program as child processes with folders and displays of their own, and change neither the
//! environment nor the working directory of this process. `tests/bombs` stays apart: it replaces the
//! allocator with one that counts, and links formats and scenes alone.

#![cfg(test)]

mod commands;
mod window;
