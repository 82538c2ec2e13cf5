"""How the paper's sentences are put to the numbers.

Every sentence becomes a question that is asked in several cases, such as sets or methods. It
*holds* if the answer is yes in all of them, *holds mostly* in at least half of them, and else
*does not hold*. Questions and bounds on accuracies (figure 4) were fixed before the run; those on
tables 1 and 2 and figures 1 to 3, most of whose numbers do not depend on a seed, were put into
words after a first look, so they describe more than they test.
"""

import numpy as np

from .._output import Claim, verdict

__all__ = ["judged"]


def judged(figure, text, question, answers, instead):
    """Judge a sentence by {case: yes or no}."""
    share = np.mean(list(answers.values()))
    return Claim(figure, text, f"{question}: {describe(answers)}", instead, verdict(share))


def describe(answers):
    """Write 'yes in 2 of 3 cases (ALLAML 1.2 times), no: lung 0.9 times'."""
    yes = [name for name, answer in answers.items() if answer]
    no = [name for name, answer in answers.items() if not answer]
    text = f"yes in {len(yes)} of {len(answers)} cases"
    text += f" ({'; '.join(yes)})" if yes else ""
    return text + (f", no: {'; '.join(no)}" if no else "")
