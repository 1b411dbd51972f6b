import { z } from 'zod'
import { NAMESPACE_NAME } from '../../../gateway/record/asked.ts'
import { ModelName } from '../../../gateway/wire/inference.ts'
import { GivenVersionId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { MOST_SAMPLES, VerifiedReceipt } from '../../../ledger/receipts/primitive-receipts.ts'

const DEFAULT_SAMPLES = 4
const MOST_CASES = 64

const TestCase = z.object({ input: JsonValue, expected: JsonValue }).meta({ id: 'VerifiedTestCase' })

const GivenJudgeId = z
  .string()
  .refine((text) => /^(cpt|cmp)_[0-9a-hjkmnp-tv-z]{26}$/.test(text), {
    error: 'no such concept or artifact',
    params: { code: 'not_found' },
  })
  .meta({ description: 'A concept, whose newest version judges, or an artifact', override: { type: 'string' } })

const JUDGES = ['judge_recipe_id', 'judge_version_id'] as const

/** The judge of the samples: test cases or a recipe. */
const VerifiedOptions = z
  .object({
    k: z.int().min(1).max(MOST_SAMPLES).default(DEFAULT_SAMPLES).meta({ description: 'Most samples that are taken' }),
    test_cases: z.array(TestCase).min(1).max(MOST_CASES).optional().meta({
      description:
        'With one case the answer has to be `expected`. With several the model is asked for a program of the recipe language, which is run on each input',
    }),
    judge_recipe_id: GivenJudgeId.optional(),
    judge_version_id: GivenVersionId.optional(),
    expected: JsonValue.optional().meta({ description: "The judge's output for a right answer" }),
  })
  .superRefine((given, context) => {
    const judges = JUDGES.filter((name) => given[name] !== undefined)
    const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (judges.length === 2) problem('judge_version_id', 'must be absent beside judge_recipe_id')
    if (given.test_cases !== undefined && judges.length > 0) {
      problem('test_cases', `must be absent beside ${judges.join(' and ')}: give test cases or a judge`)
    }
    if (given.test_cases === undefined && judges.length === 0) {
      problem('test_cases', 'is required: give test cases, or judge_recipe_id or judge_version_id')
    }
    if (judges.length > 0 && given.expected === undefined) problem('expected', 'is required with a judge')
    if (given.test_cases !== undefined && given.expected !== undefined) {
      problem('expected', 'must be absent beside test_cases: each test case has its own')
    }
  })
  .meta({
    id: 'VerifiedOptions',
    override: {
      oneOf: [{ required: ['test_cases'] }, ...JUDGES.map((name) => ({ required: [name, 'expected'] }))],
    },
    example: { k: 4, test_cases: [{ input: '2 + 2', expected: '4' }] },
  })

const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }).meta({ id: 'VerifiedBlock' }))])

/** Body of `POST /v1/wrap/verified`. */
export const VerifiedBody = z
  .object({
    messages: z
      .array(
        z
          .looseObject({ role: z.enum(['system', 'user', 'assistant']), content: Content })
          .meta({ id: 'VerifiedMessage' }),
      )
      .min(1)
      .meta({ description: 'The whole conversation, as in messages; system texts may stand in it' }),
    system: Content.optional(),
    model: ModelName,
    max_tokens: z.int().min(1).default(4096),
    temperature: z.number().min(0).max(2).default(0.7),
    verified: VerifiedOptions,
    corpus_namespace: z
      .string()
      .optional()
      .meta({
        override: { pattern: NAMESPACE_NAME.source },
        description: 'The namespace of the calls: its settings apply, and its documents ground the answer',
      }),
  })
  .meta({
    id: 'VerifiedRequest',
    example: {
      model: 'claude-haiku-4-5',
      messages: [{ role: 'user', content: 'Reply with the number 4 only.' }],
      max_tokens: 8,
      verified: { k: 4, test_cases: [{ input: '2 + 2', expected: '4' }] },
    },
  })
export type VerifiedBody = z.output<typeof VerifiedBody>

const Candidate = z
  .object({
    index: z.int(),
    passes: z.int(),
    total: z.int(),
    length: z.int().meta({ description: 'Characters of the text' }),
    compile_error: z.string().nullable().meta({ description: 'Why the sample is no program, or the judge failed' }),
    cost_usd: z.number().nullable(),
  })
  .meta({ id: 'VerifiedCandidate' })

/** Answer of `POST /v1/wrap/verified`, which has the form of a message. */
export const VerifiedAnswer = z.object({
  id: z.string(),
  type: z.literal('message'),
  model: z.string(),
  role: z.literal('assistant'),
  stop_reason: z.enum(['end_turn', 'verifier_unsatisfied']),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() }).meta({ id: 'VerifiedText' })),
  _svc: z
    .object({
      verified: z.boolean(),
      chosen: z
        .object({
          index: z.int(),
          source: z.string().meta({ description: 'The program that ran, else the text that was judged' }),
          passes: z.int(),
          total: z.int(),
          errors: z.array(z.string()).optional(),
        })
        .meta({ id: 'VerifiedChoice' }),
      candidates: z.array(Candidate),
      candidates_passed: z.int().optional().meta({ description: 'With a judge' }),
      candidates_n: z.int().optional().meta({ description: 'With a judge' }),
      cost_usd: z.number().nullable().meta({
        description: 'Measured cost of all samples; null for a model without a known price',
      }),
      elapsed_ms: z.int(),
      recall_chunks: z.int().meta({ description: 'Passages of documents that the model got; 0 without documents' }),
      stopped_by: z.string().nullable().meta({
        description: 'The code of the error that ended the sampling before k samples; null without one',
      }),
      receipt: VerifiedReceipt,
    })
    .meta({ id: 'VerifiedFacts' }),
})
