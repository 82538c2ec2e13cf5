"""Types and functions that a model file may name; anything else is refused by name.

Keys of `ALLOWED` are the loaders of skops: what a name is to be built by.
"""

from collections.abc import Sequence

__all__ = ["ALLOWED", "ESTIMATORS", "KEY_TYPES", "trust"]

ESTIMATORS = {
    "centroidal.classifiers.conformal.ConformalClassifier",
    "centroidal.classifiers.cost_sensitive.CostSensitiveClassifier",
    "centroidal.classifiers.decision_dag.DecisionDAGClassifier",
    "centroidal.classifiers.disjoint_centroid.DisjointCentroidClassifier",
    "centroidal.classifiers.fisher_subspace.FisherSubspace",
    "centroidal.classifiers.fisher_subspace_classifier.FisherSubspaceClassifier",
    "centroidal.classifiers.kernel_fisher_subspace.KernelFisherSubspaceClassifier",
    "centroidal.classifiers.mixture_fisher.MixtureFisherClassifier",
    "centroidal.classifiers.online_fisher_subspace.OnlineFisherSubspaceClassifier",
    "centroidal.classifiers.sparse_center.SparseCenterClassifier",
    "centroidal.classifiers.whitened_center.WhitenedCenterClassifier",
    "centroidal.feature_selection.column.ColumnSelector",
    "centroidal.feature_selection.sparse_centroid_encoder.SparseCentroidEncoder",
    "centroidal.feature_selection.l21_centroid.L21CentroidSelector",
    "centroidal.feature_selection.linear_centroid_encoder.LinearCentroidEncoder",
    "centroidal.feature_selection.margin.MarginSelector",
    "centroidal.feature_selection.recursive_ridge.RecursiveRidgeSelector",
    "centroidal.feature_selection.relieff.ReliefFSelector",
    "centroidal.model_selection.disjoint_centroid_cv.DisjointCentroidClassifierCV",
    "centroidal.model_selection.federated.SiteCounts",
    "centroidal.model_selection.federated.SiteSummary",
    "centroidal.model_selection.fisher_subspace_cv.FisherSubspaceClassifierCV",
    "centroidal.model_selection.linear_svm.ProbabilityLinearSVC",
    "centroidal.model_selection.random_features.RandomFeaturesClassifier",
    "centroidal.model_selection.ranked_features_cv.RankedFeaturesClassifierCV",
    "centroidal.model_selection.sparse_center_cv.SparseCenterClassifierCV",
    "centroidal.model_selection.stability.StabilitySelector",
    "centroidal.model_selection.whitened_center_cv.WhitenedCenterClassifierCV",
    "centroidal.preprocessing.word_counter.WordCounter",
    "centroidal.preprocessing.word_counter.WordHasher",
    "centroidal.preprocessing.word_counter.WordWeights",
    # Of scikit-learn, those that compute with arrays alone. Trees and support vector machines are
    # not among them: their compiled loops believe indices that a file could forge.
    "sklearn.calibration.CalibratedClassifierCV",
    "sklearn.compose._column_transformer.ColumnTransformer",
    "sklearn.decomposition._pca.PCA",
    "sklearn.decomposition._truncated_svd.TruncatedSVD",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.feature_extraction.text.CountVectorizer",
    "sklearn.feature_extraction.text.HashingVectorizer",
    "sklearn.feature_extraction.text.TfidfTransformer",
    "sklearn.feature_extraction.text.TfidfVectorizer",
    "sklearn.feature_selection._from_model.SelectFromModel",
    "sklearn.feature_selection._univariate_selection.SelectKBest",
    "sklearn.feature_selection._univariate_selection.SelectPercentile",
    "sklearn.feature_selection._variance_threshold.VarianceThreshold",
    "sklearn.impute._base.MissingIndicator",
    "sklearn.impute._base.SimpleImputer",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.linear_model._ridge.RidgeClassifier",
    "sklearn.naive_bayes.ComplementNB",
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.naive_bayes.MultinomialNB",
    "sklearn.neighbors._nearest_centroid.NearestCentroid",
    "sklearn.pipeline.FeatureUnion",
    "centroidal._model_html.ModelPipeline",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.MaxAbsScaler",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.Normalizer",
    "sklearn.preprocessing._data.PowerTransformer",
    "sklearn.preprocessing._data.QuantileTransformer",
    "sklearn.preprocessing._data.RobustScaler",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder",
    "sklearn.preprocessing._encoders.OrdinalEncoder",
    "sklearn.preprocessing._function_transformer.FunctionTransformer",
    "sklearn.preprocessing._label.LabelBinarizer",
    "sklearn.preprocessing._label.LabelEncoder",
    "sklearn.svm._classes.LinearSVC",  # whose compiled code is for fitting alone
}
_PARTS = {
    "centroidal.statistics.class_moments.ClassMoments",
    "centroidal.statistics.class_subspace.ClassSubspace",
    "centroidal.statistics.sliding_subspace.Chunk",
    "centroidal.statistics.sliding_subspace.SlidingSubspace",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.model_selection._split.GroupKFold",
    "sklearn.model_selection._split.GroupShuffleSplit",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.LeaveOneGroupOut",
    "sklearn.model_selection._split.LeaveOneOut",
    "sklearn.model_selection._split.RepeatedKFold",
    "sklearn.model_selection._split.RepeatedStratifiedKFold",
    "sklearn.model_selection._split.ShuffleSplit",
    "sklearn.model_selection._split.StratifiedGroupKFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.model_selection._split.StratifiedShuffleSplit",
}
_TUPLES = {
    "builtins.tuple",
    "centroidal.classifiers.disjoint_centroid_rule.DisjointSolution",
    "centroidal.classifiers.conformal.SelectionRecord",
    "centroidal.classifiers.fisher_recipe.FisherSolution",
    "centroidal.classifiers.fisher_recipe.ThresholdPoint",
    "centroidal.classifiers.sparse_center_rule.Solution",
    "centroidal.classifiers.disjoint_centroid_rule.Groups",
    "centroidal.classifiers.kernel_fisher_subspace.Training",
    "centroidal.classifiers.online_fisher_subspace.Stream",
    "centroidal.preprocessing.words.Vocabulary",
    "centroidal.solvers.fisher_subspace.LinearRule",
    "centroidal.solvers.sparse_centers.CenterPath",
    "centroidal.solvers.distances.Whitening",
    "centroidal.solvers.background.Background",
    "centroidal.solvers.background.UsualBackground",
    "centroidal.solvers.conformal.Calibration",
    "centroidal.solvers.outliers.ClassReference",
    "centroidal.solvers.outliers.Usual",
    "centroidal.statistics.class_moments.MomentsByFold",
    "centroidal.statistics.gram.GramSummary",
    "centroidal.statistics.sample_count.SampleCount",
    "centroidal.statistics.spectrum.Spectrum",
}
_SCALARS = {
    f"numpy.{name}"
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "longlong"),
        *("uint8", "uint16", "uint32", "uint64", "ulonglong"),
        *("float16", "float32", "float64", "str_", "datetime64", "timedelta64"),
    )
}
_UFUNCS = (
    *("absolute", "arcsinh", "cbrt", "exp", "expm1", "log", "log10", "log1p", "log2", "sqrt"),
    *("square", "tanh"),
)
_FUNCTIONS = {  # without effects beyond what they return
    *(f"numpy.{name}" for name in _UFUNCS),
    *(f"numpy._core._multiarray_umath.{name}" for name in _UFUNCS),  # as older versions say
    "centroidal.preprocessing.counts.normalise_total",
    "centroidal.preprocessing.words.split_words",
    "centroidal.preprocessing.spectra.savitzky_golay",
    "centroidal.preprocessing.spectra.standard_normal_variate",
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.metrics._classification.accuracy_score",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._classification.f1_score",
    "sklearn.metrics._classification.log_loss",
    "sklearn.metrics._classification.matthews_corrcoef",
    "sklearn.metrics._ranking.roc_auc_score",
}
KEY_TYPES = {f"builtins.{name}" for name in ("bool", "float", "int", "str")} | _SCALARS
ALLOWED = {
    "DictNode": {"builtins.dict"},
    "DTypeNode": {"numpy.dtype"},
    "FunctionNode": _FUNCTIONS,
    "JsonNode": {"builtins.str"},
    "ListNode": {"builtins.list"},
    "NdArrayNode": {"numpy.ndarray"} | _SCALARS,
    "ObjectNode": ESTIMATORS | _PARTS,
    "SliceNode": {"builtins.slice"},
    "SparseMatrixNode": {
        f"scipy.sparse._{kind}.{kind}_{sort}"
        for kind in ("csc", "csr")
        for sort in ("array", "matrix")
    },
    "TupleNode": _TUPLES,
    "TypeNode": KEY_TYPES
    | {
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
    },
}


def trust(*estimators: str, tuples: Sequence[str] = ()) -> None:
    """Let model files hold further types, from now on and in this process.

    A type that is trusted is imported and built when a file names it, so its constructor and its
    state must be harmless, whatever a file says.

    Parameters
    ----------
    *estimators : str
        Dotted names of estimators, such as ``"package.module.Estimator"``.
    tuples : sequence of str, default=()
        Dotted names of named tuples that are part of their fitted state.
    """
    for name in (*estimators, *tuples):
        if not isinstance(name, str) or "." not in name:
            raise ValueError(f"{name!r} must be the dotted name of a type, with its module.")
    ESTIMATORS.update(estimators)
    ALLOWED["ObjectNode"].update(estimators)
    ALLOWED["TupleNode"].update(tuples)
