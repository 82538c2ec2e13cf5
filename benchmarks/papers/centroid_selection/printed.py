"""The numbers that the paper prints, and those that its text gives for figures."""

__all__ = ["DISTANCES", "FEATURES_OF_GLIOMA", "LINEAR", "SAID_OF_FIGURE_4", "SECONDS"]

LINEAR = ("RFS", "SLCE", "Ours")


def by_method(*numbers):
    return dict(zip(LINEAR, numbers, strict=True))


# Table 1: seconds; the machine is not named.
SECONDS = {
    "ALLAML": by_method(177.07, 402.32, 157.72),
    "GLIOMA": by_method(68.59, 312.45, 61.94),
    "lung": by_method(45.23, 201.34, 39.87),
}

# Table 2: average distance to the class centroid on the first 20 features.
DISTANCES = {
    "ALLAML": by_method(1.95, 2.09, 1.95),
    "GLIOMA": by_method(17.67, 30.12, 17.69),
    "lung": by_method(8.82, 9.01, 8.81),
}

FEATURES_OF_GLIOMA = 22283  # of section 4.1.2; those of another set, GLI_85

# Section 4.4.2 has no table: {set: {method: (number of features, lowest and highest accuracy)}}.
SAID_OF_FIGURE_4 = {
    "ALLAML": {
        "RSCE": (20, 0.95, 0.95),
        "AO-SCE": (20, 0.85, 0.90),
        "SCE": (20, 0.70, 0.80),
        "Relief": (20, 0.70, 0.80),
    },
    "GLIOMA": {},
    "lung": {
        "RSCE": (60, 0.90, 0.90),
        "AO-SCE": (100, 0.88, 0.90),
        "SCE": (100, 0.88, 0.90),
        "Relief": (100, 0.88, 0.90),
    },
}
