//! What several themes share.
