//! tlparse
