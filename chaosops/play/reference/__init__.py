"""The reference: every term, signal, instrument, action and cause, the same in each incident."""
