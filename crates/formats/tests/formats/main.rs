//! Readers and writers, tested with files of games, samples with sidecar files, and faulty files.

#![cfg(test)]

mod conflicts;
mod ika_map;
mod ika_text_map;
mod ika_vsp;
mod p3m;
mod paf;
mod pfmap;
mod pfobj;
mod pfscene;
mod plain;
mod pmf;
mod pmf_broken;
mod pmf_parts;
mod pmf_salvage;
mod pmf_shift;
mod ppe_map_data;
mod salvage;
mod valid;
