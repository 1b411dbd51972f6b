import { Migration } from '@mikro-orm/migrations'

/**
 * Flags the adapters whose distillation continued, or asked, adapters with forgotten captures before distillations inherited
 * those: what `inheritForgotten` records with a new job. Their jobs hold no example of the captures.
 */
export class InheritedFlags extends Migration {
  override up(): void {
    this.addSql(`with recursive link as materialized (
        select j.tenant_id, j.id, s.source from compile_jobs j
          cross join lateral unnest(array[j.spec #>> '{distil,student,artifact_id}', j.spec #>> '{distil,teacher,artifact_id}']) s(source)
          where j.spec -> 'distil' is not null and s.source is not null
      ), built(tenant_id, id, origin) as (
        select distinct u.tenant_id, u.job_id, u.job_id from compile_captures u where u.forgotten_at is not null
        union
        select b.tenant_id, l.id, b.origin from built b join link l on l.source = b.id and l.tenant_id = b.tenant_id
      )
      insert into compile_captures (tenant_id, job_id, capture_id, seq, chain_hash, forgotten_at, erased_at)
      select distinct on (b.id, u.capture_id) b.tenant_id, b.id, u.capture_id, u.seq, u.chain_hash, u.forgotten_at, now()
        from built b join compile_captures u on u.tenant_id = b.tenant_id and u.job_id = b.origin
        where b.id <> b.origin and u.forgotten_at is not null
        order by b.id, u.capture_id, u.forgotten_at
      on conflict do nothing`)
  }
}
