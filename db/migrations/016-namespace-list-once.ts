import { Migration } from '@mikro-orm/migrations'

/** The policies read the caller's list of namespaces once per query, no longer once per row. */
export class NamespaceListOnce extends Migration {
  override up(): void {
    this.addSql(alter('control_events', 'namespace'))
    this.addSql(alter('compile_jobs', `(spec ->> 'corpus_namespace')`))
  }
}

function alter(table: string, namespace: string): string {
  const list = `(select string_to_array(current_setting('svc.namespaces'), ','))::text[]`
  const using = `(select current_setting('svc.namespaces')) = '' or ${namespace} = any (${list})`
  return `alter policy "namespace" on "${table}" using (${using})`
}
