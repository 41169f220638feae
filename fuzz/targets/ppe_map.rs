#![no_main]

mapscope_fuzz::fuzz!(PPE_MAP);
