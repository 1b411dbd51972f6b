import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import { conversationTexts, loggedTexts } from '../../../../core/gateway/captures/recording/logged-call.ts'
import type { CallRecorder, CallRules } from '../../../../core/gateway/captures/recording/record-call.ts'
import {
  retrievedContext,
  retrievedHeaders,
  type RetrievedContext,
} from '../../../../core/gateway/captures/recording/retrieved-context.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import {
  LogCapturesAnswer,
  LogCapturesBody,
  MultiTurnAnswer,
  MultiTurnBody,
  NotLoggedAnswer,
  PartlyLoggedAnswer,
} from '../../../../core/gateway/wire/captures/logs.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { newTimedId } from '../../../../core/kernel/ids.ts'
import { isJsonObject, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { loopTurns } from '../../../../core/kernel/threads/fair/in-slices.ts'
import { bareDocument, envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute, type GatewayServices } from '../../services.ts'
import { requireAccess } from '../access.ts'
import { asksNothingKept, commitAll, NOTHING_KEPT, recorderOf, rulesIn } from './record.ts'

/** Facts that the routes which store calls share. */
export const STORES = {
  method: 'post',
  group: 'captures',
  auth: 'key',
  scope: 'capture:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'records',
  bodyLimit: 'capture_log_bytes',
} as const

/** Codes of these routes. */
export const STORE_ERRORS = [
  'forbidden',
  'privacy_policy_blocked',
  'storage_allowance_used',
  'capture_store_unavailable',
] as const

/** Failures that an answer names. */
const SHOWN_FAILURES = 5

export const logCapturesRoute = defineRoute({
  ...STORES,
  path: '/v1/capture/log',
  operationId: 'logCaptures',
  summary: 'Store calls that were made elsewhere',
  description:
    'Up to 200 pairs of input and output, all in one transaction; with an `Idempotency-Key` once. Sensitive data is redacted as the settings of the namespace say, before anything is stored. Items without an input or an output are skipped and reported. With zero retention (`x-svc-retention: none`) nothing is stored, and the answer is 202. `svc-retrieved-context`, base64 of a JSON array of `{source, text, score?}`, names the passages that were retrieved for the items: they are stored in the body of each. Captures begin as pending and wait for a review.',
  body: LogCapturesBody,
  answers: {
    201: envelope('The stored captures', LogCapturesAnswer),
    202: envelope('Nothing is stored, as asked', NotLoggedAnswer),
    207: bareDocument('Some items were refused by the policy of the namespace', PartlyLoggedAnswer),
  },
  errors: [...STORE_ERRORS, 'invalid_retrieved_context_header'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:write', body.namespace)
  })
  .handle(async ({ op, principal, services, request, requestId, body }) => {
    const context = retrievedContext(request.headers)
    const recorder = recorderOf({ op, principal }, body.namespace)
    const { namespace } = recorder
    const rules = await rulesIn(services, recorder)
    if (rules.keepsNothing || asksNothingKept(request, jsonOf(body))) {
      const message = rules.keepsNothing ? 'the namespace keeps nothing' : 'nothing is stored, as the call asks'
      return {
        status: 202,
        body: { namespace, count: 0, ids: [], skipped: [], retention: 'none', message },
        headers: { ...NOTHING_KEPT, 'x-svc-namespace': namespace },
      }
    }
    const { captures, skipped, failures } = await readItems(services, { body, context }, recorder, {
      rules,
      at: op.now(),
    })
    if (captures.length === 0) {
      if (failures.length === 0) throw invalidField('items', 'no item has an input and an output')
      throw GATEWAY_ERRORS.privacy_policy_blocked('the policy of the namespace refuses every item', {
        details: { failures: failures.slice(0, SHOWN_FAILURES) },
      })
    }
    const committed = await commitAll(services, op, captures, namespace)
    const headers = { ...committed.headers, ...retrievedHeaders(context) }
    const stored = { namespace, count: captures.length, ids: captures.map(({ facts }) => facts.id), skipped }
    if (failures.length === 0) return { status: 201, body: stored, headers }
    return {
      status: 207,
      body: { ok: false, request_id: requestId, ...stored, failures: failures.slice(0, SHOWN_FAILURES) },
      headers,
    }
  })

async function readItems(
  { largeGate }: Pick<GatewayServices, 'largeGate'>,
  { body, context }: { readonly body: LogCapturesBody; readonly context: RetrievedContext },
  recorder: CallRecorder,
  { rules, at }: { readonly rules: CallRules; readonly at: Date },
) {
  const captures: NewCapture[] = []
  // Of one time, but in the order of the items.
  const ids = body.items.map(() => newTimedId('cap', at)).toSorted()
  const skipped: { index: number; reason: string }[] = []
  const failures: { index: number; code: string; classes: string[] }[] = []
  const turn = loopTurns()
  for (const [index, item] of body.items.entries()) {
    await turn()
    const texts = loggedTexts(item, { toolChoice: body.tool_choice, context })
    if ('lacks' in texts) {
      skipped.push({ index, reason: texts.lacks })
      continue
    }
    const recorded = await largeGate.recordCall(
      recorder,
      {
        ...texts,
        id: ids[index] ?? newTimedId('cap', at),
        at,
        source: body.source,
        kind: 'chat',
        provider: body.provider,
        model: body.model === '' ? null : body.model,
        latencyUs: item.latency_us ?? null,
        conversationId: item.conversation_id ?? null,
      },
      rules,
    )
    if (recorded.kind === 'capture') captures.push(recorded.capture)
    else failures.push({ index, code: 'privacy_policy_blocked', classes: [...recorded.classes] })
  }
  return { captures, skipped, failures }
}

export const storeConversationRoute = defineRoute({
  ...STORES,
  path: '/v1/captures/multi-turn',
  operationId: 'storeConversation',
  summary: 'Store a conversation as one capture',
  description:
    'The last turn of the assistant is the response; the turns before it are the prompt. Redaction is that of `POST /v1/capture/log`.',
  body: MultiTurnBody,
  answers: { 201: envelope('The stored conversation', MultiTurnAnswer) },
  errors: [...STORE_ERRORS, 'retention_conflict'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:write', body.namespace)
  })
  .handle(async ({ op, principal, services, request, body }) => {
    const recorder = recorderOf({ op, principal }, body.namespace)
    const rules = await rulesIn(services, recorder)
    requireKept(rules, asksNothingKept(request, jsonOf(body)))
    const at = op.now()
    const recorded = await services.largeGate.recordCall(
      recorder,
      {
        ...conversationTexts(body),
        id: newTimedId('cap', at),
        at,
        source: 'multi_turn',
        kind: 'multi_turn',
        provider: body.provider,
        model: body.model === '' ? null : body.model,
        latencyUs: null,
        conversationId: body.conversation_id,
      },
      rules,
    )
    if (recorded.kind === 'blocked') throw refusedBy(recorded.classes)
    const { capture } = recorded
    const { headers, bytes } = await commitAll(services, op, [capture], recorder.namespace)
    return {
      status: 201,
      body: {
        namespace: recorder.namespace,
        conversation_id: body.conversation_id,
        capture_id: capture.facts.id,
        turn_count: body.conversation.length,
        bytes_written: bytes,
        version: 'svc-multi-turn-1',
      },
      headers,
    }
  })

/** Throws `retention_conflict` where a call that stores something asks that nothing is kept. */
export function requireKept(rules: CallRules, asksNothing: boolean): void {
  if (!rules.keepsNothing && !asksNothing) return
  throw GATEWAY_ERRORS.retention_conflict(
    rules.keepsNothing ? 'the namespace keeps nothing (capture_mode is off)' : 'the call asks that nothing is kept',
  )
}

/** The refusal of texts by the policy of a namespace. */
export function refusedBy(classes: readonly string[]) {
  return GATEWAY_ERRORS.privacy_policy_blocked(`the policy of the namespace refuses ${classes.join(', ')}`, {
    details: { blocked_classes: [...classes] },
  })
}

/** A parsed body as the JSON that it was. Throws `validation_failed` for what is none: a bug of its schema. */
export function jsonOf(body: object): JsonObject {
  const json: unknown = body
  if (isJsonObject(json as JsonObject)) return json as JsonObject
  throw KERNEL_ERRORS.validation_failed('body: is not an object')
}
