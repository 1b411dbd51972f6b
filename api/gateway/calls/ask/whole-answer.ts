import type { PreparedCall } from '../../../../core/gateway/calls/prepare.ts'
import { restoreAnswer } from '../../../../core/gateway/gate/privacy/redact-body.ts'
import { restoreJson } from '../../../../core/gateway/gate/privacy/restore-json.ts'
import type { AnswerFacts } from '../../../../core/gateway/protocol/dialects/dialect.ts'
import { idsIn, type GivenIds } from '../../../../core/gateway/protocol/dialects/responses/references.ts'
import type { ModelAnswer, Usage } from '../../../../core/gateway/protocol/exchange/answer.ts'
import { parseJson } from '../../../../core/gateway/protocol/upstream/refusal.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import { readPlainAnswer } from '../plain-answer.ts'
import { keepWritten } from './keep-response.ts'

/**
 * Returns the answer in the caller's dialect; one that the provider gave in it is passed on byte by byte, and another one is kept
 * where later calls may name it.
 */
export async function wholeAnswer(
  call: AdmittedCall,
  { spoken, request, readPlain }: PreparedCall,
  text: string,
  facts: AnswerFacts,
): Promise<{
  readonly bytes: string
  readonly usage: Usage | null
  readonly answer: ModelAnswer | null
  /** Ids by which the provider keeps the answer; null for none. */
  readonly ids: GivenIds | null
}> {
  const { dialect, plain, placeholders } = call
  const body = parseJson(text)
  const hasPlaceholders = placeholders.size > 0 && text.includes('VAR_')
  const passed = hasPlaceholders ? JSON.stringify(restoreJson(body, placeholders)) : text
  if (plain !== undefined) {
    const { usage, written } = readPlain?.(body) ?? { usage: readPlainAnswer(plain, body) }
    return { bytes: written === undefined ? passed : JSON.stringify(written), usage, answer: null, ids: null }
  }
  const answer = spoken.readAnswer(body, request)
  const { usage } = answer
  if (request === null) return { bytes: passed, usage, answer, ids: dialect.name === 'responses' ? idsIn(body) : null }
  const isKept = await keepWritten(call, answer, facts)
  const written = dialect.writeAnswer(restoreAnswer(answer, placeholders), { ...facts, isKept })
  return { bytes: JSON.stringify(written), usage, answer, ids: null }
}
