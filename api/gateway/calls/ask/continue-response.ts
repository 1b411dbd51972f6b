import { digestAfter, EMPTY_CONVERSATION } from '../../../../core/gateway/protocol/dialects/responses/kept-turns.ts'
import {
  expandReferences,
  lastOwnOutput,
  type Before,
} from '../../../../core/gateway/protocol/dialects/responses/expand-references.ts'
import { inputItems, ownName, referencesIn } from '../../../../core/gateway/protocol/dialects/responses/references.ts'
import type { IdPlace } from '../../../../core/gateway/protocol/dialects/responses/id-places.ts'
import { refuseField } from '../../../../core/gateway/protocol/dialects/fields.ts'
import { tagOf } from '../../../../core/gateway/gate/privacy/placeholders.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { fitsIn } from '../../../../core/kernel/json/fits-in.ts'
import { isJsonObject, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { loopTurns } from '../../../../core/kernel/threads/fair/in-slices.ts'
import { isLarge, type Continued, type NewTurn, type OpenCall } from '../open-call.ts'
import { findReceived, mostReceivedBytes, type Received } from './find-received.ts'

/** Earlier items that one call may name. */
const MOST_REFERENCES = 2000

/**
 * Finds the earlier answers that a call of responses names. An answer that is kept here takes the place of its id, so that the
 * gate sees it and any provider can be asked. An answer that a provider keeps is known as received by this tenant. Throws `not_translatable` for one of this service that is not kept and for answers whose placeholders contradict each other,
 * and `validation_failed` for too many or too long ones.
 */
export async function continueResponse(call: OpenCall): Promise<OpenCall> {
  if (call.dialect.name !== 'responses' || call.plain !== undefined) return call
  const { previous_response_id: previousId } = call.body
  const references = referencesIn(call.body)
  const ids = [...new Set(references.map(({ id }) => id))]
  if (ids.length > MOST_REFERENCES) throw invalidField('input', `names more than ${MOST_REFERENCES} earlier items`)
  const last = call.body['store'] === false ? null : lastOwnOutput(call.body)
  const asked = last === null || ids.includes(last) ? ids : [...ids, last]
  const received = await findReceived(call, asked, { withEarlier: true })
  const most = mostReceivedBytes(call.services.limits)
  const { body, chars, before } = expandReferences(call.body, received.kept, most)
  const input = inputItems(body['input']).filter((item) => isJsonObject(item))
  return {
    ...call,
    body,
    isLarge: call.isLarge || isLarge(call.request, chars),
    continued: {
      isByIds: ids.length > 0,
      previousId: typeof previousId === 'string' ? previousId : null,
      turn: await turnAfter(call, { before, input, ids, received, most }),
      received: received.providers,
      ...knownOf(references, received, call.facts),
    },
  }
}

/**
 * Returns the turn of a call. One that goes on from a response of its namespace, by its id or since its items repeat the conversation
 * up to it, has only the items after that; any other one begins a conversation with all of its items.
 */
async function turnAfter(
  { facts: { namespace }, body }: OpenCall,
  {
    before,
    input,
    ids,
    received,
    most,
  }: {
    readonly before: Before | null
    readonly input: readonly JsonObject[]
    readonly ids: readonly string[]
    readonly received: Received
    readonly most: number
  },
): Promise<NewTurn> {
  const first = firstTurn(input)
  const parent = before === null ? undefined : received.turns.get(before.name)
  if (before === null || parent?.namespace !== namespace) return first
  const repeated = input.slice(0, before.items)
  const goesOn = {
    parent,
    isNamed: ids.some((id) => ownName(id) === before.name),
    before: repeated,
    input: input.slice(before.items),
    digest: parent.digest,
  }
  if (before.isNamed) return goesOn
  if (body['store'] === false || parent.digest === null || !fitsIn(repeated, most)) return first
  return (await digestOf(EMPTY_CONVERSATION, repeated)) === parent.digest ? goesOn : first
}

/** Returns a turn that begins a conversation. */
export function firstTurn(input: readonly JsonObject[]): NewTurn {
  return { parent: null, isNamed: false, before: [], input, digest: EMPTY_CONVERSATION }
}

/** Returns the digest of a conversation after some items more, see `digestAfter`. */
export async function digestOf(before: string, items: readonly JsonObject[]): Promise<string> {
  const takeTurns = loopTurns()
  let digest = before
  for (const item of items) {
    digest = digestAfter(digest, item)
    await takeTurns()
  }
  return digest
}

/**
 * Returns the placeholders that a provider knows of what these references name. Where those of one are not known here, as for
 * answers to a key of the caller's own, for a conversation, and for a container without its response, none is: the names that
 * this call gives have a tag of their own then, so that none stands for two values.
 */
function knownOf(
  references: readonly IdPlace[],
  { placeholders, known }: Received,
  { captureId }: Pick<OpenCall['facts'], 'captureId'>,
): Pick<Continued, 'placeholders' | 'tag'> {
  const elsewhere = references.filter(
    ({ kind, id }) => kind === 'conversation' || (kind !== 'container' && ownName(id) === null),
  )
  const hasOnlyContainers = elsewhere.length === 0 && references.some(({ kind }) => kind === 'container')
  if (hasOnlyContainers || elsewhere.some(({ id }) => !known.has(id))) {
    return { placeholders: [], tag: tagOf(captureId) }
  }
  const names = new Set<string>()
  for (const [, name] of placeholders) {
    if (names.has(name)) {
      refuseField('input', 'names answers of separate conversations, in which one placeholder stands for two values')
    }
    names.add(name)
  }
  return { placeholders }
}
