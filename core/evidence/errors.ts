import type { ErrorCode as LearnErrorCode } from '../learn/errors.ts'

/** A machine code that routes of this area answer with: those of the areas below it. */
export type ErrorCode = LearnErrorCode
