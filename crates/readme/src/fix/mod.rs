//! Repairs of a document that need no author (SEC-124 to 126).
