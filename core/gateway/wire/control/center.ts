import { z } from 'zod'

/** Answer of `GET /v1/account/api-control-center`. */
export const GetControlCenterAnswer = z.object({
  counters: z.object({
    observed_events: z.int(),
    adapters: z.int(),
    declared_exports: z.int(),
    compile_jobs: z.int(),
    artifacts: z.int(),
  }),
  posture: z.object({
    capture: z.string(),
    egress: z.string(),
    unknown_payloads: z.string(),
    redacted_classes: z.array(z.string()),
  }),
  intake: z.object({
    routes: z.array(z.string()),
    channel_families: z.array(z.string()),
    payload_policies: z.array(z.string()),
    adapter_states: z.array(z.string()),
  }),
  sources: z.array(
    z.object({
      source_id: z.string(),
      namespace: z.string(),
      channel_family: z.string(),
      events: z.int(),
      last_seen_at: z.iso.datetime(),
    }),
  ),
  adapters: z.array(z.object({ adapter_id: z.string(), adapter_version: z.string(), validated_at: z.iso.datetime() })),
  destinations: z.array(
    z.object({
      destination_id: z.string(),
      destination_class: z.string(),
      declarations: z.int(),
      last_declared_at: z.iso.datetime(),
    }),
  ),
})
