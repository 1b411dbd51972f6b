import { z } from 'zod'
import { EvaluationId, GivenArtifactId, GivenBenchPackId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { BENCHMARKS } from '../../evals/bench/benchmarks.ts'
import type { Limits } from '../../limits.ts'
import { EVAL_STATES } from '../../evals/evaluation.ts'
import { EvalNamespace } from '../evals/evals.ts'

const COMMON = {
  confirm: z
    .boolean()
    .optional()
    .meta({ description: 'Must be true: a run takes long, and a judge costs', example: true }),
  artifact_id: GivenArtifactId.optional().meta({
    description: 'An artifact of yours, asked as `POST /v1/run` asks it',
  }),
  base: z.string().min(1).max(100).optional().meta({ description: 'A base model of this server', example: 'nano' }),
  adapter_id: GivenArtifactId.optional().meta({ description: 'An artifact of yours whose adapter is put on the base' }),
  model: z.string().min(1).max(200).optional().meta({
    description: "A model of a provider, asked with your key or the operator's",
    example: 'openai/gpt-4o-mini',
  }),
  pack_id: GivenBenchPackId.optional().meta({
    description: 'A pack of yours; when absent your newest of the namespace, else the installed one',
  }),
  namespace: EvalNamespace.optional(),
  name: z.string().min(1).max(200).optional().meta({ description: 'A name for people' }),
  seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(1234).meta({ description: 'Seed of drawn answers' }),
}
const MaxTokens = z.int().min(1).max(100_000).meta({ description: 'Tokens of one answer at most' })
const Temperature = z.number().min(0).max(2)

/** The target of a run: an artifact, a base with or without an adapter, or a model of a provider. */
interface Asked {
  readonly artifact_id?: string | undefined
  readonly base?: string | undefined
  readonly adapter_id?: string | undefined
  readonly model?: string | undefined
}

const isOneTarget = ({ artifact_id: artifactId, base, model }: Asked): boolean =>
  [artifactId, base, model].filter((each) => each !== undefined).length === 1
const ONE_TARGET = { path: ['artifact_id'], error: 'give one of artifact_id, base and model' }
const isAdapterOnBase = ({ adapter_id: adapterId, base }: Asked): boolean =>
  adapterId === undefined || base !== undefined
const ADAPTER_ON_BASE = { path: ['adapter_id'], error: 'belongs to a base' }
/** The same for readers of the document; a run needs the caller's word. */
const STATED = {
  override: {
    oneOf: [
      statedAs('artifact_id', ['base', 'model', 'adapter_id']),
      statedAs('base', ['artifact_id', 'model']),
      statedAs('model', ['artifact_id', 'base', 'adapter_id']),
    ],
  },
}

/** The schema of a body that names its target by one field, and none of the others. */
function statedAs(field: keyof Asked, others: readonly (keyof Asked)[]) {
  return {
    required: ['confirm', field],
    properties: { confirm: { const: true } },
    not: { anyOf: others.map((other) => ({ required: [other] })) },
  }
}

/** Returns the schema of the JSON body of `POST /v1/bench/mmlu`. */
export const mmluBody = ({ bench_rows: mostRows }: Pick<Limits, 'bench_rows'>) =>
  z
    .strictObject({
      ...COMMON,
      subjects: z
        .array(z.string().min(1).max(100))
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'Subjects; all when absent', example: ['astronomy'] }),
      n_samples: z
        .int()
        .min(1)
        .max(mostRows)
        .optional()
        .meta({ description: 'Questions of each subject at most, from the first on' }),
      num_fewshot: z
        .int()
        .min(0)
        .max(5)
        .default(0)
        .meta({ description: "Examples in each prompt, of the pack's dev files" }),
      answer: z.enum(['likelihood', 'text']).optional().meta({
        description:
          'Compare the likelihoods of the four letters, or read a letter out of an answer. A base is asked by likelihood when absent; an artifact gives texts alone',
      }),
      max_gen_toks: MaxTokens.default(32),
    })
    .refine(isOneTarget, ONE_TARGET)
    .refine(isAdapterOnBase, ADAPTER_ON_BASE)
    .meta(STATED)

/** Returns the schema of the JSON body of `POST /v1/bench/humaneval`. */
export const humanEvalBody = ({ bench_rows: mostRows }: Pick<Limits, 'bench_rows'>) =>
  z
    .strictObject({
      ...COMMON,
      n_samples: z.int().min(1).max(200).default(1).meta({ description: 'Completions of each task' }),
      limit: z.int().min(1).max(mostRows).optional().meta({ description: 'Tasks at most, from the first on' }),
      temperature: Temperature.optional().meta({ description: '0 when absent, and 0.8 with more than one completion' }),
      max_gen_toks: MaxTokens.default(512),
      sandbox_timeout_ms: z.int().min(100).max(300_000).default(30_000).meta({ description: 'Time of one program' }),
    })
    .refine(isOneTarget, ONE_TARGET)
    .refine(isAdapterOnBase, ADAPTER_ON_BASE)
    .meta(STATED)

/** Returns the schema of the JSON body of `POST /v1/bench/mtbench`. */
export const mtBenchBody = ({ bench_rows: mostRows }: Pick<Limits, 'bench_rows'>) =>
  z
    .strictObject({
      ...COMMON,
      n_samples: z.int().min(1).max(mostRows).optional().meta({ description: 'Questions at most, from the first on' }),
      judge_model: z.string().min(1).max(200).optional().meta({
        description: "The model that judges, asked with your key or the operator's; the operator's teacher when absent",
        example: 'openai/gpt-4o-mini',
      }),
      temperature: Temperature.default(0),
      max_gen_toks: MaxTokens.default(1024),
    })
    .refine(isOneTarget, ONE_TARGET)
    .refine(isAdapterOnBase, ADAPTER_ON_BASE)
    .meta(STATED)

const Interval = z.object({ low: z.number(), high: z.number() }).meta({ description: '95 % interval' })

const MmluResults = z.object({
  benchmark: z.literal('mmlu'),
  n: z.int(),
  correct: z.int(),
  accuracy: z.number(),
  interval: Interval,
  by_subject: z.record(
    z.string(),
    z.object({ n: z.int(), correct: z.int(), accuracy: z.number(), interval: Interval }),
  ),
  sample_runs: z.array(
    z.object({
      subject: z.string(),
      question: z.string(),
      expected: z.string(),
      got: JsonValue,
      right: z.boolean().nullable(),
    }),
  ),
})

const HumanEvalResults = z.object({
  benchmark: z.literal('humaneval'),
  n: z.int().meta({ description: 'Tasks' }),
  n_samples: z.int().meta({ description: 'Completions of each' }),
  passed: z.int().meta({ description: 'Completions that passed' }),
  pass_at_1: z.number(),
  pass_at: z.record(z.string(), z.number()).meta({ description: 'Pass@k by k, without bias (Chen et al. 2021)' }),
  interval: Interval.nullable().meta({ description: '95 % interval of pass@1 over the tasks; null for one task' }),
  by_task: z.array(
    z.object({
      task_id: z.string(),
      passed: z.int(),
      verdicts: z.record(z.string(), z.int()).meta({ description: 'How often each verdict of the checker was given' }),
      completion_sha256: z.string().meta({ description: 'Of the first completion' }),
      message: z.string().nullable().meta({ description: 'Of the first completion that failed' }),
    }),
  ),
})

const MtBenchResults = z.object({
  benchmark: z.literal('mtbench'),
  n: z.int().meta({ description: 'Questions whose two turns are judged' }),
  mean_score: z.number().nullable().meta({ description: '0 to 10; null where no question is judged' }),
  interval: Interval.nullable(),
  judge: z.string(),
  judge_errors: z.int().meta({ description: 'Turns that the judge gave no score; they count as no score, never as 0' }),
  by_category: z.record(z.string(), z.object({ n: z.int(), mean_score: z.number() })),
  by_question: z.array(
    z.object({
      question_id: JsonValue,
      category: z.string(),
      turn_1_score: z.number().nullable(),
      turn_2_score: z.number().nullable(),
      mean: z.number().nullable(),
      judge_error: z.string().nullable(),
    }),
  ),
})

/** A run of a benchmark. */
export const BenchRunView = z
  .object({
    run_id: EvaluationId,
    benchmark: z.enum(BENCHMARKS),
    name: z.string(),
    namespace: z.string(),
    state: z.enum(EVAL_STATES),
    target: z.string(),
    pack: z.object({
      pack_id: z.string().nullable().meta({ description: 'Null for a pack that the operator installed' }),
      name: z.string(),
      pack_sha256: z.string(),
      questions: z.int(),
    }),
    rows: z.int(),
    scored: z.int(),
    results: z
      .discriminatedUnion('benchmark', [MmluResults, HumanEvalResults, MtBenchResults])
      .nullable()
      .meta({ description: 'Null until all rows are scored' }),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    poll: z.string(),
    evaluation: z.string().meta({ description: 'The same run as an evaluation, with its rows and its log' }),
  })
  .meta({ id: 'BenchRun' })
export type BenchRunView = z.output<typeof BenchRunView>
