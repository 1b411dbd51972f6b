import type { z } from 'zod'
import type { TokenUsage } from '../../../core/compile/runtime/start-recipe.ts'
import { tokensPerSecond } from '../../../core/compile/runtime/tokens-per-second.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { runRecipe } from './run-recipe.ts'
import { targetOf } from './target-of.ts'
import { RunAnswer, RunBody, type TokenUsageView } from '../../../core/compile/wire/run.ts'
import { defineRoute } from '../services.ts'

export const runRoute = defineRoute({
  method: 'post',
  path: '/v1/run',
  operationId: 'run',
  group: 'run',
  summary: 'Run a concept or a version on an input',
  description:
    'Runs in this process. An abstention answers `output: null` and `abstained: true`; a version that abstains in doubt also withholds answers that fail a check, belong to an input unlike the examples or lie below the threshold of its certificate. A cached answer costs no units; every answer carries a receipt of spec rs-1 unless `receipt` is false. An adapter runs on the base that it was fitted on, by the hash of its weights: on others it is refused with `base_mismatch`. Calls at the same time share the work of a base; too many are answered `model_busy`. Disconnecting cancels the request.',
  auth: 'key',
  scope: 'run',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'run_input_bytes',
  idempotency: 'kernel',
  body: RunBody,
  answers: {
    200: envelope('The output', RunAnswer),
  },
  errors: [
    'not_found',
    'artifact_revoked',
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
      checks: outcome.result.checks,
      unlike_examples: outcome.result.unlikeExamples,
      concept_id: outcome.conceptId,
      version_id: outcome.versionId,
      latency_us: outcome.latencyUs,
      figures: { latency_us: { basis: 'measured', value: outcome.latencyUs, n: 1, how: LATENCY } },
      cache_hit: outcome.isCacheHit,
      ...(outcome.usage !== null && { usage: presentUsage(outcome.usage) }),
      receipt: outcome.receipt && { ...outcome.receipt },
    },
  }
})

/** Measurement of an answer's latency. */
const LATENCY = 'this call, inside the process that answered it'

function presentUsage({
  promptTokens,
  droppedTokens,
  newTokens,
  generationMs,
}: TokenUsage): z.input<typeof TokenUsageView> {
  return {
    prompt_tokens: promptTokens,
    dropped_tokens: droppedTokens,
    new_tokens: newTokens,
    tokens_per_second: tokensPerSecond(newTokens, generationMs),
  }
}
