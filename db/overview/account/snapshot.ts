import { sql } from 'kysely'
import type {
  AccountSnapshot,
  ArtifactFacts,
  ConceptCalls,
  NamespaceFacts,
} from '../../../core/overview/next-actions.ts'
import { daysSince, MOST_CAPTURES, OLD_DAYS } from '../../../core/overview/next-actions.ts'
import { settingsOf } from '../../../core/accounts/settings.ts'
import type { Operation } from '../../kernel/operation.ts'
import { countRows } from '../../kernel/queries/count-rows.ts'
import { keysToRotate } from '../../gateway/provider-keys/keys-to-rotate.ts'
import { namespaceWithin } from '../../kernel/namespaces/within.ts'
import { specNamespace } from './spec-namespace.ts'

const DAY_MS = 86_400_000
/** Rows of each kind that are read, the most relevant first. */
const MOST = 200

/**
 * Returns the known facts of the tenant, from its jobs, artifacts, calls, captured events and keys; for a key bound to
 * namespaces, from those in them.
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

/** Returns the namespaces that events were captured in, fullest first, with their compiles. */
async function namespaceFacts(op: Operation): Promise<readonly NamespaceFacts[]> {
  return await op.read((q) =>
    q
      .with('compiled', (each) =>
        each
          .selectFrom('compile_jobs as job')
          .select([specNamespace('job').as('namespace'), sql<Date | null>`max(finished_at)`.as('at')])
          .where('tenant_id', '=', op.tenantId)
          .where('status', '=', 'ready')
          .where(sql<boolean>`${specNamespace('job')} is not null`)
          .groupBy(specNamespace('job')),
      )
      .selectFrom('control_events as e')
      .leftJoin('compiled as c', 'c.namespace', 'e.namespace')
      .select([
        'e.namespace',
        q.fn.countAll<number>().as('captures'),
        'c.at as lastCompiledAt',
        sql<number>`count(*) filter (where c.at is null or e.at > c.at)`.as('capturesSinceCompile'),
      ])
      .where('e.tenant_id', '=', op.tenantId)
      .groupBy(['e.namespace', 'c.at'])
      .orderBy('captures', 'desc')
      .orderBy('e.namespace')
      .limit(MOST),
  )
}

/**
 * Returns the current artifacts of concepts, oldest first. Events since are counted for old ones, up to a bound: those
 * of the namespace that the artifact was compiled from, all of them when it was compiled from none.
 */
async function artifactFacts(op: Operation): Promise<readonly ArtifactFacts[]> {
  const { tenantId } = op
  const young = new Date(op.now().getTime() - OLD_DAYS * DAY_MS)
  return await op.read((q) =>
    q
      .selectFrom('concepts as c')
      .innerJoin('artifacts as a', 'a.version_id', 'c.head_version_id')
      .innerJoin('compile_jobs as j', 'j.id', 'a.id')
      .innerJoin('versions as head', 'head.id', 'c.head_version_id')
      .leftJoin('versions as earlier', (join) =>
        join.onRef('earlier.concept_id', '=', 'c.id').on(sql<boolean>`earlier.number = head.number - 1`),
      )
      .select((of) => {
        const later = of
          .selectFrom('control_events as e')
          .select('e.id')
          .where('e.tenant_id', '=', tenantId)
          .whereRef('e.at', '>', 'a.signed_at')
          .limit(MOST_CAPTURES)
        const inNamespace = later.where('e.namespace', '=', specNamespace('j'))
        return [
          'a.id',
          'a.name',
          'a.signed_at as signedAt',
          'a.k_score as kScore',
          'earlier.k_score as earlierKScore',
          sql<number>`case
            when a.signed_at > ${young} then 0
            when ${specNamespace('j')} is null then ${countRows(of.selectFrom(later.as('counted')))}
            else ${countRows(of.selectFrom(inNamespace.as('counted')))}
          end`.as('capturesSince'),
        ]
      })
      .where('c.tenant_id', '=', tenantId)
      .where('c.deleted_at', 'is', null)
      .where('a.revoked_at', 'is', null)
      .orderBy('a.signed_at')
      .orderBy('a.id')
      .limit(MOST),
  )
}

/** Returns the concepts called since then, those with most failures first. */
async function conceptCalls(op: Operation, since: Date): Promise<readonly ConceptCalls[]> {
  return await op.read((q) =>
    q
      .selectFrom('invocation_stats as s')
      .innerJoin('concepts as c', 'c.id', 's.concept_id')
      .innerJoin('versions as v', 'v.id', 's.version_id')
      .select([
        's.concept_id as conceptId',
        'c.name',
        sql<number>`sum(s.calls)::bigint`.as('calls'),
        sql<number>`sum(s.failures)::bigint`.as('failures'),
      ])
      .where('s.tenant_id', '=', op.tenantId)
      .where('s.hour', '>=', since)
      .where('c.deleted_at', 'is', null)
      .groupBy(['s.concept_id', 'c.name'])
      .orderBy('failures', 'desc')
      .orderBy('s.concept_id')
      .limit(MOST),
  )
}

async function readTotals(op: Operation, since: Date) {
  const { tenantId } = op
  const [row] = await op.read((q) =>
    q
      .selectFrom('tenants')
      .select((of) => [
        'settings',
        countRows(of.selectFrom('artifacts').where('tenant_id', '=', tenantId)).as('artifacts'),
        of
          .selectFrom('control_events')
          .select(sql<Date | null>`max(at)`.as('at'))
          .where('tenant_id', '=', tenantId)
          .as('lastCaptureAt'),
        countRows(
          of
            .selectFrom('control_events')
            .where('tenant_id', '=', tenantId)
            .where('at', '>=', since)
            .where(sql<boolean>`envelope ->> 'redaction_result' like 'redacted:%'`),
        ).as('personalCaptures'),
        of
          .selectFrom('api_keys')
          .select('created_at')
          .where('tenant_id', '=', tenantId)
          .where('kind', '=', 'primary')
          .where('revoked_at', 'is', null)
          .as('keyCreatedAt'),
      ])
      .where('id', '=', tenantId),
  )
  if (row === undefined) throw new Error(`tenant ${op.tenantId} is gone`)
  return row
}

/** Returns the cost of compiles and calls since a time, and in the same time span before it. */
async function readSpending(
  op: Operation,
  since: Date,
  before: Date,
): Promise<{ readonly recent: number; readonly earlier: number }> {
  const day = (at: Date): string => at.toISOString().slice(0, 10)
  const [row] = await op.read((q) =>
    q
      .with('spent', (each) =>
        each
          .selectFrom('compile_jobs as job')
          .select([sql<boolean>`created_at >= ${since}`.as('is_recent'), 'cost_usd_micros as micros'])
          .where('tenant_id', '=', op.tenantId)
          .where('created_at', '>=', before)
          .unionAll(
            each
              .selectFrom('usage_days')
              .select([sql<boolean>`day >= ${day(since)}`.as('is_recent'), 'cost_usd_micros as micros'])
              .where('tenant_id', '=', op.tenantId)
              .where('day', '>=', day(before))
              .where('unit', '<>', 'builds')
              .where(namespaceWithin(op, 'namespace')),
          ),
      )
      .selectFrom('spent')
      .select([
        sql<number>`coalesce(sum(micros) filter (where is_recent), 0)::bigint`.as('recent'),
        sql<number>`coalesce(sum(micros) filter (where not is_recent), 0)::bigint`.as('earlier'),
      ]),
  )
  return row ?? { recent: 0, earlier: 0 }
}
