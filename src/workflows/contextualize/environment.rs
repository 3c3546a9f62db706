//! Settings of the environment and of a `.env` file.
