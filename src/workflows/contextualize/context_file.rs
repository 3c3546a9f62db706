//! Context files: front matter, paths below the output folder, writing without loss.
