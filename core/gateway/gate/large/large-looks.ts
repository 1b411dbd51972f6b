import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { jsonParts } from '../../../kernel/json/json-pieces.ts'
import { evenShare, type Cores } from '../../../kernel/threads/cores.ts'
import { isOutOfMemory } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import type { GuardrailRule } from '../guardrails/rules.ts'
import { SENSITIVE_CLASSES } from '../privacy/classes.ts'
import { apart, type TermFinder } from '../privacy/scan/scan-text.ts'
import type { Scan } from '../privacy/redact-body.ts'
import { FIND_NUMBERS, type Looked, type LookTasks } from './look-task.ts'

/** Looks at large bodies beside the event loop. */
export interface LargeLooks {
  /** Applies the rules to a body, looks for prompt injection and for what is sensitive. Throws `busy`. */
  look(
    tenantId: string,
    body: JsonObject,
    how: { readonly rules: readonly GuardrailRule[]; readonly detectsInjection: boolean },
  ): Promise<Looked>
  close(): Promise<void>
}

/** Of one body with as many parts as a body may have, and what is found in it. */
const MEMORY_MB = 768
const YOUNG_MB = 12
/** Far longer than one body takes. */
const STILL_MS = 120_000

/** Opens the looks; their thread starts with the first large body. */
export function openLargeLooks(cores: Cores): LargeLooks {
  const threads = openThreads<LookTasks>({
    file: new URL('./look-thread.ts', import.meta.url),
    name: 'large bodies',
    most: 1,
    memoryMb: MEMORY_MB,
    youngMb: YOUNG_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  return {
    async look(tenantId, body, how) {
      const parts = await jsonParts(body)
      try {
        return await threads.run(
          'look',
          { body: parts, ...how },
          { share: evenShare(tenantId), moved: parts.filter(isAlone).map(({ buffer }) => buffer) },
        )
      } catch (error) {
        if (!isOutOfMemory(error)) throw error
        throw KERNEL_ERRORS.busy('the body holds too much to be looked at', { retryAfterS: 2, cause: error })
      }
    },
    close: async () => await threads.close(),
  }
}

/** True for bytes that have their memory to themselves, so that it can go over to the thread. */
function isAlone({ buffer, byteLength }: Uint8Array<ArrayBuffer>): boolean {
  return byteLength === buffer.byteLength
}

/** Returns what was found in the texts of a body, text by text in their order, with the tenant's own terms. */
export function scanOf({ finds }: Looked, terms: TermFinder | null): Scan {
  let number = 0
  let at = 0
  return (text, only) => {
    const found = []
    for (; finds[at] === number; at += FIND_NUMBERS) {
      const [, start = 0, end = 0, kind = 0] = finds.subarray(at, at + FIND_NUMBERS)
      found.push({ start, end, kind: SENSITIVE_CLASSES[kind] ?? 'name' })
    }
    number++
    terms?.find(text, (find) => found.push(find))
    return apart(found, only)
  }
}
