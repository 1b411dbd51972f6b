import { Migration } from '@mikro-orm/migrations'

/** Restrictive policies: a key that is bound to namespaces reaches the rows of these only. */
export class NamespacePolicies extends Migration {
  override up(): void {
    for (const statement of [...FUNCTIONS, ...POLICIES]) this.addSql(statement)
  }
}

/** Functions of the caller's own role: they see what the policies show it. */
const FUNCTIONS = [
  sees('svc_job_within', 'compile_jobs', 'id'),
  sees('svc_version_within', 'versions', 'id'),
  sees('svc_concept_within', 'versions', 'concept_id'),
]

function sees(name: string, table: string, column: string): string {
  return `create function ${name}(wanted text) returns boolean language plpgsql stable as $$
    begin return exists (select 1 from ${table} t where t.${column} = wanted); end $$`
}

const POLICIES = [
  within('control_events', listed('namespace')),
  within('compile_jobs', listed(`(spec ->> 'corpus_namespace')`)),
  within('concepts', 'version_count = 0 or svc_concept_within(id)'),
  within('artifacts', 'svc_job_within(id)'),
  within('versions', 'svc_job_within(job_id)'),
  within('job_events', 'svc_job_within(job_id)'),
  within('job_stages', 'svc_job_within(job_id)'),
  within('exports', 'svc_job_within(artifact_id)'),
  within('share_links', 'svc_job_within(target_id)'),
  within('evidence_nodes', 'svc_job_within(artifact_id)'),
  within('evidence_edges', 'svc_job_within(artifact_id)'),
  within('invocation_stats', 'svc_version_within(version_id)'),
]

function listed(namespace: string): string {
  return `${namespace} = any (string_to_array(current_setting('svc.namespaces'), ','))`
}

function within(table: string, condition: string): string {
  const using = `(select current_setting('svc.namespaces')) = '' or ${condition}`
  return `create policy "namespace" on "${table}" as restrictive using (${using})`
}
