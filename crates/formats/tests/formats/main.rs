//! Readers and writers against files of games, samples with side cars, and files with faults.

#![cfg(test)]

mod pfmap;
mod pfobj;
mod pmf;
mod pmf_parts;
