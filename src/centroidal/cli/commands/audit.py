"""Can the number be believed? The main job, and verdicts on what it found."""

from .. import display
from . import select

HELP = "Select features, and say whether the score can be believed: verdicts with their numbers."
EXAMPLES = """\
  centroidal audit expression.csv --target tumour --report report.html
  centroidal audit expression.csv --target tumour --groups patient --covariates age
  centroidal audit expression.csv --target tumour --blocks batch --permute-within blocks
  centroidal audit expression.csv --target tumour --permutations 200 --stop-after 10 --json"""

HAS_A_NO = 3  # the exit code


def add_arguments(parser):
    """Add the arguments of select, of which those are left out that an audit answers."""
    select.add_arguments(parser, is_audit=True)


def run(args, messages):
    """Select features of a table with all evidence, and show the verdicts first."""
    from ...model_selection.verdicts import NO

    selection = select.select_and_show(args, messages, display.audit)
    has_a_no = any(each.verdict == NO for each in selection.checklist())
    return HAS_A_NO if has_a_no else None
