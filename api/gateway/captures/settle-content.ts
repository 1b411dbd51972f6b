import { charsOfBody } from '../../../core/gateway/calls/estimate.ts'
import { mostContentBytes, type LeftOut } from '../../../core/gateway/captures/recording/left-out.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import { jsonParts } from '../../../core/kernel/json/json-pieces.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { OpenCall } from '../calls/open-call.ts'
import { keptBy } from './keep-call.ts'

/** A call whose capture may hold its content. */
interface Capturing extends OpenCall {
  readonly settings: NamespaceSettings
}

/** What becomes of the content of a call. */
interface SettledContent {
  /** Why it is not stored; null where it is, and where nothing is to be stored. */
  readonly leftOut: LeftOut | null
  readonly takenBytes: number
}

const NOTHING: SettledContent = { leftOut: null, takenBytes: 0 }

/**
 * Refuses a call whose capture has to be stored before its answer and has no room: the promise could not be kept. Throws
 * `storage_full` and `storage_allowance_used`.
 */
export async function requireContentRoom(call: Capturing): Promise<void> {
  const { services, principal, settings, facts, body } = call
  if (!isPromised(call) || keptBy(settings, facts) !== 'content') return
  const bytes = mostContentBytes({ sentBytes: await sentBytesOf(call, body, charsOfBody(body)), answerBytes: 0 })
  await services.captures.room.require({ storer: principal, bytes })
}

/**
 * Settles whether the content of a finished call is stored, before its receipt says so. Of a call that was let in by
 * `requireContentRoom` it is, whatever room its answer has left.
 */
export async function settleContent(
  call: Capturing,
  record: Pick<CallRecord, 'retention' | 'sent'>,
  { inputChars, answerBytes }: { readonly inputChars: number; readonly answerBytes: number },
): Promise<SettledContent> {
  const { services, principal, settings, visitor } = call
  if (visitor !== undefined || keptBy(settings, record) !== 'content') return NOTHING
  const bytes = mostContentBytes({ sentBytes: await sentBytesOf(call, record.sent, inputChars), answerBytes })
  const leftOut = await services.captures.room.take({ storer: principal, bytes })
  if (leftOut === null) return { leftOut, takenBytes: bytes }
  return isPromised(call) ? NOTHING : { leftOut, takenBytes: 0 }
}

function isPromised({ settings, visitor }: Capturing): boolean {
  return visitor === undefined && settings.durable === 'before_answer'
}

/**
 * The bytes of a body as JSON: as many as were sent, where the call said so and sent no file beside it, and at least those
 * of its texts, since the body of an assistant's call is not the caller's.
 */
async function sentBytesOf({ request, file }: Capturing, body: JsonObject, inputChars: number): Promise<number> {
  const length = request.headers['content-length']
  if (length !== undefined && file === undefined) return Math.max(Number(length), inputChars)
  let bytes = 0
  for (const part of await jsonParts(body)) bytes += part.length
  return bytes
}
