import { textOf } from '../../../core/gateway/captures/recording/logged-call.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { newTimedId } from '../../../core/kernel/ids.ts'
import { READY_ROWS } from '../../../core/learn/traffic/cluster.ts'
import { ObserveAnswer, ObserveBody, partOf } from '../../../core/learn/wire/bridges.ts'
import { findClusters } from '../../../db/learn/traffic/list-clusters.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { jsonOf, refusedBy, requireKept, STORE_ERRORS } from '../../gateway/captures/recording/logs.ts'
import { asksNothingKept, commitAll, recorderOf, rulesIn } from '../../gateway/captures/recording/record.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentSaving } from './present-saving.ts'

const MICROS = 1e6

export const observeCallRoute = defineRoute({
  method: 'post',
  path: '/v1/bridges/observe',
  operationId: 'observeCall',
  group: 'bridges',
  summary: 'Record one call that was made elsewhere',
  description:
    'Stores the call as a capture, redacted as the settings of its namespace say; with an `Idempotency-Key` once. Calls that differ only in names, numbers and quoted texts have one template. From the fourth call of a template on, the answer has a suggestion with the saving of a month and what it is computed from.',
  auth: 'key',
  scope: 'capture:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'records',
  bodyLimit: 'capture_log_bytes',
  body: ObserveBody,
  answers: { 200: envelope('The stored call', ObserveAnswer) },
  errors: [...STORE_ERRORS, 'retention_conflict'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:write', body.namespace)
  })
  .handle(async ({ op, principal, services, request, body }) => {
    const { prompt, response } = textsOf(body)
    const recorder = recorderOf({ op, principal }, body.namespace)
    const rules = await rulesIn(services, recorder)
    requireKept(rules, asksNothingKept(request, jsonOf(body)))
    const { latency_ms: latencyMs, cost_usd: costUsd } = body
    const at = op.now()
    const recorded = await services.largeGate.recordCall(
      recorder,
      {
        id: newTimedId('cap', at),
        at,
        source: 'observe',
        kind: 'chat',
        provider: body.provider,
        model: body.model === '' ? null : body.model,
        prompt,
        response,
        body: storedBody(body, prompt),
        answer: {
          id: '',
          model: '',
          usage: null,
          choices: [{ parts: [{ kind: 'text', text: response }], finish: 'stop' }],
        },
        latencyUs: typeof latencyMs === 'number' ? Math.round(latencyMs * 1000) : null,
        costMicros: typeof costUsd === 'number' ? Math.round(costUsd * MICROS) : null,
        conversationId: null,
      },
      rules,
    )
    if (recorded.kind === 'blocked') throw refusedBy(recorded.classes)
    const { facts, template } = recorded.capture
    const { namespace } = facts
    const { headers } = await commitAll(services, op, [recorded.capture], namespace)
    const [cluster] = template === null ? [] : await findClusters(op, { signature: template, namespace })
    const isReady = cluster !== undefined && cluster.rows >= READY_ROWS
    return {
      status: 200,
      body: {
        observation_id: facts.id,
        template_hash: template,
        cluster_size: cluster?.rows ?? 0,
        ready_for_synthesis: isReady,
        suggestion: isReady
          ? { template_hash: cluster.signature, count: cluster.rows, ...presentSaving(cluster, at) }
          : null,
        persisted: { namespace, durable: true, redaction_applied: [...facts.redactionClasses] },
        secret_values_included: false,
      },
      headers,
    }
  })

/** The texts of a call. Throws `validation_failed` for a part that is missing. */
function textsOf(body: ObserveBody): { readonly prompt: string; readonly response: string } {
  const prompt = textOf(partOf(body, 'input'))
  const response = textOf(partOf(body, 'output'))
  if (prompt === '') throw invalidField('prompt', 'is required: what was asked')
  if (response === '') throw invalidField('response', 'is required: what was answered')
  return { prompt, response }
}

function storedBody(
  { source_id: source, channel_family: channel, direction }: ObserveBody,
  prompt: string,
): JsonObject {
  return {
    messages: [{ role: 'user', content: prompt }],
    ...(source !== undefined && { source_id: source }),
    ...(channel !== undefined && { channel_family: channel }),
    ...(direction !== undefined && { direction }),
  }
}
