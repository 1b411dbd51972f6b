import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { fromOutline, type JsonOutline } from '../../../kernel/json/json-outline.ts'
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.ts'
import { jsonParts } from '../../../kernel/json/json-pieces.ts'
import { evenShare, type Cores } from '../../../kernel/threads/cores.ts'
import { inSlices } from '../../../kernel/threads/fair/in-slices.ts'
import { isOutOfMemory } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { charsIn, rememberChars } from '../../calls/estimate.ts'
import type { Medium } from '../../captures/recording/media.ts'
import {
  recordCall,
  type CallRecorder,
  type CallRules,
  type ElsewhereCall,
  type RecordedCall,
} from '../../captures/recording/record-call.ts'
import { redactMedium, type Redacted } from '../../captures/recording/redact-texts.ts'
import { rememberTokens } from '../../calls/worst-case.ts'
import { rememberAudio } from '../../protocol/audio/detect.ts'
import type { GatedBody, GateRules } from '../gate-body.ts'
import type { ForgetFinder } from '../privacy/forget-list.ts'
import { createPlaceholders, type GivenPlaceholder, type Placeholders } from '../privacy/placeholders.ts'
import type { GateOutput, GateTasks } from './gate-task.ts'

/** Lets large bodies pass the gate beside the event loop. */
export interface LargeGate {
  /**
   * Does the same as `gateBody`, and counts what later parts of the call need of the body, so that none of them walks through its
   * files again. Throws as `gateBody`, and `busy`.
   */
  pass(tenantId: string, body: JsonObject, rules: GateRules, forgotten: ForgetFinder | null): Promise<GatedBody>
  /** Does the same as `recordCall`; a small call is recorded at once. Throws `busy`. */
  recordCall(recorder: CallRecorder, call: ElsewhereCall, rules: CallRules): Promise<RecordedCall>
  /** Does the same as `redactMedium`; a small file is redacted at once. Throws `busy`. */
  redactMedium(tenantId: string, medium: Medium, rules: CallRules): Promise<Redacted<Medium>>
  close(): Promise<void>
}

/** Bytes of a file, and characters of a call, from which on they are redacted beside the event loop. */
const LARGE_BYTES = 256 * 1024
/** Of one body with as many parts as a body may have, what is found in it, and the same body redacted. */
const MEMORY_MB = 768
const YOUNG_MB = 12
/** Far longer than one body takes. */
const STILL_MS = 120_000

/** Opens the gate; its thread starts with the first large body. */
export function openLargeGate(cores: Cores): LargeGate {
  const threads = openThreads<GateTasks>({
    file: new URL('./gate-thread.ts', import.meta.url),
    name: 'large bodies',
    most: 1,
    memoryMb: MEMORY_MB,
    youngMb: YOUNG_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  const orBusy = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (!isOutOfMemory(error)) throw error
      throw KERNEL_ERRORS.busy('the call holds too much to be looked at', { retryAfterS: 2, cause: error })
    }
  }
  return {
    async pass(tenantId, body, rules, forgotten) {
      const parts = await jsonParts(body)
      const input = { body: parts, rules, forgotten: forgotten?.pack() ?? null }
      const moved = parts.filter(isAlone).map(({ buffer }) => buffer)
      return await gatedOf(body, await orBusy(threads.run('gate', input, { share: evenShare(tenantId), moved })), rules)
    },
    async recordCall(recorder, call, rules) {
      if (charsOfCall(call) <= LARGE_BYTES) return recordCall(recorder, call, rules)
      const input = { recorder, call, settings: rules.settings, forgotten: rules.forgotten?.pack() ?? null }
      return await orBusy(threads.run('record', input, { share: evenShare(recorder.tenantId) }))
    },
    async redactMedium(tenantId, medium, rules) {
      if (medium.bytes.length <= LARGE_BYTES) return redactMedium(medium, rules)
      const input = { medium, settings: rules.settings, forgotten: rules.forgotten?.pack() ?? null }
      return await orBusy(threads.run('medium', input, { share: evenShare(tenantId) }))
    },
    close: async () => await threads.close(),
  }
}

/** Characters of the texts of a call, all of which are looked through: a body may hold more than its prompt. */
function charsOfCall({ prompt, response, body, answer }: ElsewhereCall): number {
  return prompt.length + response.length + charsIn(body) + charsIn(answer)
}

/** True for bytes that have their memory to themselves, so that it can go over to the thread. */
function isAlone({ buffer, byteLength }: Uint8Array<ArrayBuffer>): boolean {
  return byteLength === buffer.byteLength
}

async function gatedOf(given: JsonObject, output: GateOutput, { tag }: GateRules): Promise<GatedBody> {
  const { facts, isFlagged, tokens, chars, audio } = output
  const body = output.body === null ? given : await objectFrom(output.body)
  const kept = output.kept === null ? body : await objectFrom(output.kept)
  rememberTokens(body, tokens)
  rememberChars(body, chars)
  rememberAudio(kept, audio)
  return { body, kept, placeholders: await placeholdersFrom(output, tag), facts, isFlagged }
}

async function objectFrom(outline: JsonOutline): Promise<JsonObject> {
  const value = await fromOutline(outline)
  if (!isJsonObject(value)) throw new Error('a body is an object')
  return value
}

async function placeholdersFrom({ reserved, given }: GateOutput, tag?: string): Promise<Placeholders> {
  const placeholders = createPlaceholders(reserved, tag)
  const all = (await fromOutline(given)) as unknown as readonly GivenPlaceholder[]
  await inSlices(all, (one) => placeholders.adopt(one))
  return placeholders
}
