//! Numbers for people, and what all panels draw alike.
