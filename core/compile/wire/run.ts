import { z } from 'zod'
import { ConceptId, GivenConceptId, GivenVersionId, VersionId } from '../../kernel/wire/ids.ts'
import { isCid } from '../archive/cid.ts'
import { Figure } from '../../kernel/wire/figure.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import { RunReceipt } from '../../ledger/receipts/run-receipt.ts'

const flag = z.boolean().default(true)

/** The three names of a version to run. */
export const RunTargetFields = z.object({
  concept_id: GivenConceptId.optional().meta({ description: 'Runs the newest version' }),
  version_id: GivenVersionId.optional(),
  artifact_cid: z
    .string()
    .refine((text) => isCid(text), {
      error: 'must have the form cidv1:sha256:<64 hex digits>',
      params: { code: 'invalid_cid' },
    })
    .optional(),
})

/** Tokens of one generated answer. */
export const TokenUsageView = z
  .object({
    prompt_tokens: z.int(),
    dropped_tokens: z.int().meta({ description: 'Tokens that a prompt longer than the context lost from its left' }),
    new_tokens: z.int(),
    tokens_per_second: z.number().meta({ description: 'New tokens per second of this answer' }),
  })
  .meta({ id: 'TokenUsage', description: 'Token use of an adapter; absent for other kinds and for cached answers' })

/** Body of `POST /v1/run`. */
export const RunBody = RunTargetFields.extend({ input: JsonValue, use_cache: flag, receipt: flag })
  .refine(
    (body) => [body.concept_id, body.version_id, body.artifact_cid].filter((id) => id !== undefined).length === 1,
    {
      path: ['concept_id'],
      error: 'give exactly one of concept_id, version_id, artifact_cid',
    },
  )
  .meta({
    id: 'RunRequest',
    override: { oneOf: ['concept_id', 'version_id', 'artifact_cid'].map((name) => ({ required: [name] })) },
  })

const CheckedAnswerView = z
  .object({ passed: z.array(z.string()).readonly(), failed: z.array(z.string()).readonly() })
  .meta({
    id: 'CheckedAnswer',
    description:
      'Checks of the verifier that the answer passed and failed, by their ids; null without an answer and for archives whose verifier is not applied',
  })

/** Answer of `POST /v1/run`. */
export const RunAnswer = z.object({
  output: JsonValue,
  abstained: z.boolean(),
  confidence: z.number().min(0).max(1).nullable().meta({
    description:
      'Calibrated confidence of the answer, at most one half when it fails a check or its input is unlike the examples; null where it says nothing, as for a program without a certificate',
  }),
  checks: CheckedAnswerView.nullable(),
  unlike_examples: z.boolean().nullable().meta({
    description:
      'True when the input fails a check that the inputs of the examples pass: type, members, size, range, characters, trigrams. Null for archives without such checks',
  }),
  concept_id: ConceptId,
  version_id: VersionId,
  latency_us: z.int(),
  figures: z
    .object({ latency_us: Figure })
    .optional()
    .meta({ description: 'What stands behind the numbers of this answer' }),
  cache_hit: z.boolean(),
  usage: TokenUsageView.optional(),
  receipt: RunReceipt.nullable(),
})

/** The details of `recipe_failed` when a recipe refuses the type of its input. */
export const TypeRefusal = z.looseObject({ reason: z.literal('type_mismatch') })
