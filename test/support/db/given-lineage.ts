import type { UsedDataset } from '../../../core/compile/wire/jobs/dataset.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { sendSql } from './send-sql.ts'

/** An artifact to make, and what it is built on. */
export interface LineageCopy {
  readonly id: string
  /** The artifact whose version its own follows. */
  readonly parent: string | null
  /** The job whose examples it compiles again. */
  readonly earlierJob: string | null
  readonly nodes: readonly string[]
  /** The version of a dataset that it compiles, as its spec names it. */
  readonly dataset?: UsedDataset
  readonly captures: readonly string[]
  /** The artifacts that its distillation continued and asked. */
  readonly distil?: { readonly student: string | null; readonly teacher: string | null }
}

/**
 * Copies a finished artifact with its job and its version, all in one concept, and gives each copy evidence and captures
 * of its own.
 */
export async function givenLineage(db: Database, templateId: string, copies: readonly LineageCopy[]): Promise<void> {
  const given = JSON.stringify(
    copies.map(({ distil, ...copy }, place) => ({ ...copy, place: place + 1, distil: distil && choicesOf(distil) })),
  )
  const copied = `jsonb_to_recordset($2::jsonb) as c("id" text, "parent" text, "earlierJob" text, dataset jsonb, distil jsonb, place int)`
  const versionOf = (id: string): string => `'ver_' || substr(${id}, 5)`
  await sendSql(
    db,
    `insert into compile_jobs select r.* from compile_jobs t, ${copied},
      jsonb_populate_record(null::compile_jobs, to_jsonb(t) || jsonb_build_object('id', c.id, 'version_id', ${versionOf('c.id')},
        'spec', t.spec::jsonb || jsonb_strip_nulls(jsonb_build_object('earlier_job', c."earlierJob", 'dataset', c.dataset, 'distil', c.distil)))) r
      where t.id = $1`,
    [templateId, given],
  )
  await sendSql(
    db,
    `insert into versions select r.* from versions t, ${copied},
      jsonb_populate_record(null::versions, to_jsonb(t) || jsonb_build_object('id', ${versionOf('c.id')}, 'job_id', c.id,
        'number', c.place + 1, 'semver', '0.' || (c.place + 1) || '.0',
        'parent_version_id', case when c.parent = $1 then t.id else ${versionOf('c.parent')} end)) r
      where t.job_id = $1`,
    [templateId, given],
  )
  await sendSql(
    db,
    `insert into artifacts select r.* from artifacts t, ${copied},
      jsonb_populate_record(null::artifacts, to_jsonb(t) || jsonb_build_object('id', c.id, 'version_id', ${versionOf('c.id')},
        'cid', 'cidv1:sha256:' || encode(sha256(c.id::bytea), 'hex'))) r
      where t.id = $1`,
    [templateId, given],
  )
  const evidence = copies.flatMap(({ id, nodes }) => nodes.map((node, position) => ({ id, node, position })))
  await sendSql(
    db,
    `insert into evidence_nodes (artifact_id, position, tenant_id, node_id, kind, facts)
      select e.id, e.position, t.tenant_id, e.node, 'capture', json_build_object('id', e.node, 'kind', 'capture')
      from artifacts t, jsonb_to_recordset($2::jsonb) as e(id text, node text, position int) where t.id = $1`,
    [templateId, JSON.stringify(evidence)],
  )
  const uses = copies.flatMap(({ id, captures }) => captures.map((capture, seq) => ({ id, capture, seq })))
  await sendSql(
    db,
    `insert into compile_captures (tenant_id, job_id, capture_id, seq, chain_hash)
      select t.tenant_id, u.id, u.capture, u.seq, ''::bytea
      from artifacts t, jsonb_to_recordset($2::jsonb) as u(id text, capture text, seq int) where t.id = $1`,
    [templateId, JSON.stringify(uses)],
  )
}

function choicesOf({ student, teacher }: NonNullable<LineageCopy['distil']>) {
  return { student: { base: 'b', artifact_id: student }, teacher: { base: 'b', artifact_id: teacher } }
}
