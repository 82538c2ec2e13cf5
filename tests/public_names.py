"""The estimators that `centroidal` itself offers; its other public names are its rooms."""

import centroidal

PUBLIC_ESTIMATORS = [name for name in centroidal.__all__ if name[0].isupper()]
