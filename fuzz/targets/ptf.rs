#![no_main]

mapscope_fuzz::fuzz!(PTF);
