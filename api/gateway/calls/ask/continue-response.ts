import {
  expandReferences,
  inputItems,
  ownName,
  referencesIn,
} from '../../../../core/gateway/protocol/dialects/responses/references.ts'
import type { IdPlace } from '../../../../core/gateway/protocol/dialects/responses/id-places.ts'
import { refuseField } from '../../../../core/gateway/protocol/dialects/fields.ts'
import { tagOf } from '../../../../core/gateway/gate/privacy/placeholders.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { isJsonObject } from '../../../../core/kernel/json/json.ts'
import { isLarge, type Continued, type OpenCall } from '../open-call.ts'
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
  const references = referencesIn(call.body)
  const ids = [...new Set(references.map(({ id }) => id))]
  if (ids.length > MOST_REFERENCES) throw invalidField('input', `names more than ${MOST_REFERENCES} earlier items`)
  const received = await findReceived(call, ids)
  const { body, chars } = expandReferences(call.body, received.kept, mostReceivedBytes(call.services.limits))
  const input = inputItems(body['input']).filter((item) => isJsonObject(item))
  return {
    ...call,
    body,
    isLarge: call.isLarge || isLarge(call.request, chars),
    continued: {
      isByIds: ids.length > 0,
      input,
      received: received.providers,
      ...knownOf(references, received, call.facts),
    },
  }
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
