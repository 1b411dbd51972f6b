import { Migration } from '@mikro-orm/migrations'

/** Restrictive policies: a key that is bound to namespaces reaches the rows of these only. */
export class NamespacePolicies extends Migration {
  override up(): void {
    for (const statement of POLICIES) this.addSql(statement)
  }
}

const POLICIES = [
  ...within('control_events', listed('namespace')),
  ...within('compile_jobs', listed(`(spec ->> 'corpus_namespace')`)),
  ...within('concepts', 'version_count = 0 or exists (select 1 from versions v where v.concept_id = concepts.id)'),
  ...visibleWith('artifacts', 'compile_jobs', 'id'),
  ...visibleWith('versions', 'compile_jobs', 'job_id'),
  ...visibleWith('job_events', 'compile_jobs', 'job_id'),
  ...visibleWith('job_stages', 'compile_jobs', 'job_id'),
  ...visibleWith('exports', 'artifacts', 'artifact_id'),
  ...visibleWith('share_links', 'artifacts', 'target_id'),
  ...visibleWith('evidence_nodes', 'artifacts', 'artifact_id'),
  ...visibleWith('evidence_edges', 'artifacts', 'artifact_id'),
  ...visibleWith('invocation_stats', 'versions', 'version_id'),
]

function listed(namespace: string): string {
  return `${namespace} = any (string_to_array(current_setting('svc.namespaces'), ','))`
}

function visibleWith(table: string, whole: string, column: string): readonly string[] {
  return within(table, `exists (select 1 from ${whole} whole where whole.id = ${table}.${column})`)
}

function within(table: string, condition: string): readonly string[] {
  const using = `current_setting('svc.namespaces') = '' or ${condition}`
  return [`create policy "namespace" on "${table}" as restrictive using (${using})`]
}
