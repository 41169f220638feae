//! Time and memory limits for an input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Memory limit of the smallest file, in bytes.
const MIN_MEMORY: usize = 256 << 20;
/// Memory limit of a larger file, in bytes per byte.
const MEMORY_PER_BYTE: usize = 8;
/// CPU time limit per byte of a file: one second per megabyte.
const TIME_PER_BYTE: Duration = Duration::from_micros(1);
/// Additional CPU time for every file, because cache effects dominate small ones.
const MIN_TIME: Duration = Duration::from_millis(25);
/// Slowdown compared to the program, due to edge counters and sanitizer checks.
const FUZZ_SLOWDOWN: u32 = 4;

/// Number of bytes currently allocated.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
/// Maximum number of bytes that may be allocated.
static MAX_ALLOCATED: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator, which aborts the program if an input exceeds its memory limit.
struct Bounded;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

fn grow(bytes: usize) {
    let now = ALLOCATED.fetch_add(bytes, Relaxed) + bytes;
    if now > MAX_ALLOCATED.load(Relaxed) {
        too_much(now);
    }
}

#[cold]
fn too_much(bytes: usize) {
    let max = MAX_ALLOCATED.swap(usize::MAX, Relaxed);
    eprintln!(
        "takes {} KiB of memory; at most {} KiB\n{}",
        bytes >> 10,
        max >> 10,
        Backtrace::force_capture()
    );
    std::process::abort();
}

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller fulfils the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Restricts readers to one thread: starting others takes longer than reading a small file.
pub(crate) fn pin_to_one_cpu() {
    let mut one = CpuSet::new();
    one.set(sched_getcpu());
    sched_setaffinity(None, &one).expect("a program may choose one of its processors");
}

/// CPU time of this process, which other processes hardly affect.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Runs `what` on a file of this size and panics if it exceeds its limits.
pub(crate) fn hold(bytes: usize, time_factor: u32, what: impl Fn()) {
    let memory = bytes.saturating_mul(MEMORY_PER_BYTE).max(MIN_MEMORY);
    let max_time = (MIN_TIME + TIME_PER_BYTE * bytes as u32) * FUZZ_SLOWDOWN * time_factor;
    let mut time = Duration::MAX;
    // A single slow run may have waited for memory; take the fastest of three.
    for _ in 0..3 {
        let before = ALLOCATED.load(Relaxed);
        MAX_ALLOCATED.store(before.saturating_add(memory), Relaxed);
        let begin = cpu_time();
        what();
        time = time.min(cpu_time().saturating_sub(begin));
        MAX_ALLOCATED.store(usize::MAX, Relaxed);
        if time <= max_time {
            return;
        }
    }
    panic!("{bytes} bytes take {time:?}; at most {max_time:?}");
}
