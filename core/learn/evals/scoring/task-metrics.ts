import type { TaskSet } from '../task/read-tasks.ts'
import type { OutputType, TaskConfig } from '../task/task-config.ts'
import { isCorpusMetric } from './corpus/corpus-metrics.ts'
import { METRIC_NAMES, type MetricName } from './metric-names.ts'

/** Ways to make one figure of the values of all rows. */
export type Aggregation = NonNullable<NonNullable<TaskConfig['metric_list']>[number]['aggregation']>

/** A metric of a task with its settings. */
export interface TaskMetric {
  readonly name: MetricName
  readonly aggregation: Aggregation
  readonly isHigherBetter: boolean
  readonly ignore: {
    readonly case: boolean
    readonly punctuation: boolean
    readonly numbers: boolean
    readonly patterns: readonly string[]
  }
}

interface MetricFacts {
  readonly types: readonly OutputType[]
  readonly aggregation: Aggregation
  readonly isHigherBetter: boolean
}

/**
 * Of each metric: the tasks of callers that it is for, and the registered defaults of lm-evaluation-harness 0.4.13
 * (`lm_eval/api/metrics.py`).
 */
const FACTS: Readonly<Record<MetricName, MetricFacts>> = {
  acc: { types: ['loglikelihood', 'multiple_choice'], aggregation: 'mean', isHigherBetter: true },
  acc_norm: { types: ['multiple_choice'], aggregation: 'mean', isHigherBetter: true },
  acc_bytes: { types: ['multiple_choice'], aggregation: 'mean', isHigherBetter: true },
  acc_mutual_info: { types: ['multiple_choice'], aggregation: 'mean', isHigherBetter: true },
  exact_match: { types: ['multiple_choice', 'generate_until'], aggregation: 'mean', isHigherBetter: true },
  f1: { types: ['multiple_choice'], aggregation: 'f1', isHigherBetter: true },
  mcc: { types: ['multiple_choice'], aggregation: 'matthews_corrcoef', isHigherBetter: true },
  brier_score: { types: ['multiple_choice'], aggregation: 'brier_score', isHigherBetter: false },
  perplexity: { types: ['loglikelihood'], aggregation: 'perplexity', isHigherBetter: false },
  word_perplexity: { types: ['loglikelihood_rolling'], aggregation: 'weighted_perplexity', isHigherBetter: false },
  byte_perplexity: { types: ['loglikelihood_rolling'], aggregation: 'weighted_perplexity', isHigherBetter: false },
  bits_per_byte: { types: ['loglikelihood_rolling'], aggregation: 'bits_per_byte', isHigherBetter: false },
  bleu: { types: ['generate_until'], aggregation: 'bleu', isHigherBetter: true },
  chrf: { types: ['generate_until'], aggregation: 'chrf', isHigherBetter: true },
  'chrf++': { types: ['generate_until'], aggregation: 'chrf++', isHigherBetter: true },
  ter: { types: ['generate_until'], aggregation: 'ter', isHigherBetter: false },
  passed: { types: [], aggregation: 'mean', isHigherBetter: true },
  judge_score: { types: [], aggregation: 'mean', isHigherBetter: true },
}

const DEFAULTS: Readonly<Record<OutputType, readonly MetricName[]>> = {
  loglikelihood: ['perplexity', 'acc'],
  loglikelihood_rolling: ['word_perplexity', 'byte_perplexity', 'bits_per_byte'],
  multiple_choice: ['acc', 'acc_norm'],
  generate_until: ['exact_match'],
}

/** Returns the metrics of a task: its own, else those of its kind of requests. */
export function metricsOf(task: TaskConfig): readonly TaskMetric[] {
  const given: NonNullable<TaskConfig['metric_list']> =
    task.metric_list ?? DEFAULTS[task.output_type].map((metric) => ({ metric }))
  return given.map((each) => ({
    name: each.metric,
    aggregation: each.aggregation ?? FACTS[each.metric].aggregation,
    isHigherBetter: each.higher_is_better ?? FACTS[each.metric].isHigherBetter,
    ignore: {
      case: each.ignore_case ?? false,
      punctuation: each.ignore_punctuation ?? false,
      numbers: each.ignore_numbers ?? false,
      patterns: each.regexes_to_ignore ?? [],
    },
  }))
}

/** Returns the direction of a metric by its name; undefined for a name that is no metric. */
export function isHigherBetterOf(name: string): boolean | undefined {
  const metric = METRIC_NAMES.find((each) => each === name)
  return metric === undefined ? undefined : FACTS[metric].isHigherBetter
}

/** True for a metric that is computed for tasks of this kind. */
export function isMetricOf(name: MetricName, type: OutputType): boolean {
  return FACTS[name].types.includes(type)
}

/** True where a task has a metric of a corpus, for which rows have counts. */
export function hasCounts({ tasks }: TaskSet): boolean {
  return tasks.some((task) => metricsOf(task).some(({ name }) => isCorpusMetric(name)))
}

/** True for a metric that is 0 or 1 for each row, so that a row is right or wrong. */
export function isRightOrWrong(name: MetricName): boolean {
  return FACTS[name].aggregation === 'mean'
}
