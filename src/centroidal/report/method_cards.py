"""What each method does, when to pick it and when not, in a few sentences."""

from typing import NamedTuple

__all__ = ["METHOD_CARDS", "MethodCard", "center_word", "find_card", "method_title"]


class MethodCard(NamedTuple):
    """A method in a few sentences."""

    title: str
    what: str
    pick: str
    avoid: str
    reference: str
    link: str | None = None


_CALAFIORE = (
    "G. C. Calafiore and G. Fracastoro, Sparse l1 and l2 center classifiers, IEEE Transactions on "
    "Neural Networks and Learning Systems 33 (2022), 996-1009."
)
_CALAFIORE_DOI = "https://doi.org/10.1109/TNNLS.2020.3036838"
_FRAIMAN = (
    "N. Fraiman and Z. Li, Classification with nearest disjoint centroids (2021), arXiv:2109.10436."
)
_ROZZA = (
    "A. Rozza, Classifiers based on a new approach to estimate the Fisher subspace and their "
    "applications, thesis, University of Milan (2010)."
)
_NIE = (
    "F. Nie, H. Huang, X. Cai and C. Ding, Efficient and robust feature selection via joint "
    "l2,1-norms minimization, NeurIPS 23 (2010); with class centroids as targets: Y. Xia, "
    "W.-Y. Su and S. Kong, Feature selection via l2-distance to centroids (manuscript)."
)
_RELIEF = (
    "I. Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994), 171-182."
)
_ENCODER = (
    "T. Ghosh and M. Kirby, Nonlinear feature selection using sparsity-promoted "
    "centroid-encoder, Neural Computing and Applications (2023)."
)
_LINEAR_ENCODER = (
    "T. Ghosh, K. Karimov and M. Kirby, Sparse linear centroid-encoder: a biomarker selection "
    "tool for high dimensional biological data, IEEE BIBM (2023), arXiv:2306.04824."
)
_TIBSHIRANI = (
    "R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu, Diagnosis of multiple cancer types by "
    "shrunken centroids of gene expression, PNAS 99 (2002), 6567-6572."
)
_SKLEARN = (
    "F. Pedregosa et al., Scikit-learn: machine learning in Python, JMLR 12 (2011), 2825-2830."
)

METHOD_CARDS = {
    "l2": MethodCard(
        "Sparse l2 centers",
        "Each class has a center, its mean, and a sample goes to the class of the nearest one. The "
        "centers may differ in k features only; those whose class means lie farthest apart are "
        "kept. The optimum is found exactly, for every k at once.",
        "Most tables in which some columns matter each by itself. It is among the fastest and the "
        "most stable.",
        "Features are judged one at a time: copies of the same information are all kept, and what "
        "only a combination shows is missed. A few wild samples can move a mean.",
        _CALAFIORE,
        _CALAFIORE_DOI,
    ),
    "l1": MethodCard(
        "Sparse l1 centers",
        "As sparse l2 centers, but the center of a class is its median and distances are sums of "
        "absolute differences. A few wild values move a median little.",
        "Dense data with outliers, such as expression measurements.",
        "Word counts and other features that are mostly zero: all their medians are zero. Without "
        "outliers l2 was a little more accurate.",
        _CALAFIORE,
        _CALAFIORE_DOI,
    ),
    "disjoint": MethodCard(
        "Disjoint centroids",
        "Every class is recognised by features of its own, those on which its samples lie close "
        "together. A sample goes to the class on whose features it is nearest, on average, to the "
        "class mean.",
        "Classes that differ in what varies little in them, even where their means are the same.",
        "A feature chosen for a class is not a marker of it: a gene that is switched on in one "
        "class often speaks for the classes in which it is quiet. Gaussian naive Bayes does about "
        "as well on the simulations made for this method.",
        _FRAIMAN,
        "https://arxiv.org/abs/2109.10436",
    ),
    "fisher": MethodCard(
        "Fisher subspace",
        "A few directions that vary strongly in all classes, such as a batch or a baseline, are "
        "damped; then the class means decide. All columns take part, and features are ranked by "
        "their weight in the result.",
        "Strong directions that have nothing to do with the classes hide the difference between "
        "them.",
        "No direction is much stronger than the others. On real gene expression a linear support "
        "vector machine was a little better. The method itself leaves no column out.",
        _ROZZA,
    ),
    "l21": MethodCard(
        "l2,1 centroid selection",
        "Looks for few features from which the centroid of the class of each sample can be "
        "reconstructed by a linear map. The problem is convex, and the solution comes with a "
        "certificate of how near the optimum it is.",
        "Redundant features, of which few that complement each other are wanted.",
        "A list that must not change: of two copies it keeps one, and which one is a matter of "
        "small differences.",
        _NIE,
    ),
    "relief": MethodCard(
        "ReliefF",
        "A feature scores if it differs between neighbours of different classes more than between "
        "neighbours of the same class. Neighbours are found with all features, so that "
        "combinations count.",
        "Features that matter only together; missing values. It is fast and stable.",
        "Thousands of features that are noise make neighbours meaningless. Copies of the same "
        "information are all kept.",
        _RELIEF,
        "https://doi.org/10.1007/3-540-57868-4_57",
    ),
    "encoder": MethodCard(
        "Sparse centroid-encoder",
        "A neural network maps each sample to the centroid of its class, through a layer with one "
        "weight for each feature; a penalty makes most of these weights zero.",
        "You want the representation that the network learns as well.",
        "A short list to rely on: the problem has many minima, another seed may keep quite other "
        "features, and it is the slowest.",
        _ENCODER,
        "https://doi.org/10.1007/s00521-023-08938-7",
    ),
    "linear encoder": MethodCard(
        "Linear centroid-encoder",
        "Weighted features are projected on a few axes so that samples come near the centroid of "
        "their class; the weights are a lasso, most of them zero.",
        "A few axes to draw are wanted beside the features.",
        "A list that must not change: like other penalties it keeps one of several copies.",
        _LINEAR_ENCODER,
        "https://arxiv.org/abs/2306.04824",
    ),
    "random": MethodCard(
        "Random features",
        "As many features as were selected, drawn by lot, and a plain classifier on them. It is "
        "there to be beaten.",
        "Always, as a reference: on a table with many informative features random ones do well.",
        "As a way to find anything.",
        "A reference, not a method.",
    ),
    "majority": MethodCard(
        "Majority class",
        "Every sample is given to the largest class.",
        "Always, as a reference: with unbalanced classes its accuracy is high.",
        "As a way to find anything.",
        "A reference, not a method.",
    ),
    "nearest centroid": MethodCard(
        "Nearest centroid",
        "A sample goes to the class whose mean is nearest, over all features.",
        "All features are informative, or there are few of them.",
        "Most features are noise: they all have a say.",
        _SKLEARN,
    ),
    "shrunken centroids": MethodCard(
        "Shrunken centroids",
        "Class means are drawn towards the common mean by a threshold; features in which they "
        "meet it have no say.",
        "Few of many features matter, as for sparse centers.",
        "The number of features is steered only indirectly, by the threshold.",
        _TIBSHIRANI,
        "https://doi.org/10.1073/pnas.082099299",
    ),
    "F test + SVM": MethodCard(
        "F test and support vector machine",
        "Keeps the features with the largest F statistic and separates the classes by planes with "
        "a wide margin.",
        "A plain, strong choice for features that matter each by itself.",
        "Features that matter only in combination; copies are all kept.",
        _SKLEARN,
    ),
    "l1 logistic": MethodCard(
        "Logistic regression with an l1 penalty",
        "A linear classifier whose penalty makes most coefficients zero.",
        "Redundant features, of which few are wanted.",
        "A list that must not change; the number of features is steered only indirectly.",
        _SKLEARN,
    ),
    "random forest": MethodCard(
        "Random forest",
        "Many decision trees, each grown from other samples and other features, vote.",
        "Features that matter only in combination, or by thresholds.",
        "A short list of features: it looks at nearly all of them.",
        "L. Breiman, Random forests, Machine Learning 45 (2001), 5-32.",
        "https://doi.org/10.1023/A:1010933404324",
    ),
    "naive Bayes": MethodCard(
        "Gaussian naive Bayes",
        "Knows mean and variance of every feature in every class and treats the features as "
        "independent.",
        "Features that are independent inside the classes, and classes that differ in variance.",
        "Many correlated features: on gene expression it was poor.",
        _SKLEARN,
    ),
}
_ALIASES = {  # members of the default comparison
    "sparse l2 centers": "l2",
    "sparse l1 centers": "l1",
    "disjoint centroids": "disjoint",
    "Fisher subspace": "fisher",
    "l2,1 + logistic": "l21",
    "ReliefF + logistic": "relief",
    "linear encoder + logistic": "linear encoder",
    "network + logistic": "encoder",
    "random features": "random",
    "majority class": "majority",
}


def find_card(name):
    """Return the card of a method, or of a member of the comparison; None if there is none."""
    return METHOD_CARDS.get(_ALIASES.get(name, name))


def method_title(name):
    """Return the name of a method as text is written."""
    card = find_card(name)
    return str(name) if card is None else card.title


def center_word(name):
    """Say what the center of a class is for a method."""
    return "median" if name == "l1" else "mean"
