import { z } from 'zod'
import { FIT_LANES } from '../../../stages/rentals/lanes.ts'

/** The rental of a job, as the job shows it. */
export const RentalView = z
  .object({
    backend: z.enum(FIT_LANES),
    budget_usd: z.number(),
    cost_usd: z.number().meta({ description: 'Of all machines until now' }),
    estimated_usd: z.number(),
    machines: z.int(),
    state: z.enum(['waiting', 'renting', 'fitting', 'ended']),
    deadline: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the machine is asked to go, so that the budget lasts' }),
    last_heartbeat: z.iso.datetime().nullable(),
    error_code: z.string().nullable(),
  })
  .meta({ id: 'CompileRental' })
export type RentalView = z.infer<typeof RentalView>
