#![no_main]

mapscope_fuzz::fuzz!(IKA_TEXT_MAP);
