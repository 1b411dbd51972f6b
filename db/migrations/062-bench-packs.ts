import { Migration } from '@mikro-orm/migrations'

/** Packs of benchmarks, and the outcome of the probes of the sandbox for code. */
export class BenchPacks extends Migration {
  override up(): void {
    this.addSql(
      `create table "bench_packs" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "benchmark" text not null, "name" text not null, "file_hash" bytea not null, "question_count" int not null, "size_bytes" bigint not null, "blob_sha256" text not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "bench_packs_newest" on "bench_packs" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "bench_packs_by_blob" on "bench_packs" ("blob_sha256")`)
    this.addSql(
      `alter table "bench_packs" add constraint "bench_packs_once" unique ("tenant_id", "namespace", "benchmark", "file_hash")`,
    )
    this.addSql(`alter table "slot_probes" drop constraint "slot_probes_slot_check"`)
    this.addSql(
      `alter table "slot_probes" add constraint "slot_probes_slot_check" check ("slot" in ('service_store', 'local-cpu', 'local-cuda', 'remote-ssh', 'gpu_pods', 'gpu_serverless', 'gpu_vm', 'gpu_market', 'teacher', 'otlp', 'sign_in', 'code_sandbox'))`,
    )
    this.addSql(
      `alter table "bench_packs" add constraint "bench_packs_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "bench_packs" add constraint "bench_packs_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "bench_packs" add constraint "bench_packs_benchmark_check" check ("benchmark" in ('mmlu', 'humaneval', 'mtbench'))`,
    )
    this.addSql(`alter table "bench_packs" enable row level security`)
    this.addSql(`create policy "tenant" on "bench_packs" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "bench_packs" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
