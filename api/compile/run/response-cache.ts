import { LRUCache } from 'lru-cache'
import type { GuardedResult } from '../../../core/compile/runtime/guard.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'

/** An answer with the digest of its output. */
export interface CachedAnswer {
  readonly result: GuardedResult
  readonly outputHash: Sha256
  /** Memory that the output takes, roughly. */
  readonly sizeBytes: number
}

/**
 * Answers of recipes by version, input and version of the runtime. A version never changes and a recipe is a function
 * of its input, so an answer stays right forever; only memory bounds how long it is kept.
 */
export interface ResponseCache {
  find(versionId: string, inputHash: Sha256): CachedAnswer | undefined
  keep(versionId: string, inputHash: Sha256, answer: CachedAnswer): void
}

/** Most memory that kept answers may take, bytes. */
const MAX_BYTES = 64 * 1024 * 1024
/** Larger answers are computed again: keeping them would push out many small ones. */
const MAX_ANSWER_BYTES = 64 * 1024
/** Memory of an entry beside its output. */
const ENTRY_BYTES = 300

/** Opens the cache; a limit of 0 entries turns it off. */
export function createResponseCache(limits: Limits): ResponseCache {
  if (limits.run_cache_entries === 0) return { find: () => undefined, keep: () => {} }
  const answers = new LRUCache<string, CachedAnswer>({
    max: limits.run_cache_entries,
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ANSWER_BYTES,
  })
  const name = (versionId: string, inputHash: Sha256) => `${versionId} ${inputHash} ${RUNTIME_VERSION}`
  return {
    find: (versionId, inputHash) => answers.get(name(versionId, inputHash)),
    keep(versionId, inputHash, answer) {
      answers.set(name(versionId, inputHash), answer, { size: answer.sizeBytes + ENTRY_BYTES })
    },
  }
}
