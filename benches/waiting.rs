//! 10,000 tasks that wait 100 ms each in one superstep, as calls of models do: the wall time against the wait, and the peak of memory.
//! `cargo bench --no-default-features --bench waiting`
#![allow(clippy::print_stdout, reason = "it is a program of its own")]

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use stategraph::engine::{END, Frozen, START, State, StateGraph};

const TASKS: usize = 10_000;
const WAIT: Duration = Duration::from_millis(100);
const RUNS: u32 = 5;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Sum {
    #[state(add)]
    total: usize,
}

async fn wait(_: Frozen<Sum>) -> SumUpdate {
    tokio::time::sleep(WAIT).await;
    Sum::update().total(1)
}

fn main() {
    let graph = StateGraph::new("waiting")
        .node("wait", wait)
        .fan_out(START, |_: &Sum| 0..TASKS, "wait")
        .edge("wait", END)
        .compile()
        .expect("the graph has no defects");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    for _ in 0..RUNS {
        let started = Instant::now();
        let run = graph.run(Sum::default()).max_concurrency(TASKS);
        let total = runtime.block_on(run).expect("it runs").state.total;
        assert_eq!(total, TASKS);
        let wall = started.elapsed();
        let ratio = wall.as_secs_f64() / WAIT.as_secs_f64();
        println!("{TASKS} tasks of {WAIT:?}: {wall:.1?}, {ratio:.2} x the wait, peak {} MiB", peak_mib());
    }
}

/// Returns the peak of resident memory of this process in MiB; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|kib| kib.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
