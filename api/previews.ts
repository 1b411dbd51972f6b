import type { ComputePool } from '../core/compiler/pool/pool.ts'
import type { PreviewInput, PreviewOutput } from '../core/compiler/stages/preview.ts'
import { DomainError } from '../core/errors.ts'
import type { Limits } from '../core/tenancy/limits.ts'

/** Dry runs of compiles, a few at a time, each bounded. */
export interface Previews {
  /** Throws `busy` when all places are taken, and `preview_timeout` when it takes too long. */
  run(input: Omit<PreviewInput, 'budgetMs'>, callEnd: AbortSignal): Promise<PreviewOutput>
}

/** How much longer than its budget a dry run may take before its thread is ended: what is not search needs time too. */
const OVERRUN = 6

/** Dry runs in threads of a pool, so that the process goes on answering meanwhile. */
export function createPreviews(pool: ComputePool, limits: Limits): Previews {
  let running = 0
  return {
    async run(input, callEnd) {
      if (running >= limits.preview_concurrency) {
        throw new DomainError('busy', 'all preview places are taken; try again shortly', { retryAfterS: 2 })
      }
      running++
      const timeout = AbortSignal.timeout(limits.preview_cpu_ms * OVERRUN)
      try {
        return await pool.preview(
          { ...input, budgetMs: limits.preview_cpu_ms },
          { signal: AbortSignal.any([timeout, callEnd]) },
        )
      } catch (error) {
        if (!timeout.aborted) throw error
        throw new DomainError('preview_timeout', 'the preview took too long; compile the examples instead', {
          cause: error,
        })
      } finally {
        running--
      }
    },
  }
}
