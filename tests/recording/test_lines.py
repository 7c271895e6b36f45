"""Lines of a log as bytes, before anything in them is believed."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from chaosops.recording.lines import needs_cleaning

_MOSTLY_PLAIN = st.lists(st.sampled_from(b'\\bfrunt"{} a\x00\x1b\x7f\n\xc3'), max_size=12).map(
    bytes
)


@example(b'{"text":"\\u001b[2J"}')
@example(b'{"text":"\x1b[2J"}')
@example(b'{"text":"a tab\\t, a line\\n, a quote \\" and a slash \\\\"}')
@given(st.binary(max_size=40) | _MOSTLY_PLAIN)
def test_a_line_is_cleaned_where_it_has_an_escape_or_anything_but_printable_ascii(
    raw: bytes,
) -> None:
    odd = any(not 0x20 <= byte <= 0x7E for byte in raw)
    escaped = any(one == ord("\\") and two in b"bfru" for one, two in pairwise(raw))
    assert needs_cleaning(raw + b"\n") is (odd or escaped)
