import type { JsonObject } from '../../kernel/json/json.ts'
import { mapIds } from '../protocol/dialects/responses/id-places.ts'
import type { ModelAnswer } from '../protocol/exchange/answer.ts'
import type { CallFacts } from './call-record.ts'
import { referenceKey } from './seal-by-id.ts'

/** The digest that stands for an id in what is stored or exported: who reads it there must not open what the id opens. */
export function digestOfId(id: string): string {
  return `sha256:${referenceKey(id).toString('hex')}`
}

/** Returns a body of responses with digests in place of the ids of what is kept; one without ids as it is. */
export function hideIds(body: JsonObject): JsonObject {
  return mapIds(body, ({ id }) => (id === '' ? id : digestOfId(id)))
}

/** Returns an answer as it is recorded and cached: one of responses has the digest of its id. */
export function hideAnswerId<A extends ModelAnswer | null>(answer: A, { dialect }: Pick<CallFacts, 'dialect'>): A {
  if (answer === null || dialect !== 'responses' || answer.id === '') return answer
  return { ...answer, id: digestOfId(answer.id) }
}
