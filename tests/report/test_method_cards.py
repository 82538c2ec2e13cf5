from centroidal.model_selection import SELECTION_METHODS, comparison_lineup
from centroidal.report.method_cards import METHOD_CARDS, find_card


def test_every_method_of_selection_has_a_card():
    assert set(SELECTION_METHODS) - {"best"} <= set(METHOD_CARDS)


def test_every_member_of_the_default_comparison_has_a_card():
    assert [name for name in comparison_lineup(2000, neural=True) if find_card(name) is None] == []


def test_cards_are_complete_sentences():
    for card in METHOD_CARDS.values():
        assert all(
            text.endswith(".") for text in (card.what, card.pick, card.avoid, card.reference)
        )
        assert card.link is None or card.link.startswith("https://")
