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
 * Holds room for a call whose capture has to be stored before its answer, and refuses one without: the promise could not be
 * kept. The room is released with the capture, or given up with the call. Throws `storage_full` and
 * `storage_allowance_used`.
 */
export async function promiseContentRoom(call: Capturing): Promise<void> {
  const { services, principal, settings, facts, body, visitor } = call
  if (visitor !== undefined || settings.durable !== 'before_answer' || keptBy(settings, facts) !== 'content') return
  const bytes = mostContentBytes({ sentBytes: await sentBytesOf(call, body, charsOfBody(body)), answerBytes: 0 })
  await services.captures.room.promise({ storer: principal, captureId: facts.captureId, bytes })
}

/**
 * Settles whether the content of a finished call is stored, before its receipt says so: returns why it is not, and null where it
 * is or nothing is to be stored. Of a call that `promiseContentRoom` let in it is, whatever room its answer has left.
 */
export async function settleContent(
  call: Capturing,
  record: Pick<CallRecord, 'retention' | 'sent' | 'captureId'>,
  { inputChars, answerBytes }: { readonly inputChars: number; readonly answerBytes: number },
): Promise<LeftOut | null> {
  const { services, principal, settings, visitor } = call
  if (visitor !== undefined || keptBy(settings, record) !== 'content') return null
  const bytes = mostContentBytes({ sentBytes: await sentBytesOf(call, record.sent, inputChars), answerBytes })
  return await services.captures.room.take({ storer: principal, captureId: record.captureId, bytes })
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
