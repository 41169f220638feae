//! The time and memory that an input may take.

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// What the smallest file may take of memory, in bytes.
const MIN_MEMORY: usize = 256 << 20;
/// What a larger one may take for each of its bytes.
const MEMORY_PER_BYTE: usize = 8;
/// What a file may take of the processor's time: a second a megabyte.
const TIME_PER_BYTE: Duration = Duration::from_micros(1);
/// What the smallest one may take, since what stands in the caches of the processor counts there.
const MIN_TIME: Duration = Duration::from_millis(25);
/// How many times as long everything takes as in the program: edges are counted and sums checked.
const SLOWER: u32 = 4;

/// What is allocated now, in bytes.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
/// What may be allocated, in bytes.
static MAX_ALLOCATED: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator, which stops the program where an input takes too much.
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

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps the contract, which is the same.
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

/// Lets readers have one thread: starting others takes longer than reading a small file.
pub(crate) fn stay_on_one_processor() {
    let mut one = CpuSet::new();
    one.set(sched_getcpu());
    sched_setaffinity(None, &one).expect("a program may choose one of its processors");
}

/// The processor's time that this program has had, which others beside it hardly change.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Does something with a file of so many bytes, and panics if that takes too much.
pub(crate) fn hold(bytes: usize, patience: u32, what: impl Fn()) {
    let memory = bytes.saturating_mul(MEMORY_PER_BYTE).max(MIN_MEMORY);
    let max_time = (MIN_TIME + TIME_PER_BYTE * bytes as u32) * SLOWER * patience;
    let mut time = Duration::MAX;
    // What is slow once may have waited for memory; what is slow again is slow.
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
