import { z } from 'zod'

const Stored = z.object({ sha256: z.string(), size_bytes: z.int() })

/** The secret that a machine chooses for its lease. */
export const LeaseSecret = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be 32 random bytes in hexadecimal' })
  .meta({ description: '32 random bytes in hexadecimal, which only this machine knows' })

/** A lease, as its machine sees it. */
export const LeaseView = z
  .object({
    lease_id: z.string(),
    document: Stored,
    checkpoint: Stored.extend({ step: z.int() }).nullable(),
    report_every_s: z.number(),
    checkpoint_every_s: z.number(),
  })
  .meta({ id: 'TrainerLease' })
