import type { z } from 'zod'
import { mergeByAttention, voteOn } from '../../../../core/compile/runtime/routing/merge-answers.ts'
import { ComposeAnswer, ComposeBody } from '../../../../core/compile/wire/dispatch/compose.ts'
import { BILLING_ERRORS } from '../../../../core/billing/errors.ts'
import type { Candidate } from '../../../../core/compile/runtime/routing/route-call.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { RUNTIME_VERSION } from '../../../../core/kernel/version.ts'
import { signCompositionReceipt } from '../../../../core/ledger/receipts/primitive-receipts.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { askConcept, type Composed, type Composer, type Dispatch } from './ask-concept.ts'
import type { RoutedHead } from './routers.ts'
import { askInTurn, planSteps } from './sequence.ts'

export const composeRoute = defineRoute({
  method: 'post',
  path: '/v1/compose',
  operationId: 'compose',
  group: 'run',
  summary: 'Ask the concepts that a call is for, and merge their answers',
  description:
    'Finds the concepts of the account that the call is for: by its input, which is compared with sketches of the inputs that each version was fitted on, and by the words of the query. A calibrated classifier makes one probability of both, and only concepts with a probability of 0.4 or more are asked; without one the answer is `output: null` with a reason. The best `k` run at once until the deadline. `sequential` takes the concepts that the query names as steps and checks their types before anything runs (`types_do_not_chain`). Each run that is not out of the cache and did not fail counts as a run. The receipt has `primitive: composition` and holds the hashes of the receipts of all runs.',
  auth: 'key',
  scope: 'run',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'run_input_bytes',
  idempotency: 'kernel',
  body: ComposeBody,
  answers: { 200: envelope('The merged answer', ComposeAnswer) },
  errors: [
    'not_found',
    'artifact_revoked',
    'types_do_not_chain',
    'quota_exhausted',
    'invalid_archive',
    'request_timeout',
  ],
}).handle(async ({ services, principal, body, hangUp, whenKept }) => {
  const router = await services.routers.open({
    tenantId: principal.tenantId,
    bounds: boundsOf(principal),
    tag: body.tag,
  })
  const deadline = AbortSignal.timeout(body.deadline_ms)
  const composer: Composer = { services, principal, hangUp, whenKept, useCache: body.use_cache, deadline }
  const composed =
    body.strategy === 'sequential'
      ? await askInTurn(composer, await planSteps(composer, router.byQuery(body.query), body), body.input)
      : await askAtOnce(composer, router.byInput(body), body)
  requireAnswered(composed.dispatches)
  const receipt = composed.dispatches.length === 0 ? null : await sign({ services, principal }, body, composed)
  return {
    status: 200,
    body: {
      output: composed.output,
      strategy: body.strategy,
      dispatched: composed.dispatches.map((dispatch) => present(dispatch)),
      candidates: composed.candidates,
      ...(composed.reason !== null && { reason: composed.reason }),
      receipt,
    },
  }
})

async function askAtOnce(
  composer: Composer,
  candidates: readonly Candidate<RoutedHead>[],
  { input, k, strategy }: ComposeBody,
): Promise<Composed> {
  const asked = candidates.slice(0, strategy === 'top1' ? 1 : k)
  const dispatches = await Promise.all(asked.map(async (candidate) => await askConcept(composer, candidate, input)))
  const known = { dispatches, candidates: candidates.length }
  if (dispatches.length === 0) return { ...known, output: null, reason: 'no_candidates' }
  const answered = dispatches.flatMap(({ outcome, score }) => (outcome === null ? [] : [{ outcome, score }]))
  if (answered.length === 0) return { ...known, output: null, reason: 'all_failed' }
  const answers = answered.flatMap(({ outcome: { result }, score }) =>
    result.abstained ? [] : [{ output: result.output, weight: score * Math.max(0.01, result.confidence ?? 1) }],
  )
  if (answers.length === 0) return { ...known, output: null, reason: 'all_abstained' }
  const output =
    strategy === 'voting' ? voteOn(answers.map((answer) => ({ ...answer, weight: 1 }))) : mergeByAttention(answers)
  return { ...known, output, reason: null }
}

/** Throws `quota_exhausted` where no concept answered and the quota was the reason for one. */
function requireAnswered(dispatches: readonly Dispatch[]): void {
  if (dispatches.some(({ outcome }) => outcome !== null)) return
  const refused = dispatches.find(({ error }) => BILLING_ERRORS.quota_exhausted.matches(error))
  if (refused?.error) throw refused.error
}

async function sign(
  { services, principal }: Pick<Composer, 'services' | 'principal'>,
  { query, input, strategy }: ComposeBody,
  { output, dispatches }: Composed,
) {
  const { keyId, secret } = await services.receiptSecrets.current(principal.tenantId)
  return signCompositionReceipt(
    {
      inputHash: hashJson(input),
      outputHash: hashJson(output),
      queryHash: hashJson(query),
      strategy,
      dispatches: dispatches.map(({ concept, outcome }) => ({
        versionId: concept.versionId,
        receiptHash: outcome?.receipt ? hashJson({ ...outcome.receipt }) : null,
      })),
      runtimeVersion: RUNTIME_VERSION,
      issuedAt: services.now(),
    },
    { macKey: { keyId, secret }, signingKey: services.signingKeys.current },
  )
}

function present({ concept, score, outcome, error }: Dispatch): z.input<typeof ComposeAnswer>['dispatched'][number] {
  const named = {
    concept_id: concept.conceptId,
    name: concept.name,
    version_id: concept.versionId,
    score: Math.round(score * 10_000) / 10_000,
  }
  if (outcome === null) return { ...named, error: error?.code ?? 'deadline_passed' }
  const { result, isCacheHit, latencyUs, receipt } = outcome
  return {
    ...named,
    output: result.output,
    abstained: result.abstained,
    confidence: result.confidence,
    unlike_examples: result.unlikeExamples,
    cache: isCacheHit,
    latency_us: latencyUs,
    receipt: receipt && { ...receipt },
  }
}
