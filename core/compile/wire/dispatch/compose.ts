import { z } from 'zod'
import { COMPOSE_STRATEGIES } from '../../runtime/routing/merge-answers.ts'
import { ConceptId, VersionId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { RunReceipt } from '../../../ledger/receipts/run-receipt.ts'
import { CompositionReceipt, MOST_DISPATCHES } from '../../../ledger/receipts/primitive-receipts.ts'

/** Longest time that a composition may take, milliseconds. */
const LONGEST_MS = 60_000

/** Body of `POST /v1/compose`. */
export const ComposeBody = z
  .object({
    query: z.string().min(1).max(4000).meta({ description: 'The task in words', example: 'route a customer message' }),
    input: JsonValue,
    k: z.int().min(1).max(MOST_DISPATCHES).default(5).meta({ description: 'Concepts that are asked at most' }),
    strategy: z.enum(COMPOSE_STRATEGIES).default('attention').meta({
      description:
        '`attention`: answers weighted by score and confidence: numbers by their mean, booleans and other values by vote, lists by the union in the order of their weight. `voting`: the answer of most. `top1`: only the best concept is asked. `sequential`: the concepts that the query names are steps in the order in which it names them, and the output of each is the input of the next',
    }),
    tag: z.string().min(1).max(32).optional().meta({ description: 'Only concepts with this tag' }),
    deadline_ms: z
      .int()
      .min(1)
      .max(LONGEST_MS)
      .default(10_000)
      .meta({ description: 'A concept that has not answered by then is left out, and not charged' }),
    use_cache: z.boolean().default(true),
  })
  .meta({ id: 'ComposeRequest' })
export type ComposeBody = z.output<typeof ComposeBody>

const Dispatched = z
  .object({
    concept_id: ConceptId,
    name: z.string(),
    version_id: VersionId,
    score: z.number().min(0).max(1).meta({
      description:
        'Calibrated probability that the call is for the concept; of a step of `sequential`, the share of the words about it that the query has',
    }),
    output: JsonValue.optional(),
    abstained: z.boolean().optional(),
    confidence: z.number().nullable().optional(),
    unlike_examples: z.boolean().nullable().optional(),
    cache: z.boolean().optional().meta({ description: 'True for an answer out of the cache, which costs no unit' }),
    latency_us: z.int().optional(),
    receipt: RunReceipt.nullable().optional().meta({
      description: 'Of this run; the receipt of the composition holds its hash',
    }),
    error: z.string().optional().meta({
      description:
        'Machine code of a run that failed, in place of its answer; `deadline_passed` for one that took too long',
    }),
  })
  .meta({ id: 'ComposeDispatch' })

/** Answer of `POST /v1/compose`. */
export const ComposeAnswer = z.object({
  output: JsonValue.meta({ description: 'Null without an answer; then `reason` says why' }),
  strategy: z.enum(COMPOSE_STRATEGIES),
  dispatched: z
    .array(Dispatched)
    .meta({ description: 'The best candidate first; of `sequential`, in the order of the steps' }),
  candidates: z.int().meta({ description: 'Concepts above the floor; those beyond `k` are not asked' }),
  reason: z
    .enum(['no_candidates', 'all_abstained', 'all_failed', 'step_failed', 'step_abstained'])
    .optional()
    .meta({ description: '`no_candidates`: no concept has a probability above the floor' }),
  receipt: CompositionReceipt.nullable().meta({ description: 'Null where nothing was asked' }),
})
