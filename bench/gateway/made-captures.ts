import type { NewCapture } from '../../core/gateway/captures/capture.ts'
import { mulberry32 } from '../../core/model/classifier/logistic-regression.ts'
import { aCapture } from '../../test/support/db/given-captures.ts'

/** Distinct words of the texts. */
const WORDS = 4000
/** Words of a question and of its answer. */
const LENGTH = 60

/** Makes captures of questions and answers of some 350 characters each; the same seed makes the same texts. */
export function captureMaker(seed: number): (tenantId: string, at?: Date, reply?: string) => NewCapture {
  const random = mulberry32(seed)
  const words = Array.from({ length: WORDS }, () => Math.floor(random() * 36 ** 6).toString(36))
  const text = (): string => Array.from({ length: LENGTH }, () => words[Math.floor(random() ** 2 * WORDS)]).join(' ')
  return (tenantId, at = new Date(), reply = text()) => aCapture(tenantId, { question: text(), reply, at })
}
