import type { VerificationResult } from '../verify.ts'

/** Returns true when every fact that can be recomputed was: no check of the recomputation is a warning. */
export function isRecomputed({ checks }: Pick<VerificationResult, 'checks'>): boolean {
  const own = checks.filter(({ name }) => name.startsWith('recomputed_'))
  return own.length > 0 && own.every(({ status }) => status === 'pass')
}
