from chaosops.generation.dice import SeededDice


def test_the_same_parts_draw_the_same() -> None:
    once, again = (
        [dice.below(100), dice.between(3, 5), dice.within(0, 1), dice.shuffled("abc")]
        for dice in (SeededDice(7, "x"), SeededDice(7, "x"))
    )
    assert once == again


def test_a_stream_of_its_own_does_not_depend_on_what_was_drawn_before() -> None:
    dice = SeededDice(7)
    before = dice.of("part").below(10**9)
    dice.below(10)
    assert dice.of("part").below(10**9) == before
    assert dice.of("other").below(10**9) != before


def test_some_keep_their_order() -> None:
    for seed in range(20):
        some = SeededDice(seed).some("abcdefgh", 4)
        assert len(some) == 4
        assert some == sorted(some)
    assert SeededDice(1).some("ab", 5) == ["a", "b"]
