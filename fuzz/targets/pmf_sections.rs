#![no_main]

mapscope_fuzz::fuzz!(PMF_SECTIONS);
