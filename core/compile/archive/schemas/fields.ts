import { z } from 'zod'

/** A number from 0 to 1. */
export const Share = z.number().min(0).max(1)

/** A number of things. */
export const Count = z.int().nonnegative()

/** A content identifier. */
export const CidField = z.templateLiteral(['cidv1:sha256:', z.string().regex(/^[0-9a-f]{64}$/)])
