// SPDX-License-Identifier: MIT
//
// examples/library.cpp in Rust: the library that `make lib` builds, called as `make declarations` reads it from pe.h.
//
//     make lib declarations
//     PE=$PWD/build rustc -O -L build -l posenc examples/library.rs -o build/rust && LD_LIBRARY_PATH=build build/rust
use std::{ffi::CStr, os::raw::c_char, process::exit};

#[allow(dead_code, non_camel_case_types)]
mod pe {
    include!(concat!(env!("PE"), "/pe_declarations.rs"));
}
use pe::*;

fn text(at: *const c_char) -> &'static str {
    unsafe { CStr::from_ptr(at) }.to_str().unwrap()
}

fn say(what: &str, status: pe_status, x: &[f32]) {
    if status != PE_OK {
        eprintln!("{}: {}", what, text(unsafe { pe_status_string(status) }));
        exit(1);
    }
    let next = |h: u64, v: &f32| (h ^ u64::from(v.to_bits())).wrapping_mul(0x100000001b3);
    println!("{} {:016x}", what, x.iter().fold(0xcbf29ce484222325, next));
}

fn main() {
    const ROWS: usize = 48;
    const WIDTH: usize = 64;
    let mut x = vec![0f32; ROWS * WIDTH];
    unsafe {
        println!("# {}", text(pe_isa_name()));
        if pe_selftest() != PE_OK {
            exit(1);
        }
        let status = pe_sinusoidal_f32(x.as_mut_ptr(), ROWS, WIDTH);
        say("table", status, &x);

        let config = pe_config { base: 500000.0, ..pe_config_default(WIDTH) };
        let mut memory = vec![0u8; pe_plan_size(&config)]; // to be kept as long as the plan is used
        let mut plan: pe_plan = std::mem::zeroed();
        let mut status = pe_plan_init(&mut plan, &config, memory.as_mut_ptr().cast(), memory.len());
        if status == PE_OK {
            status = pe_fill_f32(&plan, pe_from(1000000), ROWS, x.as_mut_ptr(), WIDTH);
        }
        say("plan", status, &x);
        let heads = pe_heads { heads: 4, head_stride: WIDTH, token_stride: 4 * WIDTH };
        let status = pe_rope_f32(&plan, pe_from(131072), ROWS / 4, x.as_mut_ptr(), heads);
        say("rope", status, &x);
    }
}
