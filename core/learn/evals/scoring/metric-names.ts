/** The metrics of generated texts that are computed from counts over all rows: see `CorpusMetric`. */
export const CORPUS_METRIC_NAMES = ['bleu', 'chrf', 'chrf++', 'ter'] as const

/** Name of a metric that is computed from counts over all rows. */
export type CorpusMetricName = (typeof CORPUS_METRIC_NAMES)[number]

/** The metrics of lm-evaluation-harness that are computed here, and those of benchmarks, which no task of a caller names. */
export const METRIC_NAMES = [
  'acc',
  'acc_norm',
  'acc_bytes',
  'acc_mutual_info',
  'exact_match',
  'f1',
  'mcc',
  'brier_score',
  'perplexity',
  'word_perplexity',
  'byte_perplexity',
  'bits_per_byte',
  ...CORPUS_METRIC_NAMES,
  'passed',
  'judge_score',
] as const

/** Name of a metric. */
export type MetricName = (typeof METRIC_NAMES)[number]
