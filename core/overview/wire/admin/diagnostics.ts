import { z } from 'zod'
import { Check } from '../health/check.ts'
import { REFUSALS } from '../../../billing/events/event-outcomes.ts'

const Configured = z
  .record(z.string(), z.boolean())
  .meta({ description: 'The configured features, without their values' })

/** A check with its latency. */
export const CheckInDetail = Check.extend({ latency_ms: z.number(), detail: z.string() })

/** Answer of `GET /v1/admin/health`. */
export const AdminGetHealthAnswer = z.object({
  now: z.iso.datetime(),
  region: z.string(),
  runtime_version: z.string(),
  uptime_sec: z.int(),
  status: z.enum(['ready', 'not_ready']),
  checks: z.array(CheckInDetail),
  memory: z.object({ rss_bytes: z.int(), heap_used_bytes: z.int(), external_bytes: z.int() }),
  env: Configured,
})

/** Answer of `GET /v1/admin/diagnostics`. */
export const AdminGetDiagnosticsAnswer = z.object({
  versions: z.object({
    service: z.string(),
    git: z.string(),
    runtime: z.string(),
    library: z.string(),
    node: z.string(),
    postgres: z.string(),
  }),
  migrations: z.object({ applied: z.array(z.string()), missing: z.array(z.string()) }),
  store: z.object({
    database_bytes: z.int(),
    pool: z.object({ open: z.int(), idle: z.int(), waiting: z.int() }),
  }),
  workflow_engine: z.object({ reachable: z.boolean() }),
  queues: z.array(z.object({ name: z.string(), heard_s_ago: z.int().nullable() })),
  backlog: z.object({ starts: z.int(), pokes: z.int(), audit_lines: z.int() }),
  payment_events: z.object({
    refused: z
      .int()
      .meta({ description: 'Events of the payment processor that have no effect until their cause is resolved' }),
    latest: z.array(
      z.object({
        event_id: z.string(),
        type: z.string(),
        reason: z.enum(REFUSALS),
        received_at: z.iso.datetime(),
        refused_at: z.iso.datetime(),
        retryable: z.boolean().meta({ description: 'False: the processor must send it again' }),
      }),
    ),
  }),
  signing_keys: z.int(),
  sealed_under_old_key: z
    .int()
    .meta({ description: 'Stored secrets that are not yet encrypted under the new master key' }),
  env: Configured,
})
