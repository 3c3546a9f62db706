//! What several benches share.

/// What this process has had of all processors, in milliseconds; the system counts in hundredths of a second.
pub(crate) fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("a number");
    (ticks(11) + ticks(12)) * 10
}
