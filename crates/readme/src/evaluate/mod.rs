//! Quality metrics of a document (SEC-132), results of runs, and comparisons of two runs.
