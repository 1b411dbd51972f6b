import type { ModelAnswer } from '../../../../core/gateway/protocol/exchange/answer.ts'
import type { AnswerFacts } from '../../../../core/gateway/protocol/dialects/dialect.ts'
import { outputAlone, saidIn, type KeptTurn } from '../../../../core/gateway/protocol/dialects/responses/kept-turns.ts'
import {
  needsEarlier,
  ownName,
  type GivenIds,
} from '../../../../core/gateway/protocol/dialects/responses/references.ts'
import { restoreAnswer } from '../../../../core/gateway/gate/privacy/redact-body.ts'
import { referenceKey, sealById } from '../../../../core/gateway/record/seal-by-id.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'
import {
  rememberReferences,
  ROW_BYTES,
  type NewReference,
  type Outcome,
} from '../../../../db/gateway/cache/references/remember-references.ts'
import { trimReferences } from '../../../../db/gateway/cache/references/trim-references.ts'
import { charsOf } from '../../../../core/gateway/calls/estimate.ts'
import { fitsIn } from '../../../../core/kernel/json/fits-in.ts'
import { keptBy } from '../../captures/keep-call.ts'
import type { NewTurn, TurnFacts } from '../open-call.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import type { GatedCall } from '../../gate/pass-gate.ts'
import type { FoundReach } from '../find-reach.ts'
import { digestOf, firstTurn } from './continue-response.ts'
import { mostReceivedBytes } from './find-received.ts'

/** Turns of the longest conversation that is kept. */
const MOST_TURNS = 2000

/**
 * True for an answer of responses that later calls may name: neither the caller nor the namespace forbids it, and it continues
 * nothing that a provider keeps, since it would be kept without that.
 */
export function keepsResponse({ dialect, plain, body, settings, facts, visitor }: GatedCall): boolean {
  if (dialect.name !== 'responses' || plain !== undefined || visitor !== undefined) return false
  return body['store'] !== false && keptBy(settings, facts) === 'content' && !needsEarlier(body)
}

/**
 * Remembers that the tenant received what a provider keeps under these ids for the operator's account, and the values behind
 * the placeholders that it got, unless the namespace keeps no content or they are too long. Waits until that is written, since the
 * next call may name them; a call is answered all the same where it fails. Returns whether it is remembered. Never throws.
 */
export async function rememberReceived(
  call: AdmittedCall,
  { target, isOwnKey }: Pick<FoundReach, 'target' | 'isOwnKey'>,
  ids: GivenIds | null,
): Promise<boolean> {
  const { body, facts, settings, visitor } = call
  if (isOwnKey || ids === null || body['store'] === false || visitor !== undefined) return false
  const kept = keptBy(settings, facts)
  if (facts.retention === 'none' || kept === 'nothing') return false
  const outcome = await remember(call, () => {
    const provider = target.provider.id
    const responseKey = referenceKey(ids.response)
    const values = kept === 'content' ? sealedValues(call, ids.response) : null
    const response = { key: responseKey, responseKey: null, parentKey: null, provider, content: values }
    const items = ids.items.map((id) => ({
      key: referenceKey(id),
      responseKey,
      parentKey: null,
      provider,
      content: values === null ? null : sealById(id, ids.response),
    }))
    // A container may be that of other responses too: it opens nothing.
    const containers = ids.containers.map((id) => ({
      key: referenceKey(id),
      responseKey: null,
      parentKey: null,
      provider,
      content: null,
    }))
    return [response, ...items, ...containers]
  })
  return outcome === 'stored'
}

/** Seals the placeholders of a call; null where they are too long, and where the call continues one whose are not known. */
function sealedValues({ placeholders, continued, services }: AdmittedCall, response: string): Buffer | null {
  const { given } = placeholders
  const most = services.limits.gateway_kept_response_bytes
  const chars = given.reduce((sum, [kind, name, value]) => sum + kind.length + name.length + value.length, 0)
  if (continued?.tag !== undefined || chars > most) return null
  const sealed = sealById(
    response,
    given.map(([kind, name, value]) => [kind, name, value]),
  )
  return sealed.length > most ? null : sealed
}

/**
 * Keeps an answer that was written here, with what was asked after the turns before it, where later calls may name it: sealed under its
 * id, which only its caller has. It begins a conversation, with all items, where the one before has no room, or is gone meanwhile and the
 * call sent these items themselves. Of one that is too long, or whose conversation is, the output alone is kept, whose items can be named.
 * Returns false where it is not kept whole: the answer says so. Never throws.
 */
export async function keepWritten(call: AdmittedCall, answer: ModelAnswer, facts: AnswerFacts): Promise<boolean> {
  const name = ownName(facts.id)
  if (facts.isKept !== true || name === null || call.continued === undefined) return false
  const { turn } = call.continued
  const { outcome, isWhole } = await keepTurn(call, turn, { name, answer, facts })
  if (outcome === 'conversation_full' || (outcome === 'parent_gone' && !turn.isNamed)) {
    const first = await keepTurn(call, firstTurn([...turn.before, ...turn.input]), { name, answer, facts })
    return first.outcome === 'stored' && first.isWhole
  }
  return outcome === 'stored' && isWhole
}

async function keepTurn(
  call: AdmittedCall,
  { parent, input, digest }: NewTurn,
  { name, answer, facts }: { readonly name: string; readonly answer: ModelAnswer; readonly facts: AnswerFacts },
): Promise<{ readonly outcome: Outcome | 'failed'; readonly isWhole: boolean }> {
  const { limits } = call.services
  let isWhole = false
  const outcome = await remember(call, async () => {
    const most = limits.gateway_kept_response_bytes
    // Before it is written and sealed, which takes long where it is long.
    if (charsOf(answer) > most) return []
    const response = call.dialect.writeAnswer(restoreAnswer(answer, call.placeholders), facts)
    const kept = { parent: parent?.name ?? null, input, response }
    const whole = fitsIn(input, most) ? sealById(name, { ...(await withDigest(kept, digest)) }) : null
    isWhole = whole !== null && whole.length <= most && hasRoomAfter(parent, whole, mostReceivedBytes(limits))
    const sealed = whole !== null && isWhole ? whole : sealById(name, { ...outputAlone({ response }) })
    const parentKey = isWhole && parent !== null ? referenceKey(parent.name) : null
    const row = { key: referenceKey(name), responseKey: null, parentKey, provider: null, content: sealed }
    return sealed.length > most ? [] : [row]
  })
  return { outcome, isWhole }
}

async function withDigest(turn: Omit<KeptTurn, 'digest'>, before: string | null): Promise<KeptTurn> {
  return { ...turn, digest: before === null ? null : await digestOf(before, saidIn(turn)) }
}

/** True where a conversation with one more turn can be read again by one call. */
function hasRoomAfter(parent: TurnFacts | null, sealed: Uint8Array, mostBytes: number): boolean {
  return parent === null || (parent.turns < MOST_TURNS && parent.bytes + sealed.length + ROW_BYTES <= mostBytes)
}

async function remember(
  call: AdmittedCall,
  make: () => readonly NewReference[] | Promise<readonly NewReference[]>,
): Promise<Outcome | 'failed'> {
  const { services, principal, facts } = call
  const { limits, log } = services
  const failed = (error: unknown, what: string) => log.error({ err: error, request_id: call.requestId }, what)
  try {
    const tenant = tenantOf(services.db, facts.tenantId, boundsOf(principal))
    const { outcome, isTrimDue } = await rememberReferences(tenant, {
      namespace: facts.namespace,
      captureId: facts.captureId,
      begunAt: facts.at,
      isByIds: call.continued?.isByIds === true,
      references: await make(),
      now: services.now(),
      limits,
    })
    if (isTrimDue) {
      // The answer does not wait for it.
      trimReferences(tenant, limits.gateway_references_bytes_per_tenant).catch((error: unknown) =>
        failed(error, 'the oldest references to responses are not dropped'),
      )
    }
    return outcome
  } catch (error) {
    failed(error, 'a response is not remembered')
    return 'failed'
  }
}
