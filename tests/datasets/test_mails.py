import numpy as np
import pytest

from centroidal.datasets import make_mails
from centroidal.datasets._generators import made_up_words


@pytest.fixture(scope="module")
def mails():
    return make_mails(4000, drift=1.0, random_state=0)


def share_in_spam(mails, words, part):
    """Share of the occurrences of `words` in some of the mails that are in spam."""
    words, texts, target = set(words), mails.data[part], mails.target[part]
    counts = [
        sum(word in words for text in texts[target == code] for word in text.split())
        for code in (0, 1)
    ]
    return counts[1] / sum(counts)


def test_every_part_has_the_asked_size():
    made = make_mails(30, 100, n_informative=12, spam_share=0.2, random_state=0)
    assert made.data.shape == (30,)
    assert np.bincount(made.target).tolist() == [24, 6]
    assert made.target_names.tolist() == ["ham", "spam"]
    assert [len(made[key]) for key in ("ham_words", "early_words", "late_words")] == [4, 4, 4]


def test_a_word_is_told_for_one_thing_only(mails):
    words = np.concatenate([mails.ham_words, mails.early_words, mails.late_words])
    assert len(set(words)) == 90


def test_mails_have_the_asked_length_on_average(mails):
    assert np.mean([len(mail.split()) for mail in mails.data]) == pytest.approx(60, rel=0.02)


def test_topics_have_nothing_to_do_with_spam(mails):
    shares = [mails.target[mails.topics == topic].mean() for topic in range(8)]
    np.testing.assert_allclose(shares, 0.5, atol=0.07)


def test_mails_of_a_topic_share_more_words_than_others():
    made = make_mails(300, n_topics=3, random_state=0)
    bags = [set(mail.split()) for mail in made.data]
    shared = np.array([[len(one & other) for one in bags] for other in bags])
    is_same = made.topics == made.topics[:, None]
    assert shared[is_same & ~np.eye(300, dtype=bool)].mean() > 1.5 * shared[~is_same].mean()


def test_no_mail_is_empty():
    made = make_mails(300, words_per_mail=1, random_state=0)
    assert all(made.data)


# A word that is five times likelier in spam has 5 / 6 of its occurrences there.
@pytest.mark.parametrize(
    ("words", "at_first", "at_last"),
    [("ham_words", 1 / 6, 1 / 6), ("early_words", 5 / 6, 1 / 2), ("late_words", 1 / 2, 5 / 6)],
)
def test_words_say_what_they_are_to_say_at_their_time(mails, words, at_first, at_last):
    ends = slice(200), slice(-200, None)
    shares = [share_in_spam(mails, mails[words], end) for end in ends]
    np.testing.assert_allclose(shares, [at_first, at_last], atol=0.07)


def test_without_drift_late_words_say_nothing():
    made = make_mails(2000, random_state=0)
    share = share_in_spam(made, made.late_words, slice(-1000, None))
    assert share == pytest.approx(0.5, abs=0.04)


def test_the_same_seed_gives_the_same_mails(mails):
    again = make_mails(4000, drift=1.0, random_state=0)
    for part in mails:
        np.testing.assert_array_equal(again[part], mails[part])


def test_another_seed_gives_other_mails(mails):
    assert make_mails(4000, drift=1.0, random_state=1).data[0] != mails.data[0]


@pytest.mark.parametrize("count", [1, 4900, 6000])
def test_made_up_words_are_all_different(count):
    assert len(set(made_up_words(count))) == count


def test_two_mails_are_enough():
    assert make_mails(2, random_state=0).data.shape == (2,)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples=1 must be finite and at least 2"),
        ({"n_words": 6}, "n_informative=90 must lie between 0 and n_words=6"),
        ({"words_per_mail": 0}, "words_per_mail=0 must be finite and at least 1"),
        ({"spam_share": 1.5}, "spam_share=1.5 must lie between 0 and 1"),
        ({"spam_share": 0.0}, "spam_share=0.0 must leave each of two classes at least one of 2000"),
        ({"n_topics": 0}, "n_topics=0 must be finite and at least 1"),
        ({"drift": -0.1}, "drift=-0.1 must lie between 0 and 1"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_mails(**parameters)
