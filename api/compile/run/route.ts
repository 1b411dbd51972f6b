import { z } from 'zod'
import { isCid } from '../../../core/compile/archive/cid.ts'
import type { TokenUsage } from '../../../core/compile/runtime/start-recipe.ts'
import { tokensPerSecond } from '../../../core/compile/runtime/tokens-per-second.ts'
import { RunReceipt } from '../../../core/ledger/receipts/run-receipt.ts'
import type { RunTarget } from '../../../db/compile/concepts/find-runnable.ts'
import { envelope, JsonValue } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { runRecipe } from './run-recipe.ts'
import { ConceptId, GivenConceptId, GivenVersionId, VersionId } from '../../kernel/schemas/ids.ts'

const flag = z.boolean().default(true)

const Target = z.object({
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

const Usage = z
  .object({
    prompt_tokens: z.int(),
    dropped_tokens: z.int().meta({ description: 'Tokens that a prompt longer than the context lost from its left' }),
    new_tokens: z.int(),
    tokens_per_second: z.number().meta({ description: 'New tokens per second of this answer' }),
  })
  .meta({ id: 'TokenUsage', description: 'What an adapter generated; absent for other kinds and for cached answers' })

export const runRoute = defineRoute({
  method: 'post',
  path: '/v1/run',
  operationId: 'run',
  group: 'run',
  summary: 'Run a concept or a version on an input',
  description:
    'Runs in this process. An abstention answers `output: null` and `abstained: true`. A cached answer costs no units; every answer carries a receipt of spec rs-1 unless `receipt` is false. An adapter runs on the base that it was fitted on, by the hash of its weights: on others it is refused with `base_mismatch`. Calls at the same time share the work of a base; too many are answered `model_busy`. Who hangs up ends the work.',
  auth: 'key',
  scope: 'run',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'run_input_bytes',
  idempotency: 'kernel',
  body: Target.extend({ input: JsonValue, use_cache: flag, receipt: flag })
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
    }),
  answers: {
    200: envelope(
      'The output',
      z.object({
        output: JsonValue,
        abstained: z.boolean(),
        confidence: z.number(),
        concept_id: ConceptId,
        version_id: VersionId,
        latency_us: z.int(),
        cache_hit: z.boolean(),
        usage: Usage.optional(),
        receipt: RunReceipt.nullable(),
      }),
    ),
  },
  errors: [
    'not_found',
    'quota_exhausted',
    'recipe_failed',
    'invalid_archive',
    'invalid_cid',
    'base_mismatch',
    'base_not_installed',
    'base_does_not_fit',
    'model_busy',
    'request_timeout',
  ],
}).handle(async ({ services, principal, body, hangUp, whenKept }) => {
  const outcome = await runRecipe(services, principal, {
    target: targetOf(body),
    input: body.input,
    useCache: body.use_cache,
    wantsReceipt: body.receipt,
    hangUp,
    whenKept,
  })
  return {
    status: 200,
    body: {
      output: outcome.result.output,
      abstained: outcome.result.abstained,
      confidence: outcome.result.confidence,
      concept_id: outcome.conceptId,
      version_id: outcome.versionId,
      latency_us: outcome.latencyUs,
      cache_hit: outcome.isCacheHit,
      ...(outcome.usage !== null && { usage: presentUsage(outcome.usage) }),
      receipt: outcome.receipt && { ...outcome.receipt },
    },
  }
})

function presentUsage({ promptTokens, droppedTokens, newTokens, generationMs }: TokenUsage): z.input<typeof Usage> {
  return {
    prompt_tokens: promptTokens,
    dropped_tokens: droppedTokens,
    new_tokens: newTokens,
    tokens_per_second: tokensPerSecond(newTokens, generationMs),
  }
}

function targetOf(body: z.output<typeof Target>): RunTarget {
  if (body.concept_id !== undefined) return { conceptId: body.concept_id }
  if (body.version_id !== undefined) return { versionId: body.version_id }
  return { artifactCid: body.artifact_cid ?? '' }
}
