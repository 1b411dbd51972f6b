import type { z } from 'zod'
import {
  bestOf,
  verifierHash,
  type JudgedSample,
  type Verifier,
} from '../../../../core/compile/runtime/verified/judge-sample.ts'
import { VerifiedAnswer, VerifiedBody } from '../../../../core/compile/wire/dispatch/verified.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { RUNTIME_VERSION } from '../../../../core/kernel/version.ts'
import { signVerifiedReceipt } from '../../../../core/ledger/receipts/primitive-receipts.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { INFERENCE, INFERENCE_ERRORS } from '../../../gateway/inference/declaration.ts'
import { defineRoute } from '../../services.ts'
import { promptOf, requestOf } from './conversation.ts'
import { groundOf } from './ground.ts'
import { openJudge } from './judge.ts'
import { takeSample, type Sample, type Sampler } from './take-sample.ts'

export const verifiedRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/wrap/verified',
  operationId: 'wrapVerified',
  group: 'run',
  summary: 'Sample a model until an answer verifies',
  description:
    'Takes up to `k` samples of the conversation, one after the other, and stops at the first that passes. With one test case the answer has to be `expected`. With several the model is asked for a program of the recipe language, which is run on each input in bounded steps; nothing else that a model writes is executed. With a judge the recipe gets the text (an object where it is the JSON of one), and its output has to be `expected`; a judge that abstains or whose input is unlike its examples refuses. `corpus_namespace` puts up to 8 passages of its documents, found by the last turn of the user, before the system text, for keys with the scope `documents:read`. Without a passing sample the best one is answered with `verifier_unsatisfied`. Each sample is a call of the gateway: gate, quota, budget, receipt and capture apply to each, and a run of a judge counts as a run. The receipt has `primitive: verified-inference`.',
  body: VerifiedBody,
  answers: { 200: envelope('The answer', VerifiedAnswer) },
  errors: [...INFERENCE_ERRORS, 'not_found', 'invalid_archive'],
}).handle(async ({ op, services, principal, requestId, request, hangUp, body }) => {
  const startedAt = performance.now()
  const sampler: Sampler = { services, principal, requestId, request, hangUp }
  const { verifier, judge } = await openJudge(sampler, body.verified)
  const grounding = await groundOf({ ...sampler, op }, body)
  const taken = await takeSamples(sampler, { body, verifier, judge, grounding: grounding.text })
  const at = bestOf(taken.judged)
  const [chosen, sample] = [taken.judged[at], taken.samples[at]]
  if (chosen === undefined || sample === undefined) throw new Error('no sample was taken')
  const isVerified = chosen.passes === chosen.total
  const costMicros = sumOf(taken.costs)
  const { keyId, secret } = await services.receiptSecrets.current(principal.tenantId)
  const receipt = signVerifiedReceipt(
    {
      inputHash: hashJson(promptOf(body)),
      outputHash: hashJson(sample.text),
      runtimeVersion: RUNTIME_VERSION,
      issuedAt: services.now(),
      model: body.model,
      verifier: verifier.kind,
      verifierHash: verifierHash(verifier),
      k: body.verified.k,
      sampleHashes: taken.samples.map(({ text }) => hashJson(text)),
      passageHashes: grounding.passages,
      chosenIndex: at,
      passes: chosen.passes,
      total: chosen.total,
      isVerified,
      costUsdMicros: costMicros,
    },
    { macKey: { keyId, secret }, signingKey: services.signingKeys.current },
  )
  const answer: z.input<typeof VerifiedAnswer> = {
    id: newId('wrap'),
    type: 'message',
    model: body.model,
    role: 'assistant',
    stop_reason: isVerified ? 'end_turn' : 'verifier_unsatisfied',
    content: [{ type: 'text', text: sample.text }],
    _svc: {
      verified: isVerified,
      chosen: {
        index: at,
        source: chosen.source,
        passes: chosen.passes,
        total: chosen.total,
        ...(chosen.problem !== null && { errors: [chosen.problem] }),
      },
      candidates: taken.judged.map(({ passes, total, length, problem }, index) => ({
        index,
        passes,
        total,
        length,
        compile_error: problem,
        cost_usd: usdOf(taken.samples[index]?.costMicros ?? null),
      })),
      ...(verifier.kind === 'judge' && {
        candidates_passed: taken.judged.filter(({ passes, total }) => passes === total).length,
        candidates_n: taken.judged.length,
      }),
      cost_usd: usdOf(costMicros),
      elapsed_ms: Math.round(performance.now() - startedAt),
      recall_chunks: grounding.passages.length,
      stopped_by: taken.stoppedBy,
      receipt,
    },
  }
  return { status: 200, body: answer, headers: sample.headers }
})

interface Taken {
  readonly samples: readonly Sample[]
  readonly judged: readonly JudgedSample[]
  /** Costs of all calls, also of one whose sample could not be judged. */
  readonly costs: readonly (number | null)[]
  readonly stoppedBy: string | null
}

/** Takes samples up to the first that verifies. What refuses the first one is thrown; a later refusal ends the sampling. */
async function takeSamples(
  sampler: Sampler,
  {
    body,
    verifier,
    judge,
    grounding,
  }: { readonly body: VerifiedBody; readonly verifier: Verifier; readonly grounding: string } & Pick<
    Awaited<ReturnType<typeof openJudge>>,
    'judge'
  >,
): Promise<Taken> {
  const asked = requestOf(body, { verifier, grounding })
  const samples: Sample[] = []
  const judged: JudgedSample[] = []
  const costs: (number | null)[] = []
  for (let index = 0; index < body.verified.k; index++) {
    try {
      const sample = await takeSample(sampler, asked)
      costs.push(sample.costMicros)
      const result = await judge(sample.text)
      samples.push(sample)
      judged.push(result)
      if (result.passes === result.total) break
    } catch (error) {
      if (samples.length === 0 || !(error instanceof DomainError) || sampler.hangUp().aborted) throw error
      return { samples, judged, costs, stoppedBy: error.code }
    }
  }
  return { samples, judged, costs, stoppedBy: null }
}

/** Null as soon as one of the costs is not known. */
function sumOf(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0)
}

function usdOf(micros: number | null): number | null {
  return micros === null ? null : micros / 1e6
}
