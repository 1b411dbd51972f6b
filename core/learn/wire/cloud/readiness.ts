import { z } from 'zod'
import { SLOT_STATES } from '../../plans/cloud/readiness.ts'
import { SLOT_CATEGORIES } from '../../plans/cloud/slots.ts'

const SlotView = z
  .object({
    id: z.string(),
    label: z.string(),
    category: z.enum(SLOT_CATEGORIES),
    state: z.enum(SLOT_STATES).meta({
      description:
        '`ready`: the last probe succeeded, within 15 minutes; `not_available`: the service has no client for it',
    }),
    configured: z.boolean().meta({ description: 'Whether the last probe succeeded' }),
    missing: z
      .array(z.string())
      .meta({ description: 'Names of settings that concern it; the hint says which are needed' }),
    setup_hint: z.string(),
    last_probe: z
      .object({
        at: z.iso.datetime(),
        ok: z.boolean(),
        outcome: z.string(),
        latency_ms: z.int(),
        last_ok_at: z.iso.datetime().nullable(),
      })
      .meta({ id: 'SlotProbe' })
      .nullable(),
  })
  .meta({ id: 'CloudSlot' })

/** Answer of `GET` and `POST /v1/cloud/readiness`. */
export const ReadinessAnswer = z
  .object({
    readiness: z.enum(['ready', 'needs_configuration']),
    platform_matrix: z.object({
      ok: z.boolean(),
      missing: z.array(z.string()),
      counts: z.object({ ready: z.int(), total: z.int() }),
    }),
    cloud: z.object({
      ok: z.boolean(),
      categories: z.record(
        z.string(),
        z.object({ configured: z.int(), total: z.int(), ids: z.array(z.string()) }).meta({ id: 'SlotCategory' }),
      ),
      providers: z.array(SlotView),
    }),
    profiles: z.array(
      z
        .object({ id: z.string(), configured: z.boolean(), missing_sets: z.array(z.string()) })
        .meta({ id: 'CloudProfile' }),
    ),
    blockers: z.array(z.string()),
    secret_values_included: z.literal(false),
  })
  .meta({ id: 'CloudReadiness' })
