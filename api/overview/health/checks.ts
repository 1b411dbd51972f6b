import type { z } from 'zod'
import type { Readiness } from './facts/readiness.ts'
import type { Check } from '../../../core/overview/wire/health/check.ts'

/** Presents the checks of a moment. */
export function presentChecks(readiness: Readiness): z.input<typeof Check>[] {
  return readiness.checks.map(({ name, ok, required, label }) => ({ name, ok, required, label }))
}
