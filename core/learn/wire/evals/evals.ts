import { z } from 'zod'
import { NAMESPACE_NAME } from '../../../gateway/record/asked.ts'
import { DatasetId, EvaluationId, GivenArtifactId, GivenDatasetId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { EVAL_SIDES, EVAL_SOURCES, EVAL_STATES } from '../../evals/evaluation.ts'
import { INTERVAL_METHODS } from '../../evals/scoring/interval-methods.ts'

/** The namespace of an evaluation: the same names as those of captures. */
export const EvalNamespace = z
  .string()
  .regex(NAMESPACE_NAME, { error: 'must be lower-case letters, digits and dashes, at most 63' })
  .meta({ description: 'Namespace of the evaluation', example: 'support' })

const Row = z.record(z.string(), JsonValue)
const FileName = z.string().min(1).max(200)
const TaskText = z
  .string()
  .min(1)
  .max(256 * 1024)

/** The target of an evaluation. */
const Target = z
  .union([
    z.strictObject({
      artifact_id: GivenArtifactId.meta({ description: 'An artifact of yours, asked as `POST /v1/run` asks it' }),
    }),
    z.strictObject({
      base: z.string().min(1).max(100).meta({ description: 'A base model of this server', example: 'nano' }),
      adapter_id: GivenArtifactId.optional().meta({
        description: 'An artifact of yours whose adapter is put on the base',
      }),
    }),
    z.strictObject({
      model: z.string().min(1).max(256).meta({
        description: "A provider's model, or the operator's teacher by its name: named as in calls of the gateway",
        example: 'openai/gpt-4o-mini',
      }),
    }),
  ])
  .meta({ id: 'EvaluationTarget' })

/** Rows of a dataset of yours. */
const Dataset = z
  .strictObject({
    id: GivenDatasetId,
    version: z.int().min(1).max(1_000_000).optional().meta({ description: 'The newest one when absent' }),
    side: z.enum(EVAL_SIDES).default('holdout').meta({ description: 'The rows that are evaluated' }),
  })
  .meta({ id: 'EvaluationDataset' })

const EvalFields = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'A name for people; the name of the task when absent' }),
  namespace: EvalNamespace.optional().meta({
    description: 'Namespace of the evaluation; that of the dataset when absent',
    example: 'support',
  }),
  target: Target,
  task: TaskText.optional().meta({
    description:
      'A task, or a group of tasks, in the YAML of lm-evaluation-harness 0.4.13. `!function` is refused. Required with `data`; with a dataset the default asks for the output of a row, word for word',
    example:
      'task: capitals\ntest_split: test\noutput_type: multiple_choice\ndoc_to_text: "{{question}}"\ndoc_to_choice: choices\ndoc_to_target: answer\n',
  }),
  files: z
    .record(FileName, TaskText)
    .default({})
    .refine((files) => Object.keys(files).length <= 100, 'has more than 100 files')
    .meta({ description: 'Further YAML files by their names, for `include` and for the tasks of a group' }),
  dataset: Dataset.optional().meta({
    description:
      'Rows of a dataset in place of `data`: the asked side is the split `test`, the other rows to learn from are `train`. Besides their own columns they have `input`, `output`, `row_id` and `row_hash`',
  }),
  data: z
    .record(z.string().min(1).max(400), z.array(Row))
    .optional()
    .meta({
      description: 'Rows by the name of their split; `task/split` for the rows of one task of a group',
      example: { test: [{ question: 'Capital of France?', choices: ['Paris', 'Rome'], answer: 0 }] },
    }),
  num_fewshot: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .meta({ description: "Examples in each prompt, in place of the task's number" }),
  limit: z.int().min(1).max(1_000_000).optional().meta({ description: 'Rows of each task at most, from the first on' }),
  seed: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(1234)
    .meta({ description: 'Seed of the examples and of drawn answers; the default is that of lm-evaluation-harness' }),
  slice_by: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Column by whose values the figures are also shown' }),
  cluster_by: z.string().min(1).max(200).optional().meta({
    description: 'Column whose equal values belong together, such as a passage: intervals are clustered by it',
  }),
})

/** JSON body of `POST /v1/evals`. */
export const EvalBody = EvalFields.superRefine(({ data, dataset, task }, context) => {
  if ((data === undefined) === (dataset === undefined)) {
    context.addIssue({ code: 'custom', path: ['data'], message: 'give either data or dataset' })
  }
  if (data !== undefined && task === undefined) {
    context.addIssue({ code: 'custom', path: ['task'], message: 'is required with data' })
  }
}).meta({
  override: { oneOf: [{ required: ['data'] }, { required: ['dataset'] }], dependentRequired: { data: ['task'] } },
})

/** The part `spec` of `POST /v1/evals/import`. */
export const ImportLogSpec = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  namespace: EvalNamespace.optional(),
})

/** Multipart body of `POST /v1/evals/import`. */
export const ImportLogForm = z.object({
  spec: z.string().optional().meta({ description: '`name` and `namespace` of the evaluation as JSON' }),
  file: z.string().meta({
    description: 'A file of the log; may be given several times',
    override: { type: 'string', format: 'binary' },
  }),
})

const Interval = z.object({
  low: z.number(),
  high: z.number(),
  method: z.enum(INTERVAL_METHODS),
})

/** One figure of an evaluation. */
const Figure = z
  .object({
    task: z.string(),
    filter: z.string(),
    metric: z.string().meta({ description: 'A metric of lm-evaluation-harness; of an imported log whatever it names' }),
    slice: z.string().nullable().meta({ description: 'Null for the whole task' }),
    value: z.number().nullable().meta({
      description: 'Null where it is not a finite number. `bleu`, `chrf`, `chrf++` and `ter` are scaled to 100',
    }),
    stderr: z.number().nullable().meta({ description: 'Standard error as lm-evaluation-harness gives it' }),
    n: z.int().meta({ description: 'Rows' }),
    higher_is_better: z.boolean(),
    interval: Interval.nullable().meta({
      description:
        '95 % interval of a mean, or of a figure of the corpus (`bootstrap`). `clustered` where `cluster_by` puts several rows together; there too `wilson`, over the rows that the clusters are worth, when all rows are right or all are wrong. Null for scores that are all alike and neither 0 nor 1',
    }),
    smallest_effect: z.number().nullable().meta({
      description:
        'Smallest difference that a test at level 0.05 finds with power 0.8 on this many rows. Null where all rows score alike: their variance is unknown',
    }),
  })
  .meta({ id: 'EvaluationFigure' })

const Pass = z
  .object({
    task: z.string(),
    k: z.int(),
    pass_at_k: z.number().meta({ description: 'Share of rows that at least one of k answers solves, without bias' }),
    pass_hat_k: z.number().meta({ description: 'Share of rows that all of k answers solve' }),
    n: z.int(),
  })
  .meta({ id: 'EvaluationPass' })

/** An evaluation. */
export const EvalView = z
  .object({
    evaluation_id: EvaluationId,
    name: z.string(),
    namespace: z.string(),
    state: z.enum(EVAL_STATES),
    target: z.string(),
    tasks: z.array(z.string()),
    data_hash: z.string().meta({ description: 'SHA-256 over the hashes of all rows in their order' }),
    rows: z.int(),
    scored: z.int(),
    source: z.enum(EVAL_SOURCES).meta({
      description: '`measured`: scored here; `asserted`: stated by an imported log, and never taken as measured',
    }),
    dataset: z
      .object({ id: DatasetId, version: z.int(), side: z.enum(EVAL_SIDES), merkle_root: z.string() })
      .nullable()
      .meta({ description: 'The version whose rows were read; null where the rows came with the call' }),
    usage: z
      .object({
        answered: z.int().meta({ description: 'Rows that the model has answered' }),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_usd: z.number().nullable().meta({ description: 'Null where the cost of an answer is not known' }),
      })
      .nullable()
      .meta({ description: "What a provider's model was paid for, as it reported; null for other targets" }),
    cut_tokens: z.int().meta({ description: 'Tokens that were cut from the left of prompts beyond the context' }),
    figures: z.array(Figure).nullable().meta({ description: 'Null until all rows are scored' }),
    passes: z.array(Pass).nullable().meta({ description: 'Of tasks with `repeats`' }),
    groups: z
      .array(
        z.object({
          group: z.string(),
          metric: z.string(),
          value: z.number().nullable(),
          stderr: z.number().nullable(),
          n: z.int(),
        }),
      )
      .nullable(),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    poll: z.string(),
  })
  .meta({ id: 'Evaluation' })
export type EvalView = z.output<typeof EvalView>

/** Answer of `GET /v1/evals`. */
export const ListEvalsAnswer = z.object({
  evaluations: z.array(EvalView),
  count: z.int(),
  next_cursor: NextCursor,
})

/** A row of an evaluation. */
const EvalRowView = z
  .object({
    row: z.int().meta({ description: 'Number in the evaluation, from 1' }),
    task: z.string(),
    doc_id: z.int().meta({ description: 'Position in its split, from 0' }),
    right: z
      .boolean()
      .nullable()
      .meta({ description: 'Null before it is scored, and where rows are neither right nor wrong' }),
    slice: z.string().nullable(),
    expected: JsonValue,
    got: JsonValue.meta({ description: 'The answer; of multiple choice the index of the likeliest option' }),
    doc: Row,
    requests: z.array(z.looseObject({ type: z.string() })),
    choices: z.array(z.string()).nullable(),
    responses: z.looseObject({ type: z.string() }).nullable(),
    scores: z.array(
      z.object({
        filter: z.string(),
        filtered: JsonValue,
        metrics: z.record(z.string(), JsonValue).meta({
          description:
            'Of `bleu`, `chrf`, `chrf++` and `ter` the counts of the row, whose sums over all rows give the figure',
        }),
        alone: z.record(z.string(), z.number()).meta({
          description: 'Of `bleu`, `chrf`, `chrf++` and `ter` the score of the row alone, as `sentence_…` of sacrebleu',
        }),
      }),
    ),
    cut_tokens: z.int().nullable(),
  })
  .meta({ id: 'EvaluationRow' })

/** Answer of `GET /v1/evals/{id}/rows`. */
export const EvalRowsAnswer = z.object({
  evaluation_id: EvaluationId,
  rows: z.array(EvalRowView),
  count: z.int(),
  next_from: z.int().nullable().meta({ description: '`from` of the next page; null on the last one' }),
})
