"""The figures of SciPy, statsmodels and choix for the cases on standard input, as JSON: {statistic: [figures of a case, ...]}."""

import json
import random
import sys

import choix
import numpy as np
import statsmodels.api as sm
from scipy import stats
from scipy.stats._resampling import BootstrapResult
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

RIDGE = 1e-3


def bca(case):
    """The interval of a mean, of the resamples that Python's generator draws."""
    values = np.array(case["values"])
    draw = random.Random(case["seed"])
    n = len(values)
    means = np.array(
        [sum(values[int(draw.random() * n)] for _ in range(n)) / n for _ in range(case["resamples"])]
    )
    given = BootstrapResult(confidence_interval=None, bootstrap_distribution=means, standard_error=0.0)
    found = stats.bootstrap((values,), np.mean, n_resamples=0, bootstrap_result=given, method="BCa")
    return [found.confidence_interval.low, found.confidence_interval.high]


def bradley_terry(case):
    """Strengths whose mean is 0. Each comparison counts twice, so that a tie is a win for either side."""
    wins = []
    for each in case["preferences"]:
        first, second = each["first"], each["second"]
        wins += [(first, second)] * round(2 * each["won"]) + [(second, first)] * round(2 - 2 * each["won"])
    strengths = choix.opt_pairwise(case["items"], wins, alpha=2 * RIDGE, method="Newton-CG", tol=1e-12)
    return list(strengths - np.mean(strengths))


def clustered_error(case):
    values = np.array(case["values"])
    groups = np.unique(case["clusters"], return_inverse=True)[1]
    options = {"groups": groups, "use_correction": False, "df_correction": False}
    return list(sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=options).bse)


def fisher(case):
    hits, size, all_hits, total = (case[name] for name in ("hits", "size", "allHits", "total"))
    table = [[hits, size - hits], [all_hits - hits, total - size - all_hits + hits]]
    return [stats.fisher_exact(table, alternative="greater")[1]]


FIGURES = {
    "mcnemar": lambda c: [mcnemar([[0, c["lost"]], [c["won"], 0]], exact=True).pvalue] if c["lost"] + c["won"] else [1.0],
    "wilson": lambda c: list(proportion_confint(c["k"], c["n"], alpha=0.05, method="wilson")),
    "clopper_pearson": lambda c: [proportion_confint(c["k"], c["n"], alpha=0.1, method="beta")[1]],
    "benjamini_hochberg": lambda c: list(multipletests(c, method="fdr_bh")[1]),
    "holm": lambda c: list(multipletests(c, method="holm")[1]),
    "clustered_error": clustered_error,
    "fisher": fisher,
    "standard_error": lambda c: [stats.sem(c)],
    "normal": lambda c: [stats.norm.ppf(c), stats.norm.cdf(6 * c - 3)],
    "bca": bca,
    "bradley_terry": bradley_terry,
}

cases = json.load(sys.stdin)
json.dump({name: [[float(f) for f in FIGURES[name](case)] for case in given] for name, given in cases.items()}, sys.stdout)
