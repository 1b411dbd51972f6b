import {
  groundingText,
  MOST_GROUNDING_QUERY_CHARS,
  MOST_PASSAGES,
} from '../../../../core/compile/documents/grounding.ts'
import type { VerifiedBody } from '../../../../core/compile/wire/dispatch/verified.ts'
import { hashJson, type Sha256 } from '../../../../core/kernel/json/json.ts'
import { grantsScope } from '../../../../core/kernel/scopes.ts'
import { requireNamespace } from '../../../../db/kernel/namespaces/bounds.ts'
import { embedQueryOf, type VectorCaller } from '../../documents/provider-vectors.ts'
import { textOf } from './conversation.ts'

/** Passages of documents for the system text of a conversation. */
export interface Grounding {
  /** Empty without passages. */
  readonly text: string
  /** Digest of each passage: SHA-256 over the RFC 8785 form of its `{path, text}`. */
  readonly passages: readonly Sha256[]
}

/**
 * Looks up what the last turn of the user asks in the documents of `corpus_namespace`. A call without one gets no passages,
 * and neither does a key that may not read documents.
 */
export async function groundOf(caller: VectorCaller, body: VerifiedBody): Promise<Grounding> {
  const { op, services } = caller
  const { corpus_namespace: namespace, messages } = body
  const asked = messages.findLast(({ role }) => role === 'user')
  const query = asked === undefined ? '' : textOf(asked.content).slice(0, MOST_GROUNDING_QUERY_CHARS)
  const mayRead = op.scopes === null || grantsScope(op.scopes, 'documents:read')
  if (namespace === undefined || query === '' || !mayRead) return { text: '', passages: [] }
  requireNamespace(op, namespace)
  const embedQuery = embedQueryOf(caller, namespace)
  const { chunks } = await services.recall.find(op, {
    namespace,
    query,
    k: MOST_PASSAGES,
    ...(embedQuery !== undefined && { embedQuery }),
  })
  return { text: groundingText(chunks), passages: chunks.map(({ path, text }) => hashJson({ path, text })) }
}
