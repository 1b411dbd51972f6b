import { z } from 'zod'
import { CORPUS_METRIC_NAMES, METRIC_NAMES } from '../scoring/metric-names.ts'

/** The kinds of requests that a task makes. */
export const OUTPUT_TYPES = ['loglikelihood', 'loglikelihood_rolling', 'multiple_choice', 'generate_until'] as const
export type OutputType = (typeof OUTPUT_TYPES)[number]

/** Metrics of a task, and pipelines of filters with their steps: far more than any published task has. */
const MOST_METRICS = 50
const MOST_FILTERS = 50

const Json = z.json()
const Template = z.string().max(100_000)
const Split = z.string().min(1).max(200)

const FewShot = z.strictObject({
  sampler: z.enum(['default', 'first_n']).default('default'),
  split: Split.optional(),
  samples: z.array(z.record(z.string(), Json)).max(1000).optional(),
  /** Read and not used, as in lm-evaluation-harness 0.4.13. */
  fewshot_indices: z.array(z.int().min(0)).optional(),
  doc_to_text: Template.optional(),
  doc_to_choice: z.union([Template, z.array(z.string()), z.record(z.string(), z.string())]).optional(),
  doc_to_target: z.union([Template, z.int()]).optional(),
  gen_prefix: z.string().optional(),
  fewshot_delimiter: z.string().optional(),
  target_delimiter: z.string().optional(),
})

const MetricFields = z.strictObject({
  metric: z.enum(METRIC_NAMES),
  aggregation: z
    .enum([
      'mean',
      'median',
      'perplexity',
      'weighted_perplexity',
      'bits_per_byte',
      'f1',
      'matthews_corrcoef',
      'brier_score',
      ...CORPUS_METRIC_NAMES,
    ])
    .optional(),
  higher_is_better: z.boolean().optional(),
  ignore_case: z.boolean().optional(),
  ignore_punctuation: z.boolean().optional(),
  ignore_numbers: z.boolean().optional(),
  regexes_to_ignore: z.array(z.string().max(1000)).max(100).optional(),
  /** A member of groups; read and not used here, as in lm-evaluation-harness 0.4.13. */
  weight_by_size: z.boolean().optional(),
  /** Of f1: read and not used, as in lm-evaluation-harness 0.4.13, which computes F1 of the class 1. */
  average: z.string().optional(),
})
const EXACT_SETTINGS = ['ignore_case', 'ignore_punctuation', 'ignore_numbers', 'regexes_to_ignore'] as const

const Metric = MetricFields.superRefine((metric, context) => {
  const { metric: name, aggregation, average } = metric
  const refuse = (field: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [field], message })
  }
  if (average !== undefined && name !== 'f1') refuse('average', `is a setting of f1, and ${name} has none`)
  const corpus = CORPUS_METRIC_NAMES.find((each) => each === name || each === aggregation)
  if (corpus === undefined) return
  if (name !== (aggregation ?? name)) refuse('aggregation', `${name} is not aggregated as ${aggregation}`)
  const setting = EXACT_SETTINGS.find((each) => metric[each] !== undefined)
  if (setting !== undefined) refuse(setting, `is a setting of exact_match, and ${name} has none`)
})

const FilterStep = z.discriminatedUnion('function', [
  z.strictObject({
    function: z.literal('regex'),
    regex_pattern: z
      .string()
      .max(10_000)
      .default(String.raw`#### (\-?[0-9\.\,]+)`),
    group_select: z.int().default(0),
    fallback: z.string().default('[invalid]'),
  }),
  z.strictObject({ function: z.literal('remove_whitespace') }),
  z.strictObject({ function: z.literal('lowercase') }),
  z.strictObject({ function: z.literal('uppercase') }),
  z.strictObject({
    function: z.literal('map'),
    mapping_dict: z.record(z.string(), z.string()).default({}),
    default_value: z.string().nullable().default(null),
  }),
  z.strictObject({ function: z.literal('choice_letter') }),
  z.strictObject({ function: z.literal('take_first') }),
  z.strictObject({ function: z.literal('take_first_k'), k: z.int().min(1) }),
  z.strictObject({ function: z.literal('majority_vote') }),
])

/** A step of a pipeline of filters. */
export type FilterStep = z.output<typeof FilterStep>

const Generation = z.looseObject({
  until: z.union([z.string(), z.array(z.string())]).optional(),
  do_sample: z.boolean().optional(),
  temperature: z.coerce.number().min(0).max(100).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  max_gen_toks: z.int().min(1).max(100_000).optional(),
  max_new_tokens: z.int().min(1).max(100_000).optional(),
  max_tokens: z.int().min(1).max(100_000).optional(),
})

/**
 * A task in the members of lm-evaluation-harness 0.4.13 (`lm_eval/config/task.py`). Members that need code (`process_docs`
 * and `process_results` as functions, images, audio) are unknown members here.
 */
export const TaskConfig = z.strictObject({
  task: z.string().min(1).max(200),
  task_alias: z.string().optional(),
  tag: z.union([z.string(), z.array(z.string())]).optional(),
  dataset_path: z.string().optional(),
  dataset_name: z.string().nullable().optional(),
  dataset_kwargs: z.record(z.string(), Json).nullish(),
  training_split: Split.nullable().optional(),
  validation_split: Split.nullable().optional(),
  test_split: Split.nullable().optional(),
  fewshot_split: Split.nullable().optional(),
  doc_to_text: z.union([Template, z.int()]),
  doc_to_target: z.union([Template, z.int(), z.array(z.union([z.string(), z.int()]))]),
  doc_to_choice: z.union([Template, z.array(z.string()), z.record(z.string(), z.string())]).optional(),
  description: Template.default(''),
  target_delimiter: z.string().default(' '),
  fewshot_delimiter: z.string().default('\n\n'),
  fewshot_config: FewShot.optional(),
  num_fewshot: z.int().min(0).max(1000).optional(),
  metric_list: z.array(Metric).min(1).max(MOST_METRICS).optional(),
  output_type: z.enum(OUTPUT_TYPES).default('generate_until'),
  generation_kwargs: Generation.optional(),
  repeats: z.int().min(1).max(1000).default(1),
  filter_list: z
    .array(z.strictObject({ name: z.string().min(1), filter: z.array(FilterStep).min(1).max(MOST_FILTERS) }))
    .min(1)
    .max(MOST_FILTERS)
    .optional(),
  should_decontaminate: z.boolean().optional(),
  doc_to_decontamination_query: z.string().optional(),
  gen_prefix: z.string().nullable().optional(),
  metadata: z.record(z.string(), Json).nullish(),
})
export type TaskConfig = z.output<typeof TaskConfig>

/** A group of tasks and how their figures are aggregated. */
export const GroupConfig = z.strictObject({
  group: z.string().min(1).max(200),
  group_alias: z.string().optional(),
  task: z
    .array(z.union([z.string(), z.record(z.string(), Json)]))
    .min(1)
    .max(200),
  aggregate_metric_list: z
    .array(
      z.strictObject({
        metric: z.string(),
        aggregation: z.literal('mean').default('mean'),
        weight_by_size: z.boolean().default(true),
        filter_list: z.union([z.string(), z.array(z.string())]).default('none'),
      }),
    )
    .optional(),
  metadata: z.record(z.string(), Json).optional(),
})
export type GroupConfig = z.output<typeof GroupConfig>
