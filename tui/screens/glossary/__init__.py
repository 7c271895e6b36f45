"""The reference of terms, signals, instruments, actions and causes."""
