#![no_main]

mapscope_fuzz::fuzz!(P3M);
