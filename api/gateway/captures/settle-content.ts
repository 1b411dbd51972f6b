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
 * Settles whether the content of a finished call is stored, before its receipt says so: returns why it is not, and null where it
 * is or nothing is to be stored. Of a call that was let in by `requireContentRoom` it is, whatever room its answer has left.
 */
export async function settleContent(
  call: Capturing,
  record: Pick<CallRecord, 'retention' | 'sent' | 'captureId'>,
  { inputChars, answerBytes }: { readonly inputChars: number; readonly answerBytes: number },
): Promise<LeftOut | null> {
  const { services, principal, settings, visitor } = call
  if (visitor !== undefined || keptBy(settings, record) !== 'content') return null
  const bytes = mostContentBytes({ sentBytes: await sentBytesOf(call, record.sent, inputChars), answerBytes })
  const leftOut = await services.captures.room.take({ storer: principal, captureId: record.captureId, bytes })
  return isPromised(call) ? null : leftOut
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
