import { z } from 'zod'
import { JwkSet } from '../../core/ledger/keys/jwk.ts'
import type { Json } from '../../core/kernel/json/json.ts'

const AnyJson = z.custom<Json>((value) => value !== undefined)

/** What people want to know of a K-score. */
const ScoreEnvelope = z.looseObject({
  n: z.int(),
  accuracy: z.number(),
  coverage: z.number(),
  interval: z.object({ low: z.number(), high: z.number() }),
  size_bytes: z.number(),
  p50_latency_us: z.number(),
})

/** What the CLI reads of the answers of the API; what it does not name is kept for `--json`. */
export const JobDocument = z.looseObject({
  id: z.string(),
  status: z.string(),
  stage: z.string().nullish(),
  task: z.string().nullish(),
  k_score: z.number().nullish(),
  k_score_floor: z.number().nullish(),
  k_score_envelope: ScoreEnvelope.nullish(),
  size_mb: z.number().nullish(),
  cid: z.string().nullish(),
  artifact_hash: z.string().nullish(),
  artifact_url: z.string().nullish(),
  recipe_kind: z.string().nullish(),
  failing_rows: z.array(z.string()).nullish(),
  evals_summary: z.looseObject({ failing: z.int() }).nullish(),
  examples_n: z.int().optional(),
  concept_id: z.string().nullish(),
  version_id: z.string().nullish(),
  error: z.string().nullish(),
  error_code: z.string().nullish(),
  created_at: z.string(),
})
export type JobDocument = z.output<typeof JobDocument>

export const JobList = z.looseObject({
  jobs: z.array(JobDocument),
  next_cursor: z.string().nullish(),
})

export const AcceptedJob = z.looseObject({ job_id: z.string(), status: z.string(), poll: z.string() })

export const RunAnswer = z.looseObject({
  output: AnyJson,
  abstained: z.boolean().optional(),
  confidence: z.number().optional(),
  version_id: z.string(),
  latency_us: z.number(),
  cache_hit: z.boolean(),
  receipt: AnyJson.optional(),
})

export const SignUpAnswer = z.looseObject({
  tenant: z.looseObject({ id: z.string(), name: z.string(), plan: z.string(), quota: z.int() }),
  api_key: z.string(),
  billing_required: z.boolean(),
})

export const SignInAnswer = z.looseObject({ tenant: z.object({ id: z.string(), name: z.string(), plan: z.string() }) })

export const PlanList = z.looseObject({
  plans: z.array(
    z.looseObject({ id: z.string(), label: z.string(), price_usd_month: z.number(), quota: z.int(), seats: z.int() }),
  ),
})

/** A key without its secret. */
export const ListedKey = z.looseObject({
  id: z.string(),
  prefix: z.string(),
  label: z.string().nullable(),
  scopes: z.array(z.string()),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  expired: z.boolean(),
  revoked: z.boolean(),
  active: z.boolean(),
  primary: z.boolean(),
})
export type ListedKey = z.output<typeof ListedKey>

export const KeyList = z.looseObject({ keys: z.array(ListedKey), next_cursor: z.string().nullish() })

export const MintedKey = z.looseObject({
  id: z.string(),
  api_key: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
  recommended_ttl_days: z.int(),
})

export const RotatedKey = z.looseObject({ api_key: z.string() })

export const ReplacedKey = z.looseObject({ new_api_key: z.string() })

export const RevokedKey = z.looseObject({ revoked: z.boolean() })

export const ScopeList = z.looseObject({
  scopes: z.array(z.object({ scope: z.string(), routes: z.array(z.string()) })),
})

export const SessionList = z.looseObject({
  sessions: z.array(
    z.looseObject({
      id: z.string(),
      auth_method: z.string(),
      created_at: z.string(),
      last_seen_at: z.string(),
      expires_at: z.string(),
      ip: z.string().nullable(),
      user_agent: z.string().nullable(),
    }),
  ),
})

export const EndedSession = z.looseObject({ id: z.string() })

export const RetriedEvents = z.looseObject({
  before: z.string(),
  applied: z.number(),
  refused: z.number(),
  left: z.number(),
  events: z.array(z.looseObject({ event_id: z.string(), type: z.string(), outcome: z.string() })),
})
export type RetriedEvents = z.infer<typeof RetriedEvents>

export const HealthDocument = z.looseObject({ status: z.string(), version: z.string() })

export const ReadyDocument = z.looseObject({
  status: z.string(),
  checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean(), required: z.boolean() })),
})

export { JwkSet }
