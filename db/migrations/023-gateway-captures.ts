import { Migration } from '@mikro-orm/migrations'
import { firstTimedId } from '../../core/kernel/ids.ts'

const PARTITIONED = ['captures', 'capture_contents', 'capture_texts']

/**
 * The index of the search. A login that may not create the extension gets none: the search then reads texts one after
 * another, within a bound.
 */
const TRIGRAMS = `do $$ begin
  create extension if not exists pg_trgm;
  create index "capture_texts_trigrams" on "capture_texts" using gin ("text" gin_trgm_ops);
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise notice 'captures are searched without an index: %', sqlerrm;
end $$`

/** Captures of calls in partitions by month, their chains, contents and texts. Partitions are in a schema of their own. */
export class GatewayCaptures extends Migration {
  override up(): void {
    this.addSql(
      `create table "captures" ("id" text collate "C" not null, "tenant_id" text not null, "namespace" text not null, "position" bigint not null, "chain_id" bigint not null, "seq" bigint not null, "prev_hash" bytea not null, "chain_hash" bytea not null, "at" timestamptz(3) not null, "source" text not null, "kind" text not null, "dialect" text null, "provider" text null, "model" text null, "request_model" text null, "outcome" text not null, "http_status" int not null, "error_code" text null, "is_streamed" boolean not null, "input_tokens" bigint not null, "cached_tokens" bigint not null, "cache_write_tokens" bigint not null, "output_tokens" bigint not null, "reasoning_tokens" bigint not null, "is_estimated" boolean not null, "cost_micros" bigint null, "latency_us" bigint null, "first_content_us" bigint null, "attempts" json not null, "route" json null, "redaction_classes" text[] not null, "retention" text not null, "input_hash" bytea not null, "output_hash" bytea not null, "prompt_hash" bytea null, "response_hash" bytea null, "answer_hash" bytea null, "receipt_id" text null, "receipt" json null, "conversation_id" text null, "request_id" text not null, "key_id" text null, "member_id" text null, "team_id" text null, "template" text null, "risk" double precision null, "risk_parts" json null, "status" text not null, "reviewed_at" timestamptz(3) null, "reviewed_by" text null, "review_reason" text null, "forgotten_at" timestamptz(3) null, primary key ("id")) partition by range ("id")`,
    )
    this.addSql(`create index "captures_newest" on "captures" ("tenant_id", "id")`)
    this.addSql(`create index "captures_of_namespace" on "captures" ("tenant_id", "namespace", "id")`)
    this.addSql(`create index "captures_tail" on "captures" ("tenant_id", "position")`)
    this.addSql(`create index "captures_chained" on "captures" ("chain_id", "seq")`)
    this.addSql(
      `create index "captures_reviewed" on "captures" ("tenant_id", "status", "id") where status <> 'pending'`,
    )
    this.addSql(`create index "captures_risky" on "captures" ("tenant_id", "id") where risk >= 0.3`)
    this.addSql(`create index "captures_redacted" on "captures" ("tenant_id", "id") where redaction_classes <> '{}'`)
    this.addSql(
      `create index "captures_of_template" on "captures" ("tenant_id", "template", "id") where template is not null`,
    )
    this.addSql(
      `create index "captures_of_conversation" on "captures" ("tenant_id", "conversation_id", "id") where conversation_id is not null`,
    )
    this.addSql(
      `create table "capture_chains" ("id" bigserial primary key, "tenant_id" text not null, "namespace" text not null, "begun_for" text not null, "is_open" boolean not null, "count" bigint not null, "head" bytea not null, "cut_through" bigint not null, "cut_head" bytea not null, "signed_through" bigint not null)`,
    )
    this.addSql(`create index "capture_chains_of_namespace" on "capture_chains" ("tenant_id", "namespace", "id")`)
    this.addSql(`create index "capture_chains_to_sign" on "capture_chains" ("id") where signed_through < count`)
    this.addSql(
      `create unique index "capture_chains_one_open" on "capture_chains" ("tenant_id", "namespace") where is_open`,
    )
    this.addSql(
      `create table "capture_checkpoints" ("chain_id" bigint not null, "count" bigint not null, "tenant_id" text not null, "namespace" text not null, "at" timestamptz(3) not null, "document" json not null, primary key ("chain_id", "count"))`,
    )
    this.addSql(
      `create index "capture_checkpoints_of_tenant" on "capture_checkpoints" ("tenant_id", "namespace", "chain_id", "count")`,
    )
    this.addSql(
      `create table "capture_contents" ("id" text collate "C" not null, "tenant_id" text not null, "namespace" text not null, "prompt" text not null, "response" text not null, "body" json null, "answer" json null, "blob_sha256" text null, "fixed_output" text null, primary key ("id")) partition by range ("id")`,
    )
    this.addSql(`create index "capture_contents_of_tenant" on "capture_contents" ("tenant_id", "id")`)
    this.addSql(
      `create index "capture_contents_by_blob" on "capture_contents" ("blob_sha256") where blob_sha256 is not null`,
    )
    this.addSql(
      `create table "capture_heads" ("tenant_id" text not null, "position" bigint not null, "indexed" bigint not null, primary key ("tenant_id"))`,
    )
    this.addSql(`create index "capture_heads_to_index" on "capture_heads" ("tenant_id") where indexed < position`)
    this.addSql(
      `create table "capture_media" ("capture_id" text collate "C" not null, "place" int not null, "tenant_id" text not null, "namespace" text not null, "kind" text not null, "mime" text not null, "filename" text null, "blob_sha256" text not null, "size_bytes" bigint not null, primary key ("capture_id", "place"))`,
    )
    this.addSql(`create index "capture_media_of_tenant" on "capture_media" ("tenant_id", "capture_id")`)
    this.addSql(`create index "capture_media_by_blob" on "capture_media" ("blob_sha256")`)
    this.addSql(
      `create table "capture_texts" ("id" text collate "C" not null, "tenant_id" text not null, "namespace" text not null, "text" text not null, primary key ("id")) partition by range ("id")`,
    )
    this.addSql(`create index "capture_texts_of_tenant" on "capture_texts" ("tenant_id", "id")`)
    this.addSql(TRIGRAMS)
    this.addSql(
      `alter table "captures" add constraint "captures_source_check" check ("source" in ('gateway', 'log', 'import', 'observe', 'media', 'multi_turn', 'multimodal'))`,
    )
    this.addSql(
      `alter table "captures" add constraint "captures_outcome_check" check ("outcome" in ('whole', 'interrupted', 'left', 'failed'))`,
    )
    this.addSql(
      `alter table "captures" add constraint "captures_retention_check" check ("retention" in ('kept', 'none'))`,
    )
    this.addSql(
      `alter table "captures" add constraint "captures_status_check" check ("status" in ('pending', 'approved', 'rejected', 'quarantined'))`,
    )
    this.addSql(`alter table "captures" enable row level security`)
    this.addSql(`create policy "tenant" on "captures" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "captures" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(`alter table "capture_chains" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_chains" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_chains" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(`alter table "capture_checkpoints" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_checkpoints" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_checkpoints" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "capture_contents" add constraint "capture_contents_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(`alter table "capture_contents" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_contents" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_contents" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(`alter table "capture_heads" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_heads" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "capture_media" add constraint "capture_media_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "capture_media" add constraint "capture_media_kind_check" check ("kind" in ('image', 'audio', 'video', 'blob'))`,
    )
    this.addSql(`alter table "capture_media" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_media" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_media" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(`alter table "capture_texts" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_texts" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_texts" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(`create schema svc_months`)
    const [first, second, third] = monthsFrom(new Date())
    for (const table of PARTITIONED) {
      this.addSql(`create table svc_months."${table}_other" partition of "${table}" default`)
      for (const [from, to] of [
        [first, second],
        [second, third],
      ] as const) {
        const bounds = `from ('${firstTimedId('cap', from)}') to ('${firstTimedId('cap', to)}')`
        const name = `${table}_${from.toISOString().slice(0, 7).replace('-', '_')}`
        this.addSql(`create table svc_months."${name}" partition of "${table}" for values ${bounds}`)
      }
    }
  }
}

/** The beginnings of this month and the next two, UTC. */
function monthsFrom(now: Date): readonly [Date, Date, Date] {
  const begin = (ahead: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
  return [begin(0), begin(1), begin(2)]
}
