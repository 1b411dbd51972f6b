import { loopTurn } from '../../kernel/threads/fair/in-slices.ts'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import { canonicalHash } from '../../kernel/json/json-pieces.ts'
import { storable } from '../../kernel/json/storable.ts'
import type { CallRecord } from '../record/call-record.ts'
import type { CaptureContent, NewCapture } from './capture.ts'
import { audioOf } from './recording/audio-facts.ts'
import { jsonHash, textHash } from './digest.ts'
import { packContent } from './recording/pack-content.ts'
import { beginsQuarantined, measureRisk, riskScore } from './risk.ts'
import { templateSignature } from './template.ts'
import { answerText, requestTexts, type RequestTexts } from './texts.ts'

/** Findings of other parts of the gateway about a call. */
export interface CallFindings {
  readonly receipt: JsonObject | null
  readonly conversationId: string | null
}

/** Parts of the body of a call that its capture needs. */
interface ReadBody {
  readonly texts: RequestTexts
  readonly inputHash: string
  readonly promptHash: string
}

function readBody({ sent }: CallRecord, inputHash: string | null): ReadBody {
  const texts = requestTexts(sent)
  return { texts, inputHash: inputHash ?? jsonHash(sent), promptHash: textHash(texts.prompt) }
}

/** The capture of a finished call with a large body, made while the event loop turns; its content is packed. */
export async function largeCaptureOf(record: CallRecord, findings: CallFindings): Promise<NewCapture> {
  const texts = requestTexts(record.sent)
  await loopTurn()
  const promptHash = textHash(texts.prompt)
  await loopTurn()
  const inputHash = signedHash(findings) ?? (await canonicalHash(record.sent))
  const capture = captureOf(record, findings, { texts, inputHash, promptHash })
  const { content } = capture
  if (content === null) return capture
  return { ...capture, ...(await packContent(content)) }
}

/** The hash of the body, which the receipt holds already. */
function signedHash({ receipt }: CallFindings): string | null {
  const hash = receipt?.['input_hash']
  return typeof hash === 'string' ? hash.slice(HASH_PREFIX.length) : null
}

const HASH_PREFIX = 'sha256:'

/** The capture of a finished call. Under zero retention it holds hashes, counts and ids of ours, and nothing of its content. */
export function captureOf(
  record: CallRecord,
  findings: CallFindings,
  { texts, inputHash, promptHash }: ReadBody = readBody(record, signedHash(findings)),
): NewCapture {
  const isKept = record.retention === 'kept'
  const leftOut = isKept ? (record.leftOut ?? null) : null
  const { gate, route, frontierCostMicros } = record
  const whole: CaptureContent | null = isKept
    ? {
        prompt: texts.prompt,
        response: answerText(record.answer),
        body: record.sent,
        answer: record.answer === null ? null : asJson(record.answer),
      }
    : null
  // Its hashes are facts of the call all the same.
  const content = leftOut === null ? whole : null
  const seen = [...gate.classes, ...record.answerClasses]
  const replaced = gate.isRaw ? seen.filter((kind) => gate.redacted.includes(kind) || kind === 'forgotten') : seen
  const parts = measureRisk({
    redactionClasses: isKept ? seen : null,
    response: record.answer === null ? null : (whole?.response ?? null),
    outcome: record.outcome,
  })
  const risk = riskScore(parts)
  const receipt = isKept ? findings.receipt : null
  return {
    facts: {
      id: record.captureId,
      tenantId: record.tenantId,
      namespace: record.namespace,
      at: record.at,
      source: 'gateway',
      kind: record.plain ?? 'chat',
      dialect: record.dialect,
      provider: record.provider,
      model: nameOf(record.model),
      requestModel: nameOf(record.requestModel),
      outcome: record.outcome,
      httpStatus: record.status,
      errorCode: record.errorCode,
      isStreamed: record.isStreamed,
      usage: record.usage,
      costMicros: record.costMicros,
      latencyUs: Math.round(record.latencyMs * 1000),
      firstContentUs: record.firstContentMs === null ? null : Math.round(record.firstContentMs * 1000),
      attempts: record.attempts.map((attempt) => ({ ...attempt, model: storable(attempt.model) })),
      route: { ...route, frontierCostMicros },
      redactionClasses: isKept ? [...new Set(replaced)].toSorted() : [],
      retention: record.retention,
      inputHash,
      outputHash: record.outputHash,
      promptHash: whole && promptHash,
      responseHash: whole && textHash(whole.response),
      answerHash: whole && jsonHash(whole.answer),
      receiptId: findings.receipt === null ? null : record.receiptId,
      receiptHash: receipt && jsonHash(receipt),
      conversationId: isKept ? findings.conversationId : null,
      requestId: record.requestId,
      keyId: record.keyId,
      memberId: record.memberId,
      teamId: record.teamId,
      ...(leftOut !== null && { contentLeftOut: leftOut }),
    },
    content,
    receipt,
    sensitiveClasses: isKept ? [...new Set(seen)].toSorted() : [],
    template: content === null ? null : templateSignature(texts),
    audio: content === null ? null : audioOf(record, content),
    risk,
    riskParts: parts,
    review: beginsQuarantined(risk, parts) ? 'quarantined' : 'pending',
  }
}

/** Characters of a model's name that are kept: callers may name anything. */
const NAME_CHARS = 200

function nameOf(model: string | null): string | null {
  return model === null ? null : storable(model.slice(0, NAME_CHARS))
}

/** An answer of a provider, which came as JSON; a member that is undefined is left out of hashes, logs and tables. */
function asJson(answer: unknown): Json {
  return answer as Json
}
