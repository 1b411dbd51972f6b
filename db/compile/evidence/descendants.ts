import { sql } from 'kysely'
import { DATASET_SOURCES, HAS_DATASET } from './dataset-sources.ts'
import { DISTIL_SOURCES, HAS_DISTIL } from './distil-sources.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** Kinds of things that artifacts are built on. */
export interface Sources {
  /** Artifacts, by their ids. */
  readonly artifacts?: readonly string[]
  /** Captures, forgotten ones too. */
  readonly captures?: readonly string[]
  /**
   * Nodes of evidence graphs, as they are named there: data sets, chains, bases, teachers. Distillations, datasets of the account and
   * their versions too.
   */
  readonly nodes?: readonly string[]
}

/** Artifacts that are built on given sources. */
export interface Descendants {
  /** In the order of their ids, without the given artifacts themselves. */
  readonly ids: readonly string[]
  /** True when there are more than were asked for. */
  readonly isTruncated: boolean
}

/**
 * Returns the artifacts of the tenant that are built on one of the sources, directly or through others: later versions of
 * an artifact, compiles of an earlier job's examples (also through a job without an artifact), compiles of a dataset or by a
 * distillation, adapters that continued an adapter or asked it as their teacher, and those whose evidence names the capture or the node. Returns at most `limit` of them.
 */
export async function findDescendants(
  from: Reader,
  { tenantId, sources, limit }: { readonly tenantId: string; readonly sources: Sources; readonly limit: number },
): Promise<Descendants> {
  const given = [...new Set(sources.artifacts)]
  if (given.length + (sources.captures?.length ?? 0) + (sources.nodes?.length ?? 0) === 0) {
    return { ids: [], isTruncated: false }
  }
  const rows = await from.read((q) =>
    q
      // All links of the tenant are read once: an index on an expression is of no use under row-level policies, and a step of the walk
      // would read every job.
      .withRecursive(
        (name) => name('link').materialized(),
        (within) =>
          within
            .selectFrom('versions as parent')
            .innerJoin('versions as child', 'child.parent_version_id', 'parent.id')
            .select(['parent.job_id as source', 'child.job_id as id'])
            .where('parent.tenant_id', '=', tenantId)
            .where('child.tenant_id', '=', tenantId)
            .unionAll(
              within
                .selectFrom('compile_jobs')
                .select([sql<string>`spec ->> 'earlier_job'`.as('source'), 'id'])
                .where('tenant_id', '=', tenantId)
                .where(sql<boolean>`spec ->> 'earlier_job' is not null`),
            )
            .unionAll(
              within
                .selectFrom('compile_jobs as j')
                .select([DATASET_SOURCES.as('source'), 'j.id'])
                .where('j.tenant_id', '=', tenantId)
                .where(HAS_DATASET),
            )
            .unionAll(
              within
                .selectFrom('compile_jobs as j')
                .select([DISTIL_SOURCES.as('source'), 'j.id'])
                .where('j.tenant_id', '=', tenantId)
                .where(HAS_DISTIL),
            ),
      )
      .withRecursive('built(id)', (within) =>
        within
          .selectFrom(sql<{ id: string }>`unnest(${[...given, ...(sources.nodes ?? [])]}::text[])`.as<'g'>(sql`g(id)`))
          .select('g.id')
          .union(
            within
              .selectFrom('compile_captures')
              .select('job_id as id')
              .where('tenant_id', '=', tenantId)
              .where(sql<boolean>`capture_id = any(${[...(sources.captures ?? [])]}::text[])`),
          )
          .union(
            within
              .selectFrom('evidence_nodes')
              .select('artifact_id as id')
              .where('tenant_id', '=', tenantId)
              .where(sql<boolean>`node_id = any(${[...(sources.nodes ?? [])]}::text[])`),
          )
          .union(within.selectFrom('built').innerJoin('link', 'link.source', 'built.id').select('link.id')),
      )
      .selectFrom('built')
      .innerJoin('artifacts', 'artifacts.id', 'built.id')
      .select('built.id')
      .where('artifacts.tenant_id', '=', tenantId)
      .where(sql<boolean>`not (built.id = any(${given}::text[]))`)
      .orderBy('built.id')
      .limit(limit + 1),
  )
  return { ids: rows.slice(0, limit).map(({ id }) => id), isTruncated: rows.length > limit }
}
