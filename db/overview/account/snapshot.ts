import type {
  AccountSnapshot,
  ArtifactFacts,
  ConceptCalls,
  NamespaceFacts,
} from '../../../core/overview/next-actions.ts'
import { daysSince, MOST_CAPTURES, OLD_DAYS } from '../../../core/overview/next-actions.ts'
import { settingsOf } from '../../../core/accounts/settings.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { keysToRotate } from '../../accounts/teams/keys-to-rotate.ts'
import { boundsOf, inBounds, jobInBounds } from '../../kernel/namespaces/bounds.ts'

const DAY_MS = 86_400_000
/** Rows of each kind that are looked at, the most telling first. */
const MOST = 200

/**
 * What is known of the tenant, out of its jobs, artifacts, calls, captured events and keys; for a key that is bound to
 * namespaces, out of what lies in these.
 */
export async function accountSnapshot(op: Operation): Promise<AccountSnapshot> {
  const now = op.now()
  const since = new Date(now.getTime() - 30 * DAY_MS)
  const before = new Date(now.getTime() - 60 * DAY_MS)
  const [namespaces, artifacts, concepts, totals, spent, toRotate] = await Promise.all([
    namespaceFacts(op),
    artifactFacts(op),
    conceptCalls(op, since),
    readTotals(op, since),
    readSpending(op, since, before),
    keysToRotate(op),
  ])
  return {
    now,
    namespaces,
    artifacts,
    concepts,
    artifactCount: totals.artifacts,
    lastCaptureAt: totals.lastCaptureAt,
    personalCaptures: totals.personalCaptures,
    spentUsdMicros: spent.recent,
    spentBeforeUsdMicros: spent.earlier,
    keyAgeDays: totals.keyCreatedAt === null ? null : daysSince(totals.keyCreatedAt, now),
    keyRotationDays: settingsOf(totals.settings).key_rotation_warning_days,
    knownProviderKeys: toRotate.map(({ keyId, provider }) => ({ id: keyId, provider })),
  }
}

/** The namespaces that events were captured in, fullest first, with their compiles. */
async function namespaceFacts(op: Operation): Promise<readonly NamespaceFacts[]> {
  return await op.db.query<NamespaceFacts>(
    `with compiled as (
       select spec ->> 'corpus_namespace' as namespace, max(finished_at) as at from compile_jobs
       where tenant_id = $1 and status = 'ready' and spec ->> 'corpus_namespace' is not null group by 1)
     select e.namespace, count(*) as captures, c.at as "lastCompiledAt",
       count(*) filter (where c.at is null or e.at > c.at) as "capturesSinceCompile"
     from control_events e left join compiled c on c.namespace = e.namespace
     where e.tenant_id = $1 and ${inBounds('e.namespace', 2)}
     group by e.namespace, c.at order by captures desc, e.namespace limit ${MOST}`,
    [op.tenantId, boundsOf(op)],
  )
}

/**
 * The artifacts that concepts answer with now, oldest first. Events since are counted for old ones, up to a bound: those
 * of the namespace that the artifact was compiled from, all of them when it was compiled from none.
 */
async function artifactFacts(op: Operation): Promise<readonly ArtifactFacts[]> {
  return await op.db.query<ArtifactFacts>(
    `select a.id, a.name, a.signed_at as "signedAt", a.k_score as "kScore", earlier.k_score as "earlierKScore",
       case
         when a.signed_at > $3 then 0
         when j.spec ->> 'corpus_namespace' is null then (
           select count(*) from (
             select 1 from control_events where tenant_id = $1 and at > a.signed_at limit ${MOST_CAPTURES}) counted)
         else (
           select count(*) from (
             select 1 from control_events
             where tenant_id = $1 and namespace = j.spec ->> 'corpus_namespace' and at > a.signed_at
             limit ${MOST_CAPTURES}) counted)
       end as "capturesSince"
     from concepts c
     join artifacts a on a.version_id = c.head_version_id
     join compile_jobs j on j.id = a.id
     join versions head on head.id = c.head_version_id
     left join versions earlier on earlier.concept_id = c.id and earlier.number = head.number - 1
     where c.tenant_id = $1 and c.deleted_at is null and a.revoked_at is null
       and ${inBounds(`j.spec ->> 'corpus_namespace'`, 2)}
     order by a.signed_at, a.id limit ${MOST}`,
    [op.tenantId, boundsOf(op), new Date(op.now().getTime() - OLD_DAYS * DAY_MS)],
  )
}

/** The concepts that were called since then, those with most failures first. */
async function conceptCalls(op: Operation, since: Date): Promise<readonly ConceptCalls[]> {
  return await op.db.query<ConceptCalls>(
    `select s.concept_id as "conceptId", c.name, sum(s.calls)::bigint as calls, sum(s.failures)::bigint as failures
     from invocation_stats s join concepts c on c.id = s.concept_id join versions v on v.id = s.version_id
     where s.tenant_id = $1 and s.hour >= $3 and c.deleted_at is null and ${jobInBounds('v.job_id', 2)}
     group by s.concept_id, c.name order by failures desc, s.concept_id limit ${MOST}`,
    [op.tenantId, boundsOf(op), since],
  )
}

interface Totals {
  readonly settings: JsonObject
  readonly artifacts: number
  readonly lastCaptureAt: Date | null
  readonly personalCaptures: number
  readonly keyCreatedAt: Date | null
}

async function readTotals(op: Operation, since: Date): Promise<Totals> {
  const [row] = await op.db.query<Totals>(
    `select settings,
       (select count(*) from artifacts where tenant_id = $1 and ${jobInBounds('artifacts.id', 2)}) as artifacts,
       (select max(at) from control_events where tenant_id = $1 and ${inBounds('namespace', 2)}) as "lastCaptureAt",
       (select count(*) from control_events
        where tenant_id = $1 and at >= $3 and envelope ->> 'redaction_result' like 'redacted:%'
          and ${inBounds('namespace', 2)}) as "personalCaptures",
       (select created_at from api_keys where tenant_id = $1 and kind = 'primary' and revoked_at is null)
         as "keyCreatedAt"
     from tenants where id = $1`,
    [op.tenantId, boundsOf(op), since],
  )
  if (row === undefined) throw new Error(`tenant ${op.tenantId} is gone`)
  return row
}

/** What compiles and calls cost since a time, and in as long a time before it. */
async function readSpending(
  op: Operation,
  since: Date,
  before: Date,
): Promise<{ readonly recent: number; readonly earlier: number }> {
  const day = (at: Date): string => at.toISOString().slice(0, 10)
  const [row] = await op.db.query<{ recent: number; earlier: number }>(
    `with spent as (
       select created_at >= $3 as is_recent, cost_usd_micros as micros from compile_jobs
       where tenant_id = $1 and created_at >= $4 and ${inBounds(`spec ->> 'corpus_namespace'`, 2)}
       union all
       select day >= $5, cost_usd_micros from usage_days
       where tenant_id = $1 and day >= $6 and unit <> 'builds' and ${inBounds('namespace', 2)})
     select coalesce(sum(micros) filter (where is_recent), 0)::bigint as recent,
       coalesce(sum(micros) filter (where not is_recent), 0)::bigint as earlier from spent`,
    [op.tenantId, boundsOf(op), since, before, day(since), day(before)],
  )
  return row ?? { recent: 0, earlier: 0 }
}
