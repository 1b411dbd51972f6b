import type { Limits as LearnLimits } from '../learn/limits.ts'

/** The limits in force that this area reads: those of the areas below it. */
export type Limits = LearnLimits
