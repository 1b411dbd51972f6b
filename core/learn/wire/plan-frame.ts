import { z } from 'zod'

/** A step that a reader of a plan can take next. */
const NextAction = z
  .object({
    kind: z.enum(['command', 'configure', 'collect']),
    label: z.string(),
    value: z.string(),
    priority: z.int().optional(),
  })
  .meta({ id: 'PlanAction' })

/** Returns the schema of a planner's answer: what surrounds its `data`. */
export function planFrame<D extends z.ZodType>(surface: string, data: D) {
  return z.object({
    surface: z.literal(surface),
    journey: z.object({ stage: z.string() }),
    readiness: z.object({ status: z.string(), requirement_ids: z.array(z.string()) }),
    tenant: z.object({ id: z.string() }).nullable(),
    data,
    evidence: z.object({
      proof_refs: z.array(z.string()).meta({ description: 'Digests of what the answer follows from' }),
    }),
    next_actions: z.array(NextAction),
    meta: z.object({ spec: z.string(), generated_at: z.iso.datetime() }),
  })
}
