import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { ConceptEntity } from '../concepts/concept.ts'
import { VersionEntity } from '../concepts/version.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * The calls of one version within one hour (UTC), with a histogram of their latencies; for older days, see
 * `fold-hours.ts`, one row for the whole day.
 */
export const InvocationHourEntity = defineTable({
  name: 'InvocationHour',
  tableName: 'invocation_stats',
  properties: {
    versionId: () => p.manyToOne(VersionEntity).mapToPk().fieldName('version_id').primary(),
    hour: instant().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    conceptId: () => p.manyToOne(ConceptEntity).mapToPk().fieldName('concept_id'),
    calls: bigCount(),
    cacheHits: bigCount(),
    failures: bigCount(),
    /** Sum over the calls that were not cache hits, microseconds. */
    latencySumUs: bigCount(),
    /** Calls that were not cache hits, by bucket of latency. */
    buckets: p.array(Number).columnType('integer[]'),
    /** Tokens of generated answers: read, and written including the one that ends an answer. */
    promptTokens: bigCount().defaultRaw('0'),
    newTokens: bigCount().defaultRaw('0'),
    /** Sum of the durations of generated answers from the first work on them, microseconds. */
    generationUs: bigCount().defaultRaw('0'),
    lastAt: instant(),
  },
  indexes: [
    { properties: ['conceptId', 'hour'] },
    { properties: ['tenantId', 'hour'] },
    {
      name: 'invocation_stats_to_fold',
      properties: ['hour'],
      where: `extract(hour from hour at time zone 'UTC') <> 0`,
    },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_version_within', of: 'versionId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'invocations',
      key: ['hour', 'versionId'],
      columns: {
        versionId: true,
        hour: true,
        tenantId: 'the document is of one tenant',
        conceptId: true,
        calls: true,
        cacheHits: true,
        failures: true,
        latencySumUs: true,
        buckets: true,
        promptTokens: true,
        newTokens: true,
        generationUs: true,
        lastAt: true,
      },
    },
    sweeps: [
      {
        name: 'hoursOfCalls',
        summary: 'Fold old hours of calls into totals',
        by: { special: 'adds the hours of a day to one row' },
        keptDays: 35,
      },
    ],
  },
})
